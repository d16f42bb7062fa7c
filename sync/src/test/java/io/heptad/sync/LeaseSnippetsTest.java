package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The examples of the javadoc and of the page, compiled and run. */
@Watched
class LeaseSnippetsTest {
    private final List<String> done = new CopyOnWriteArrayList<>();
    private final Leases leases = Leases.inMemory(new ManualClock());

    @Test
    void aLease() {
        // @start region="lease"
        String me = "importer-" + UUID.randomUUID();
        Optional<Lease> granted = leases.acquire("nightly-import", me, Duration.ofSeconds(30));
        granted.ifPresent(lease -> {
            try {
                importAll(lease.token()); // the token goes along with every write
            } finally {
                leases.release(lease); // false if it had run out; then somebody else may have it
            }
        });
        // @end

        assertThat(done).containsExactly("imported with 1");
        assertThat(leases.acquire("nightly-import", "another", Duration.ofSeconds(30)))
                .isPresent();
    }

    @Test
    void aFencedValue() {
        // @start region="fenced"
        Fenced<String> report = Fenced.of("");

        boolean written = report.write(8, "by the new holder");
        boolean late = report.write(7, "by the one who was stopped meanwhile"); // false: refused
        // @end

        assertThat(written).isTrue();
        assertThat(late).isFalse();
        assertThat(report.value()).isEqualTo("by the new holder");
    }

    @Test
    void anElection() {
        Fenced<String> schedule = Fenced.of("");
        // @start region="election"
        LeaderElection election = LeaderElection.builder(
                        leases, "scheduler", "node-" + UUID.randomUUID(), Duration.ofSeconds(15))
                .onElected(lease -> startScheduling(lease.token())) // starts it, and returns
                .onLost(this::stopScheduling) // called while the lease is still live
                .start();
        // @end
        Wait.until(() -> !done.isEmpty());
        // @start region="leader-writes"
        election.lease().ifPresent(lease -> schedule.write(lease.token(), "next run at noon"));
        // @end
        election.close();

        assertThat(done).containsExactly("started with 1", "stopped");
        assertThat(schedule.value()).isEqualTo("next run at noon");
    }

    private void startScheduling(long token) {
        done.add("started with " + token);
    }

    private void stopScheduling() {
        done.add("stopped");
    }

    private void importAll(long token) {
        done.add("imported with " + token);
    }
}

package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The examples of the javadoc and of the page, compiled and run. */
@Watched
class LeaseSnippetsTest {
    private final List<String> done = new ArrayList<>();
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

    private void importAll(long token) {
        done.add("imported with " + token);
    }
}

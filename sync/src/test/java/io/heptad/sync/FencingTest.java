package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.sync.NaiveWriters.Storage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A holder that is stopped for 90 seconds between its last look at the clock and its write, and what each kind of storage
 * makes of that write. The pause is scripted: the clock is moved where the holder stands still.
 */
@Watched
class FencingTest {
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofSeconds(90);

    private final ManualClock clock = new ManualClock();
    private final Leases leases = Leases.inMemory("locks", clock, 6); // six grants happened earlier

    private Lease granted(String holder) {
        return leases.acquire("file", holder, TTL).orElseThrow();
    }

    @Test
    void theHighestTokenWins() {
        // @start region="fencing"
        Fenced<String> disk = Fenced.of("");
        Lease a = leases.acquire("file", "A", TTL).orElseThrow();
        clock.advance(PAUSE); // A is stopped, and does not know
        Lease b = leases.acquire("file", "B", TTL).orElseThrow();

        boolean first = disk.write(b.token(), "B wrote");
        boolean second = disk.write(a.token(), "A wrote"); // A goes on where it was stopped
        // @end

        assertThat(first).as("B accepted").isTrue();
        assertThat(second).as("stale A rejected").isFalse();
        assertThat(disk.value()).as("B's write survives").isEqualTo("B wrote");
        assertThat(line(a, b)).isEqualTo("fencing ok: A=7 B=8");
    }

    @Test
    void everyRunIsTheSame() {
        assertThat(IntStream.range(0, 3).mapToObj(run -> {
                    ManualClock time = new ManualClock();
                    Leases locks = Leases.inMemory("locks", time, 6);
                    Lease a = locks.acquire("file", "A", TTL).orElseThrow();
                    time.set(12_000);
                    return line(a, locks.acquire("file", "B", TTL).orElseThrow());
                }))
                .containsOnly("fencing ok: A=7 B=8");
    }

    private static String line(Lease a, Lease b) {
        return "fencing ok: A=" + a.token() + " B=" + b.token();
    }

    @Test
    void aLookAtTheClockBeforeTheWriteDoesNotHelp() {
        Storage storage = new Storage();
        Lease a = granted("A");

        boolean believed = NaiveWriters.writeIfNotExpired(
                a,
                clock,
                () -> {
                    clock.advance(PAUSE);
                    granted("B");
                    storage.write("B wrote");
                },
                storage,
                "A wrote");

        assertThat(believed).as("A saw a live lease").isTrue();
        assertThat(storage.value).as("B's write is lost").isEqualTo("A wrote");
    }

    @Test
    void aWritePathThatSkipsTheTokenIsNotProtected() {
        // The same resource by two ways: one through the fence, one around it.
        Storage storage = new Storage();
        Fenced<Storage> fence = Fenced.of(storage);
        Lease a = granted("A");
        clock.advance(PAUSE);
        Lease b = granted("B");

        if (fence.update(b.token(), present -> present)) {
            storage.write("B wrote");
        }
        assertThat(fence.update(a.token(), present -> present))
                .as("the fence does its part")
                .isFalse();
        storage.write("A wrote"); // and A goes around it

        assertThat(storage.value).as("B's write is lost").isEqualTo("A wrote");
    }

    @Test
    void aConditionalWriteOnAVersionDoesTheSameWhereTokensCannotBeCompared() {
        Storage storage = new Storage();
        granted("A");
        long seenByA = storage.version;
        clock.advance(PAUSE);
        granted("B");
        long seenByB = storage.version;

        assertThat(storage.write(seenByB, "B wrote")).as("B accepted").isTrue();
        assertThat(storage.write(seenByA, "A wrote")).as("stale A rejected").isFalse();
        assertThat(storage.value).as("B's write survives").isEqualTo("B wrote");
    }

    @Test
    void aFrozenHolderIsRefusedAndSeesThatItHasLost() {
        Fenced<String> result = Fenced.of("");
        Lease a = granted("A");
        clock.advance(PAUSE);
        Lease b = granted("B");
        result.write(b.token(), "B's result");

        assertThat(leases.renew(a, TTL)).as("A's next look").isEmpty();
        assertThat(result.write(a.token(), "A's result")).isFalse();
        assertThat(leases.release(a)).isFalse();
        assertThat(result.value()).isEqualTo("B's result");
        assertThat(leases.renew(b, TTL)).as("B is not disturbed").isPresent();
    }

    @Test
    void aGuardedResourceTakesEachOwnersWritesAndNoOlderOnes() {
        Fenced<Integer> resource = Fenced.of(0);
        List<Lease> grants = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Lease lease = granted("owner-" + i % 5);
            if (i > 0) {
                assertThat(lease.token()).isGreaterThan(grants.getLast().token());
                assertThat(resource.write(grants.getLast().token(), -i))
                        .as("before the new holder has written")
                        .isTrue();
            }
            assertThat(resource.write(lease.token(), i)).isTrue();
            for (Lease old : grants) {
                assertThat(resource.write(old.token(), -1)).isFalse();
            }
            grants.add(lease);
            if (i % 2 == 0) {
                clock.advance(TTL);
            } else {
                leases.release(lease);
            }
        }

        assertThat(resource.value()).isEqualTo(99);
    }

    /** The owner of a conversation gives each message the next number; two owners must never give the same one. */
    @Test
    void numbersStayDenseThroughAChangeOfOwner() {
        Fenced<List<String>> log = Fenced.of(List.of());
        Lease old = granted("A");
        append(log, old, "one");
        append(log, old, "two");
        clock.advance(PAUSE); // A is stopped, in the middle of the third
        Lease next = granted("B");
        append(log, next, "three");

        assertThat(append(log, old, "three, too")).isFalse();
        assertThat(append(log, next, "four")).isTrue();
        assertThat(log.value()).containsExactly("1 one", "2 two", "3 three", "4 four");
    }

    private static boolean append(Fenced<List<String>> log, Lease lease, String message) {
        return log.update(lease.token(), present -> {
            List<String> longer = new ArrayList<>(present);
            longer.add(present.size() + 1 + " " + message);
            return List.copyOf(longer);
        });
    }
}

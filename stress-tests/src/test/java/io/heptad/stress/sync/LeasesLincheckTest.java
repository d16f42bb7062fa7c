package io.heptad.stress.sync;

import static io.heptad.stress.Linearizability.assertFound;
import static io.heptad.stress.Linearizability.schedules;

import io.heptad.core.Metric;
import io.heptad.sync.Lease;
import io.heptad.sync.Leases;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * Linearizability of leases in memory, at one instant. (While time passes they promise a little less: a lease may be as
 * much shorter as its call was late.)
 */
public class LeasesLincheckTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration TTL = Duration.ofMinutes(1);

    private static Lease lease(int resource, int holder, int token) {
        return new Lease("r" + resource, "h" + holder, token, NOW);
    }

    /** What leases are, for one thread. */
    public static class Plain {
        private final Map<String, Lease> held = new HashMap<>();
        private int last;

        public long acquire(int resource, int holder) {
            Lease live = held.get("r" + resource);
            if (live == null) {
                last++;
                live = lease(resource, holder, last);
                held.put(live.resource(), live);
            }
            return live.holder().equals("h" + holder) ? live.token() : -1;
        }

        public boolean renew(int holder, int token) {
            Lease live = held.get("r1");
            return live != null && live.equals(lease(1, holder, token));
        }

        public boolean release(int holder, int token) {
            return held.remove("r1", lease(1, holder, token));
        }

        public int held() {
            return held.size();
        }
    }

    /** The shipped leases. */
    @Param(name = "resource", gen = IntGen.class, conf = "1:2")
    @Param(name = "holder", gen = IntGen.class, conf = "1:2")
    @Param(name = "token", gen = IntGen.class, conf = "1:2")
    public static class Shipped {
        private final Leases leases = Leases.inMemory(InstantSource.fixed(NOW));
        private final Metric held = leases.metrics().get(0);

        @Operation
        public long acquire(@Param(name = "resource") int resource, @Param(name = "holder") int holder) {
            return leases.acquire("r" + resource, "h" + holder, TTL)
                    .map(Lease::token)
                    .orElse(-1L);
        }

        @Operation
        public boolean renew(@Param(name = "holder") int holder, @Param(name = "token") int token) {
            return leases.renew(lease(1, holder, token), TTL).isPresent();
        }

        @Operation
        public boolean release(@Param(name = "holder") int holder, @Param(name = "token") int token) {
            return leases.release(lease(1, holder, token));
        }

        @Operation
        public int held() {
            return (int) held.value().getAsDouble();
        }
    }

    /** Leases that look in one step and give in another. */
    @Param(name = "resource", gen = IntGen.class, conf = "1:1")
    @Param(name = "holder", gen = IntGen.class, conf = "1:2")
    public static class GivenTwice {
        private final io.heptad.mutant.sync.looksatonetimeandgrantsatanother.Leases leases =
                io.heptad.mutant.sync.looksatonetimeandgrantsatanother.Leases.inMemory(InstantSource.fixed(NOW));

        @Operation
        public long acquire(@Param(name = "resource") int resource, @Param(name = "holder") int holder) {
            return leases.acquire("r" + resource, "h" + holder, TTL)
                    .map(io.heptad.mutant.sync.looksatonetimeandgrantsatanother.Lease::token)
                    .orElse(-1L);
        }
    }

    @Test
    void atOneInstant() {
        schedules(Plain.class).iterations(50).check(Shipped.class);
    }

    @Test
    void findsAResourceThatIsGivenTwice() {
        assertFound("Invalid execution results", schedules(Plain.class), GivenTwice.class);
    }
}

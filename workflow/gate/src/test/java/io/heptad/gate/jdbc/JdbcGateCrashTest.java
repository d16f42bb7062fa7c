package io.heptad.gate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.contract.gate.Crash;
import io.heptad.contract.gate.Orders.Cancel;
import io.heptad.contract.gate.Orders.Cancelled;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Pack;
import io.heptad.contract.gate.Orders.Packed;
import io.heptad.contract.gate.Orders.Pay;
import io.heptad.contract.gate.Orders.Placed;
import io.heptad.contract.gate.Orders.Ship;
import io.heptad.contract.gate.Orders.Shipped;
import io.heptad.contract.gate.Provider.Mood;
import io.heptad.gate.Committed;
import io.heptad.gate.Declined;
import io.heptad.gate.Gate;
import io.heptad.gate.PhaseStore.ActionRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An instance dies at every numbered boundary of an order's life, and the one that recovers dies too. Death is cut out of the
 * same process: from its boundary on, nothing that the instance does reaches the database or the provider any more, its
 * connections are closed, and a new instance begins. What a killed process leaves behind is the same, at a hundredth of the
 * time; that real ones leave no more is shown by the crash harness of the stress tests, with SIGKILL.
 */
@Watched
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class JdbcGateCrashTest {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final Placed PLACED = new Placed(List.of("tea"), 500);
    private static final long SEED = Long.getLong("heptad.seed", System.nanoTime());
    private static final int PAIRS = 40;

    private static Thread.@Nullable UncaughtExceptionHandler before;

    @BeforeAll
    static void theDeadAreQuiet() {
        before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            if (!(thrown instanceof Crash.Dead)) {
                thrown.printStackTrace();
            }
        });
    }

    @AfterAll
    static void asItWas() {
        Thread.setDefaultUncaughtExceptionHandler(before);
    }

    /** What becomes of an order, and how its callers bring it there; they may ask again. */
    enum Life {
        PACKABLE(new Shipped("pack-2", "track")),
        UNPACKABLE(new Cancelled("not possible", true)),
        POOR(new Cancelled("poor", false));

        private final Order end;

        Life(Order end) {
            this.end = end;
        }

        OrderWorld world(TestDatabase database) {
            OrderWorld world = new OrderWorld(database);
            switch (this) {
                case PACKABLE -> {}
                case UNPACKABLE -> world.provider.mood("pack", Mood.DECLINES);
                case POOR -> world.provider.mood("charge", Mood.DECLINES);
            }
            return world;
        }

        void live(Gate<Order, Event> gate) throws InterruptedException {
            Object ignored = gate.create("A", PLACED);
            if (gate.handle("A", new Pay("card"), "pay", PATIENCE) instanceof Declined) {
                ignored = gate.handle("A", new Cancel("poor"), "cancel", PATIENCE);
                return;
            }
            ignored = gate.handle("A", new Pack(), "pack", PATIENCE);
            if (ignored instanceof Committed<?, ?> committed && committed.phase() instanceof Packed) {
                ignored = gate.handle("A", new Ship("track"), "ship", PATIENCE);
            }
        }

        /** How many boundaries such a life has, when nobody dies. */
        int boundaries(TestDatabase database) throws InterruptedException {
            Crash none = Crash.never();
            OrderWorld world = world(database);
            try (OrderWorld.Process process = world.process(none)) {
                live(process.gate());
                OrderWorld.close(process.wire());
            }
            return none.passed();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "H2_IN_MEMORY, UNPACKABLE",
        "POSTGRESQL, PACKABLE",
        "POSTGRESQL, UNPACKABLE",
        "POSTGRESQL, POOR",
    })
    void killedAtAnyStatementCommitOrCallTheOrderSettles(TestDatabase database, Life life) throws InterruptedException {
        int boundaries = life.boundaries(database);
        System.out.println("crash: " + life + " on " + database + " has " + boundaries + " points, each is one death");
        assertThat(boundaries).isGreaterThan(40);
        for (int at = 1; at <= boundaries; at++) {
            assertThat(settles(database, life, at)).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"H2_IN_MEMORY, UNPACKABLE", "POSTGRESQL, UNPACKABLE"})
    void killedAgainWhileItRecoversTheOrderSettles(TestDatabase database, Life life) throws InterruptedException {
        System.out.println("crash: " + PAIRS + " pairs of points of " + life + " on " + database + ", seed " + SEED
                + " (-Dheptad.seed)");
        Random random = new Random(SEED);
        int boundaries = life.boundaries(database);
        for (int i = 0; i < PAIRS; i++) {
            int first = 1 + random.nextInt(boundaries);
            // A recovery passes what the dead one has not passed, and a few points of its own.
            int second = 1 + random.nextInt(boundaries - first + 10);
            assertThat(settles(database, life, first, second)).isEmpty();
        }
    }

    /** What is wrong after one instance after the other has died, each at its boundary, and the last one has not. */
    private static List<String> settles(TestDatabase database, Life life, int... deaths) throws InterruptedException {
        OrderWorld world = life.world(database);
        List<Crash> crashes = new ArrayList<>();
        for (int at : deaths) {
            Crash crash = Crash.at(at);
            crashes.add(crash);
            die(world, life, crash, crashes.size() > 1);
            world.clock.advance(OrderWorld.LEASE);
        }
        List<String> found = new ArrayList<>();
        try (OrderWorld.Process next = world.process()) {
            int ignored = next.gate().recover();
            found.addAll(world.disagreements(next.store(), "A"));
            if (next.store().actions("A").stream().anyMatch(ActionRow::isUnfinished)) {
                found.add("unfinished: " + next.store().actions("A"));
            }
            life.live(next.gate());
            found.addAll(world.disagreements(next.store(), "A"));
            Order end = next.store().current("A").orElseThrow().phase();
            if (!end.equals(life.end)) {
                found.add("A is " + end);
            }
            OrderWorld.close(next.wire());
        }
        return found.stream().map(what -> crashes + ": " + what).toList();
    }

    private static void die(OrderWorld world, Life life, Crash crash, boolean recovers) throws InterruptedException {
        try (OrderWorld.Process process = world.process(crash)) {
            try {
                if (recovers) {
                    int ignored = process.gate().recover();
                }
                life.live(process.gate());
            } catch (Crash.Dead dead) {
                // This is what it is about.
            }
            boolean ignored = process.gate().close(PATIENCE);
            OrderWorld.close(process.wire());
        }
    }
}

package io.heptad.gate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.contract.gate.Crash;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Paid;
import io.heptad.contract.gate.Orders.Pay;
import io.heptad.contract.gate.Orders.Placed;
import io.heptad.contract.gate.Provider.Mood;
import io.heptad.core.RefusedException;
import io.heptad.gate.Committed;
import io.heptad.gate.Gate;
import io.heptad.gate.KeyReusedException;
import io.heptad.gate.NoSuchEntityException;
import io.heptad.gate.UnreadableException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What nobody should send, and what a database should not do: each has an outcome that says what it is, and nothing is lost.
 * The same in memory: GateCallsTest and GateStoreFailuresTest.
 */
@Watched
class JdbcBadInputTest {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final Placed PLACED = new Placed(List.of("tea"), 500);

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void anUnknownIdIsSaidAndNothingIsWritten(TestDatabase database) {
        OrderWorld world = new OrderWorld(database);
        try (OrderWorld.Process process = world.process()) {
            assertThatThrownBy(() -> process.gate().handle("nobody", new Pay("card"), "pay", PATIENCE))
                    .isInstanceOfSatisfying(
                            NoSuchEntityException.class,
                            no -> assertThat(no.id()).isEqualTo("nobody"));
            assertThat(process.gate().current("nobody")).isEmpty();
            assertThat(process.gate().history("nobody")).isEmpty();
            assertThat(process.store().actions("nobody")).isEmpty();
            assertThat(world.provider.calls()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void anIdThatBeganWithAnotherPhaseIsRefusedAndKeepsItsOwn(TestDatabase database) throws InterruptedException {
        OrderWorld world = new OrderWorld(database);
        try (OrderWorld.Process process = world.process()) {
            Gate<Order, Event> gate = process.gate();
            Committed<Order, Event> first = gate.create("A", PLACED);
            assertThatThrownBy(() -> gate.create("A", new Placed(List.of("cocoa"), 900)))
                    .isInstanceOf(KeyReusedException.class)
                    .hasMessageContaining("tea")
                    .hasMessageContaining("cocoa");
            assertThat(gate.handle("A", new Pay("card"), "pay", PATIENCE)).isInstanceOf(Committed.class);
            assertThatThrownBy(() -> gate.create("A", new Placed(List.of("cocoa"), 900)))
                    .as("also when it has moved on")
                    .isInstanceOf(KeyReusedException.class);
            assertThat(gate.create("A", PLACED)).isEqualTo(first);
            assertThatThrownBy(() -> gate.handle("A", new Pay("another card"), "pay", PATIENCE))
                    .as("and another event under a used id")
                    .isInstanceOf(KeyReusedException.class);
            assertThat(world.disagreements(process.store(), "A")).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void anOpenActionWithAnEventOfAnUnknownTypeIsPassedByAndKept(TestDatabase database) throws InterruptedException {
        OrderWorld world = new OrderWorld(database);
        world.provider.mood("charge", Mood.LOSES_THE_REPLY, Mood.LOSES_THE_REPLY);
        try (OrderWorld.Process process = world.process()) {
            Gate<Order, Event> gate = process.gate();
            leave(gate, "A");
            leave(gate, "B");
            rename(database, world, "pay by phone", "pay");
            world.clock.advance(OrderWorld.LEASE);

            assertThat(gate.recover()).as("B's, and nobody holds A's").isEqualTo(1);
            assertThat(phase(gate, "B")).isInstanceOf(Paid.class);
            assertThat(process.store().figures().unreadable()).isEqualTo(1);
            assertThatThrownBy(() -> gate.handle("A", new Pay("card"), "pay", PATIENCE))
                    .isInstanceOf(UnreadableException.class)
                    .hasMessageContaining("A: ")
                    .hasMessageContaining("pay by phone");

            rename(database, world, "pay", "pay by phone");
            assertThat(gate.recover()).as("code that knows it").isEqualTo(1);
            assertThat(phase(gate, "A")).isInstanceOf(Paid.class);
            assertThat(world.disagreements(process.store(), "A", "B")).isEmpty();
        }
    }

    private static void leave(Gate<Order, Event> gate, String id) throws InterruptedException {
        Object ignored = gate.create(id, PLACED);
        ignored = gate.handle(id, new Pay("card"), "pay", Duration.ZERO);
        Awaitility.await().until(() -> gate.stats().running() == 0);
    }

    private static Order phase(Gate<Order, Event> gate, String id) {
        return gate.current(id).orElseThrow().phase();
    }

    private static void rename(TestDatabase database, OrderWorld world, String now, String before) {
        database.execute("UPDATE heptad_action SET asked_type = '" + now + "' WHERE gate = '" + world.name
                + "' AND entity_id = 'A' AND asked_type = '" + before + "'");
    }

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void anEventOfAnUnknownTypeInTheLogHindersNobodyWhoDoesNotReadIt(TestDatabase database)
            throws InterruptedException {
        OrderWorld world = new OrderWorld(database);
        try (OrderWorld.Process process = world.process()) {
            Gate<Order, Event> gate = process.gate();
            Object ignored = gate.create("A", PLACED);
            ignored = gate.handle("A", new Pay("card"), "pay", PATIENCE);
            database.execute("UPDATE heptad_event SET event_type = 'pay by phone' WHERE gate = '" + world.name
                    + "' AND version = 2");
            assertThatThrownBy(() -> gate.history("A"))
                    .isInstanceOf(UnreadableException.class)
                    .hasMessageContaining("pay by phone");
            assertThatThrownBy(() -> gate.handle("A", new Pay("card"), "pay", PATIENCE))
                    .as("whether it is the same event nobody can say")
                    .isInstanceOf(UnreadableException.class);
            assertThat(gate.handle("A", new io.heptad.contract.gate.Orders.Pack(), "pack", PATIENCE))
                    .isInstanceOf(Committed.class);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void aClockThatJumpsChangesWhenAndNotWhat(TestDatabase database) throws InterruptedException {
        OrderWorld world = new OrderWorld(database);
        world.provider.mood("charge", Mood.LOSES_THE_REPLY);
        try (OrderWorld.Process process = world.process()) {
            Gate<Order, Event> gate = process.gate();
            leave(gate, "A");
            world.clock.advance(Duration.ofDays(-400));
            assertThat(gate.recover())
                    .as("it waits until the old time has come again")
                    .isZero();
            world.clock.advance(Duration.ofDays(400).plusHours(1));
            assertThat(gate.recover()).isEqualTo(1);
            assertThat(phase(gate, "A")).isInstanceOf(Paid.class);
            assertThat(world.provider.count("charge", "A")).isEqualTo(1);
            assertThat(world.disagreements(process.store(), "A")).isEmpty();
        }
    }

    /** Not dead, as in JdbcGateCrashTest, but without a database for one moment, at each moment of T1 and T2. */
    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void aDatabaseThatIsAwayForAMomentInT1OrT2LosesNothing(TestDatabase database) throws InterruptedException {
        Crash none = Crash.never();
        OrderWorld first = new OrderWorld(database);
        try (OrderWorld.Process process = first.process(none)) {
            pay(process.gate());
        }
        assertThat(none.passed()).isGreaterThan(20);
        int refused = 0;
        for (int at = 1; at <= none.passed(); at++) {
            OrderWorld world = new OrderWorld(database);
            try (OrderWorld.Process process = world.process()) {
                int moment = at;
                AtomicInteger passed = new AtomicInteger();
                process.wire().fault(boundary -> {
                    if (passed.incrementAndGet() == moment) {
                        throw new SQLException("nobody is there", "08006");
                    }
                });
                refused += insist(process.gate(), world);
                process.wire().heal();
                assertThat(phase(process.gate(), "A")).as("at %s", at).isInstanceOf(Paid.class);
                assertThat(world.disagreements(process.store(), "A"))
                        .as("at %s", at)
                        .isEmpty();
                OrderWorld.close(process.wire());
            }
        }
        assertThat(refused).as("some of it is the caller's to repeat").isPositive();
    }

    private static void pay(Gate<Order, Event> gate) throws InterruptedException {
        Object ignored = gate.create("A", PLACED);
        ignored = gate.handle("A", new Pay("card"), "pay", PATIENCE);
    }

    /** As a caller who asks again; how often he had to. */
    private static int insist(Gate<Order, Event> gate, OrderWorld world) throws InterruptedException {
        for (int again = 0; again < 10; again++) {
            try {
                Object ignored = gate.create("A", PLACED);
                if (gate.handle("A", new Pay("card"), "pay", Duration.ofMillis(50)) instanceof Committed) {
                    return again;
                }
            } catch (StoreException | RefusedException away) {
                Objects.requireNonNull(away.getMessage());
            }
            world.clock.advance(OrderWorld.LEASE); // what was left open is anybody's by then
            int ignored = gate.recover();
        }
        throw new AssertionError("no answer after ten calls");
    }
}

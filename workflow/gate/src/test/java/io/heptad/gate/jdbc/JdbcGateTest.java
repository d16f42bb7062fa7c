package io.heptad.gate.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.contract.gate.Crash;
import io.heptad.contract.gate.Orders;
import io.heptad.contract.gate.Orders.Cancelled;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Pack;
import io.heptad.contract.gate.Orders.Packed;
import io.heptad.contract.gate.Orders.Paid;
import io.heptad.contract.gate.Orders.Pay;
import io.heptad.contract.gate.Orders.Placed;
import io.heptad.contract.gate.Provider.Mood;
import io.heptad.core.RefusedException;
import io.heptad.gate.Action;
import io.heptad.gate.Answer;
import io.heptad.gate.Committed;
import io.heptad.gate.Declined;
import io.heptad.gate.Gate;
import io.heptad.gate.IllegalTransitionException;
import io.heptad.gate.Move;
import io.heptad.gate.OutboxMessage;
import io.heptad.gate.Pending;
import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.gate.PhaseStore.State;
import io.heptad.gate.UnreadableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The gate keeps its promises about money on both databases. */
@Watched
class JdbcGateTest {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final Placed PLACED = new Placed(List.of("tea"), 500);

    @ParameterizedTest
    @EnumSource
    void ofTwoHundredThatPayAtOnceOneIsCharged(TestDatabase database) throws Exception {
        OrderWorld world = new OrderWorld(database);
        try (OrderWorld.Process one = world.process();
                OrderWorld.Process two = world.process()) {
            Committed<Order, Event> ignored = one.gate().create("A", PLACED);
            AtomicInteger paid = new AtomicInteger();
            AtomicInteger refused = new AtomicInteger();
            List<FutureTask<Void>> callers = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                Gate<Order, Event> gate = (i % 2 == 0 ? one : two).gate();
                String eventId = "pay " + i;
                FutureTask<Void> caller = new FutureTask<>(() -> {
                    try {
                        assertThat(gate.handle("A", new Pay("card"), eventId, PATIENCE))
                                .isInstanceOf(Committed.class);
                        paid.incrementAndGet();
                    } catch (IllegalTransitionException | RefusedException late) {
                        refused.incrementAndGet();
                    }
                    return null;
                });
                callers.add(caller);
                Thread.ofVirtual().start(caller);
            }
            for (FutureTask<Void> caller : callers) {
                caller.get();
            }
            assertThat(paid).hasValue(1);
            assertThat(refused).hasValue(199);
            assertThat(world.provider.count("charge", "A")).isEqualTo(1);
            assertThat(world.disagreements(one.store(), "A")).isEmpty();
            assertThat(one.wire().connectionsOut()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatCannotBePackedIsRefundedAndCancelledThroughTheSameGate(TestDatabase database) throws InterruptedException {
        OrderWorld world = new OrderWorld(database);
        world.provider.mood("pack", Mood.DECLINES);
        try (OrderWorld.Process process = world.process()) {
            Gate<Order, Event> gate = process.gate();
            Committed<Order, Event> ignored = gate.create("A", PLACED);
            assertThat(gate.handle("A", new Pay("card"), "pay", PATIENCE)).isInstanceOf(Committed.class);
            Answer<Order, Event> packed = gate.handle("A", new Pack(), "pack", PATIENCE);

            assertThat(packed)
                    .isInstanceOfSatisfying(
                            Committed.class,
                            committed -> assertThat(committed.phase()).isEqualTo(new Cancelled("not possible", true)));
            assertThat(gate.history("A"))
                    .extracting(Committed::event)
                    .containsExactly(null, new Pay("card"), new Orders.PackFailed("not possible"));
            assertThat(gate.handle("A", new Pack(), "pack", PATIENCE))
                    .as("the same answer")
                    .isEqualTo(packed);
            assertThat(process.store().actions("A"))
                    .extracting(ActionRow::action, ActionRow::undo, ActionRow::state)
                    .containsExactly(
                            org.assertj.core.api.Assertions.tuple("charge", false, State.DONE),
                            org.assertj.core.api.Assertions.tuple("pack", false, State.DECLINED),
                            org.assertj.core.api.Assertions.tuple("charge", true, State.DONE));
            assertThat(world.disagreements(process.store(), "A")).isEmpty();
            assertThatThrownBy(() -> gate.handle("A", new Orders.Ship("track")))
                    .isInstanceOf(IllegalTransitionException.class)
                    .hasMessageContaining("Ship")
                    .hasMessageContaining("Cancelled");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDeclinedCardIsAnAnswerThatIsKept(TestDatabase database) throws InterruptedException {
        OrderWorld world = new OrderWorld(database);
        world.provider.mood("charge", Mood.DECLINES);
        try (OrderWorld.Process process = world.process()) {
            Gate<Order, Event> gate = process.gate();
            Committed<Order, Event> ignored = gate.create("A", PLACED);
            Answer<Order, Event> no = gate.handle("A", new Pay("card"), "pay", PATIENCE);
            assertThat(no).isInstanceOf(Declined.class);
            assertThat(gate.handle("A", new Pay("card"), "pay", PATIENCE)).isEqualTo(no);
            assertThat(gate.handle("A", new Pay("another"), "pay again", PATIENCE))
                    .isInstanceOf(Committed.class);
            assertThat(process.store().actions("A"))
                    .extracting(ActionRow::key)
                    .as("another key for another demand")
                    .doesNotHaveDuplicates();
            assertThat(world.disagreements(process.store(), "A")).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void aTransitionCostsAsManyStatementsAsThePageSays(TestDatabase database) throws InterruptedException {
        OrderWorld world = new OrderWorld(database);
        world.provider.mood("pack", Mood.DECLINES);
        try (OrderWorld.Process process = world.process()) {
            Gate<Order, Event> gate = process.gate();
            Committed<Order, Event> ignored = gate.create("A", PLACED);
            assertThat(statements(process)).as("create").isEqualTo(database == TestDatabase.POSTGRESQL ? 3 : 4);
            assertThat(gate.handle("A", new Pay("card"), "pay", PATIENCE)).isInstanceOf(Committed.class);
            assertThat(statements(process)).as("an action: T1 and T2").isEqualTo(3 + 4);
            assertThat(gate.handle("A", new Pay("card"), "pay", PATIENCE)).isInstanceOf(Committed.class);
            assertThat(statements(process)).as("the same again").isEqualTo(2);
            assertThat(gate.handle("A", new Pack(), "pack", PATIENCE)).isInstanceOf(Committed.class);
            assertThat(statements(process)).as("declined, and its refund").isEqualTo(3 + 6 + 1 + 4);
            ignored = gate.create("B", PLACED);
            int none = statements(process);
            assertThat(none).isPositive();
            assertThat(gate.handle("B", new Orders.Cancel("bored"), "cancel", PATIENCE))
                    .isInstanceOf(Committed.class);
            assertThat(statements(process)).as("no action").isEqualTo(4);
        }
    }

    /** Since the last look, without the commits. */
    private static int statements(OrderWorld.Process process) {
        return (int) process.wire().asked().stream()
                .filter(what -> !what.equals(Wire.COMMIT))
                .count();
    }

    // ---- the store is away

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void aStoreThatIsAwayBeforeTheIntentIsSaidToTheCaller(TestDatabase database) throws InterruptedException {
        OrderWorld world = new OrderWorld(database);
        try (OrderWorld.Process process = world.process()) {
            Gate<Order, Event> gate = process.gate();
            Committed<Order, Event> ignored = gate.create("A", PLACED);
            process.wire().cut();
            assertThatThrownBy(() -> gate.handle("A", new Pay("card"), "pay", PATIENCE))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("A")
                    .hasMessageContaining("nobody is there");
            assertThatThrownBy(() -> gate.create("B", PLACED)).isInstanceOf(StoreException.class);
            assertThat(world.provider.calls()).isEmpty();
            process.wire().heal();
            assertThat(gate.handle("A", new Pay("card"), "pay", PATIENCE)).isInstanceOf(Committed.class);
            assertThat(world.disagreements(process.store(), "A")).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void aStoreThatIsAwayForTenTimesTheLongestBackoffLosesNoCharge(TestDatabase database) throws Exception {
        OrderWorld world = new OrderWorld(database);
        Duration longest = Duration.ofMillis(20);
        Wire wire = new Wire(database.source());
        JdbcPhaseStore<Order, Event> store = world.store(wire);
        try (Gate<Order, Event> gate = world.builder(store, where -> {
                    if (where.equals("after charge")) {
                        wire.cut(); // the money is taken, and now nothing can be written
                    }
                })
                .backoff(attempt -> longest)
                .build()) {
            Committed<Order, Event> ignored = gate.create("A", PLACED);
            FutureTask<Answer<Order, Event>> paying =
                    new FutureTask<>(() -> gate.handle("A", new Pay("card"), "pay", PATIENCE));
            Thread.ofVirtual().start(paying);
            Awaitility.await().until(() -> gate.stats().storeFailures() >= 10); // a pause of the longest after each
            assertThat(paying.isDone()).isFalse();
            wire.heal();
            assertThat(paying.get()).isInstanceOf(Committed.class);
            assertThat(world.provider.calls()).as("nobody had to ask again").hasSize(1);
            assertThat(world.disagreements(store, "A")).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void aCallerWhosePatienceEndsWhileTheStoreIsAwayHearsPending(TestDatabase database) throws Exception {
        OrderWorld world = new OrderWorld(database);
        Wire wire = new Wire(database.source());
        JdbcPhaseStore<Order, Event> store = world.store(wire);
        try (Gate<Order, Event> gate = world.builder(store, where -> {
                    if (where.equals("after charge")) {
                        wire.cut();
                    }
                })
                .backoff(attempt -> Duration.ofMillis(10))
                .build()) {
            Committed<Order, Event> ignored = gate.create("A", PLACED);
            Answer<Order, Event> answer = gate.handle("A", new Pay("card"), "pay", Duration.ofMillis(200));
            assertThat(answer).isInstanceOf(Pending.class);
            wire.heal();
            assertThat(gate.handle("A", new Pay("card"), "pay", PATIENCE)).isInstanceOf(Committed.class);
            assertThat(world.provider.count("charge", "A")).isEqualTo(1);
        }
    }

    // ---- several instances

    @Test
    void anInstanceThatIsCutOffIsOvertakenAndItsLateReplyIsNotWritten() throws Exception {
        TestDatabase database = TestDatabase.POSTGRESQL;
        OrderWorld world = new OrderWorld(database);
        Wire firstWire = new Wire(database.source());
        Wire secondWire = new Wire(database.source());
        JdbcPhaseStore<Order, Event> first = JdbcPhaseStore.of(world.name, firstWire, OrderWorld.CODEC);
        JdbcPhaseStore<Order, Event> second = JdbcPhaseStore.of(world.name, secondWire, OrderWorld.CODEC);
        Duration lease = Duration.ofMillis(300); // by the clock of the database
        CountDownLatch thaw = new CountDownLatch(1);
        try (Gate<Order, Event> frozen = world.builder(first, where -> {
                            if (where.equals("after charge")) {
                                firstWire.cut();
                                await(thaw);
                            }
                        })
                        .lease(lease)
                        .build();
                Gate<Order, Event> alive = world.builder(second, where -> {})
                        .lease(lease)
                        .sweepEvery(Duration.ofMillis(50))
                        .build()) {
            Committed<Order, Event> ignored = alive.create("A", PLACED);
            FutureTask<Answer<Order, Event>> paying =
                    new FutureTask<>(() -> frozen.handle("A", new Pay("card"), "pay", PATIENCE));
            Thread.ofVirtual().start(paying);

            Awaitility.await().until(() -> alive.current("A").orElseThrow().phase() instanceof Paid);
            List<ActionRow<Event>> done = second.actions("A");
            assertThat(done)
                    .hasSize(1)
                    .allSatisfy(row -> assertThat(row.fence()).isGreaterThan(1));
            firstWire.heal();
            thaw.countDown();

            assertThat(paying.get()).as("what the other has committed").isInstanceOf(Committed.class);
            assertThat(second.actions("A")).as("nothing was written over it").isEqualTo(done);
            assertThat(second.history("A")).hasSize(2);
            assertThat(world.disagreements(second, "A")).isEmpty();
            assertThat(alive.stats().takeovers()).isPositive();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nothing happened for 20 s");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    // ---- inside of the commit

    private record Reserve(String item) {}

    private static final Action<Reserve, String> RESERVE = Action.named("reserve", Reserve.class, String.class);

    private static final class SoldOutException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void whatMustBePartOfTheCommitIs(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE IF NOT EXISTS reserved (world varchar(100), item varchar(100))");
        OrderWorld world = new OrderWorld(database);
        Wire wire = new Wire(database.source());
        Codec codec = Codec.builder(
                        value -> ((String) value).getBytes(UTF_8), (bytes, type) -> new String(bytes, UTF_8))
                .type("text", 1, String.class)
                .build();
        JdbcPhaseStore<String, String> store = JdbcPhaseStore.of(world.name, wire, codec);
        try (Gate<String, String> gate = Gate.<String, String>builder(
                        "stock",
                        (phase, event) -> Move.perform(
                                RESERVE, new Reserve(event), reserved -> "reserved " + reserved, no -> "sold out"))
                .store(store)
                .local(RESERVE, (connection, input) -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement("INSERT INTO reserved VALUES (?, ?)")) {
                        statement.setString(1, world.name);
                        statement.setString(2, input.item());
                        assertThat(statement.executeUpdate()).isEqualTo(1);
                    }
                    if (input.item().equals("cup")) {
                        throw new SoldOutException();
                    }
                    return input.item();
                })
                .declines(SoldOutException.class::isInstance)
                .durably(
                        "tell",
                        String.class,
                        committed -> new OutboxMessage(
                                committed.id() + "/" + committed.version(), committed.id(), "mail", "text", "x"))
                .build()) {
            Committed<String, String> ignored = gate.create("A", "new");
            assertThat(gate.handle("A", "tea")).isInstanceOf(Committed.class);
            assertThat(reserved(wire, world)).containsExactly("tea");
            assertThat(store.outbox(10)).extracting(OutboxMessage::id).containsExactly("A/1", "A/2");

            wire.fault(boundary -> {
                if (boundary.startsWith("before INSERT INTO heptad_event")) {
                    throw new SQLException("cut", "08006");
                }
            });
            assertThatThrownBy(() -> gate.handle("A", "milk")).isInstanceOf(StoreException.class);
            wire.heal();
            assertThat(reserved(wire, world)).as("both or neither").containsExactly("tea");

            Answer<String, String> after = gate.handle("A", "cup");
            assertThat(after)
                    .as("the no became an event, whose own reservation is there")
                    .isInstanceOfSatisfying(
                            Committed.class,
                            committed -> assertThat(committed.phase()).isEqualTo("reserved sold out"));
            assertThat(reserved(wire, world)).as("of the declined one nothing").containsExactly("tea", "sold out");
        }
    }

    private static List<String> reserved(Wire wire, OrderWorld world) throws SQLException {
        List<String> items = new ArrayList<>();
        try (Connection connection = wire.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("SELECT item FROM reserved WHERE world = ?")) {
            statement.setString(1, world.name);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    items.add(row.getString(1));
                }
            }
        }
        return items;
    }

    // ---- what cannot be read

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void anOrderOfNewerCodeIsLeftToNewerCode(TestDatabase database) throws InterruptedException {
        OrderWorld world = new OrderWorld(database);
        Crash crash = Crash.never();
        try (OrderWorld.Process process = world.process(crash)) {
            Committed<Order, Event> ignored = process.gate().create("A", PLACED);
            ignored = process.gate().create("B", PLACED);
            database.execute(
                    "UPDATE heptad_entity SET phase_version = 7 WHERE gate = '" + world.name + "' AND id = 'A'");

            assertThatThrownBy(() -> process.gate().handle("A", new Pay("card"), "pay", PATIENCE))
                    .isInstanceOf(UnreadableException.class)
                    .hasMessageContaining("A: ")
                    .hasMessageContaining("placed")
                    .hasMessageContaining("7");
            assertThat(world.provider.calls()).isEmpty();
            assertThat(process.gate().handle("B", new Pay("card"), "pay", PATIENCE))
                    .isInstanceOf(Committed.class);

            database.execute(
                    "UPDATE heptad_entity SET phase_version = 1 WHERE gate = '" + world.name + "' AND id = 'A'");
            assertThat(process.gate().handle("A", new Pay("card"), "pay", PATIENCE))
                    .isInstanceOf(Committed.class);
            assertThat(process.gate().handle("A", new Pack(), "pack", PATIENCE))
                    .isInstanceOfSatisfying(
                            Committed.class,
                            committed -> assertThat(committed.phase()).isInstanceOf(Packed.class));
        }
    }
}

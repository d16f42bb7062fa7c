package io.heptad.gate.jdbc;

import static io.heptad.gate.Move.also;
import static io.heptad.gate.Move.to;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.contract.gate.Orders.Cancelled;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Pack;
import io.heptad.contract.gate.Orders.Packed;
import io.heptad.contract.gate.Orders.Paid;
import io.heptad.contract.gate.Orders.Pay;
import io.heptad.contract.gate.Orders.Placed;
import io.heptad.contract.gate.Provider;
import io.heptad.contract.gate.Provider.Mood;
import io.heptad.gate.Answer;
import io.heptad.gate.Committed;
import io.heptad.gate.Declined;
import io.heptad.gate.Gate;
import io.heptad.gate.Move;
import io.heptad.gate.OpenAction;
import io.heptad.gate.OutboxMessage;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What is stored is pinned by golden files: orders in every state that a row can have are written as they were, and what an
 * earlier form has written is read, and brought to its end.
 */
@Watched
class StoredFormTest {
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final Placed PLACED = new Placed(List.of("tea", "Früchte"), 500);

    /** Every form that released code has written; the last one is written today. */
    private static final List<Integer> FORMS = List.of(1);

    private static final int TODAY = FORMS.getLast();

    private static Gate<String, String> reminders(JdbcPhaseStore<String, String> store) {
        return Gate.<String, String>builder("reminders", StoredFormTest::remind)
                .store(store)
                .durably(
                        "tell",
                        String.class,
                        now -> new OutboxMessage(
                                now.id() + "/" + now.version(),
                                now.id(),
                                "mail",
                                "reminder",
                                "{\"at\":\"" + now.phase() + "\"}"))
                .sweepEvery(OrderWorld.NEVER)
                .build();
    }

    private static Move<String, String> remind(String phase, String event) {
        return event.equals("wait")
                ? also(also(to("waiting"), Duration.ofHours(1), "late"), Duration.ofDays(1), "too late")
                : to("was " + event);
    }

    private static JdbcPhaseStore<String, String> texts(OrderWorld world, Wire wire) {
        Codec codec = Codec.builder(
                        value -> ((String) value).getBytes(UTF_8), (bytes, type) -> new String(bytes, UTF_8))
                .type("text", 1, String.class)
                .build();
        return new JdbcPhaseStore<>(
                world.name, new Database(wire), world.database.dialect().at(world.clock.expression()), codec);
    }

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void theTablesAreThePinnedOnes(TestDatabase database) throws SQLException, IOException {
        String name = database == TestDatabase.POSTGRESQL ? "postgresql" : "h2";
        Golden.check("tables-" + name + "-" + TODAY + ".txt", Golden.tables(database));
    }

    // ---- written

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void ordersAreWrittenInThePinnedForm(TestDatabase database) throws Exception {
        OrderWorld world = new OrderWorld(database);
        Provider provider = world.provider;
        Wire wire = new Wire(database.source());
        JdbcPhaseStore<Order, Event> store = world.store(wire);
        Provider.Boundary boundary = where -> {
            if (where.equals("before pack") && provider.count("charge", "broken") > 0) {
                throw new IllegalArgumentException("a programming error");
            }
        };
        try (Gate<Order, Event> gate = world.builder(store, boundary).build()) {
            pay(gate, "packed");
            world.clock.advance(Duration.ofMinutes(1));
            Object ignored = gate.handle("packed", new Pack(), "pack", PATIENCE);

            pay(gate, "refunded");
            provider.mood("pack", Mood.DECLINES);
            ignored = gate.handle("refunded", new Pack(), "pack", PATIENCE);

            provider.mood("charge", Mood.DECLINES);
            pay(gate, "declined");

            ignored = gate.create("left", PLACED);
            provider.mood("charge", Mood.LOSES_THE_REPLY);
            assertThat(gate.handle("left", new Pay("card"), "pay", Duration.ZERO))
                    .isNotInstanceOf(Committed.class);
            Awaitility.await().until(() -> gate.stats().running() == 0);

            pay(gate, "broken");
            ignored = gate.handle("broken", new Pack(), "pack", PATIENCE);
            Awaitility.await().until(() -> !gate.parked().isEmpty());
        }
        Golden.check("orders-" + TODAY + ".txt", Golden.dump(database, world.name));
        OrderWorld.close(wire);
    }

    private static void pay(Gate<Order, Event> gate, String id) throws InterruptedException {
        Object ignored = gate.create(id, PLACED);
        ignored = gate.handle(id, new Pay("card"), "pay", PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void timersAndMessagesAreWrittenInThePinnedForm(TestDatabase database) throws Exception {
        OrderWorld world = new OrderWorld(database);
        Wire wire = new Wire(database.source());
        try (Gate<String, String> gate = reminders(texts(world, wire))) {
            Object ignored = gate.create("one", "new");
            ignored = gate.handle("one", "wait", "wait", PATIENCE);
        }
        Golden.check("reminders-" + TODAY + ".txt", Golden.dump(database, world.name));
        OrderWorld.close(wire);
    }

    // ---- read

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void ordersOfEveryFormAreReadAndBroughtToTheirEnd(TestDatabase database) throws Exception {
        for (int form : FORMS) {
            OrderWorld world = new OrderWorld(database);
            Golden.load(database, Golden.pinned("orders-" + form + ".txt"), world.name);
            world.clock.advance(Duration.ofHours(1)); // the leases have ended
            try (OrderWorld.Process process = world.process()) {
                Gate<Order, Event> gate = process.gate();
                assertThat(gate.history("packed"))
                        .extracting(Committed::phase)
                        .containsExactly(
                                PLACED, new Paid(PLACED.items(), "charge-1"), new Packed("charge-1", "pack-2"));
                assertThat(phase(gate, "refunded")).isEqualTo(new Cancelled("not possible", true));
                assertThat(gate.handle("refunded", new Pack(), "pack", PATIENCE))
                        .as("what its event was answered with")
                        .isEqualTo(gate.current("refunded").orElseThrow());
                Answer<Order, Event> no = gate.handle("declined", new Pay("card"), "pay", PATIENCE);
                assertThat(no)
                        .isInstanceOfSatisfying(
                                Declined.class,
                                declined -> assertThat(declined.reason()).isEqualTo("not possible"));
                assertThat(gate.parked()).extracting(OpenAction::id).containsExactly("broken");
                assertThat(world.provider.calls()).isEmpty();

                assertThat(gate.recover()).isEqualTo(1);
                assertThat(phase(gate, "left")).isInstanceOf(Paid.class);
                gate.retry(gate.parked().getFirst().key());
                assertThat(gate.recover()).isEqualTo(1);
                assertThat(phase(gate, "broken")).isInstanceOf(Packed.class);
                assertThat(world.provider.calls())
                        .extracting(Provider.Entry::key)
                        .as("under the keys that the other side knows")
                        .containsExactly("orders/left/1/charge/do/0", "orders/broken/2/pack/do/0");
                OrderWorld.close(process.wire());
            }
        }
    }

    private static Order phase(Gate<Order, Event> gate, String id) {
        return gate.current(id).orElseThrow().phase();
    }

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void timersAndMessagesOfEveryFormAreRead(TestDatabase database) throws Exception {
        for (int form : FORMS) {
            OrderWorld world = new OrderWorld(database);
            Golden.load(database, Golden.pinned("reminders-" + form + ".txt"), world.name);
            Wire wire = new Wire(database.source());
            JdbcPhaseStore<String, String> store = texts(world, wire);
            try (Gate<String, String> gate = reminders(store)) {
                assertThat(store.outbox(10))
                        .extracting(OutboxMessage::id, OutboxMessage::payload)
                        .containsExactly(
                                org.assertj.core.api.Assertions.tuple("one/1", "{\"at\":\"new\"}"),
                                org.assertj.core.api.Assertions.tuple("one/2", "{\"at\":\"waiting\"}"));
                assertThat(gate.recover()).as("not due yet").isZero();
                world.clock.advance(Duration.ofHours(1));
                assertThat(gate.recover()).isEqualTo(1);
                assertThat(gate.current("one")).map(Committed::phase).contains("was late");
                world.clock.advance(Duration.ofDays(1));
                assertThat(gate.recover()).as("the commit took it away").isZero();
            }
            OrderWorld.close(wire);
        }
    }
}

package io.heptad.gate.jdbc;

import io.heptad.contract.gate.Crash;
import io.heptad.contract.gate.Orders;
import io.heptad.contract.gate.Orders.Cancelled;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Placed;
import io.heptad.contract.gate.Provider;
import io.heptad.gate.Committed;
import io.heptad.gate.Gate;
import io.heptad.gate.PhaseStore.ActionRow;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/** What outlives the processes of a test: a database, its clock, and the provider with its ledger. */
final class OrderWorld {
    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration NEVER = Duration.ofSeconds(Long.MAX_VALUE);
    static final Codec CODEC = codec();

    final TestDatabase database;
    final String name = "orders " + UUID.randomUUID();
    final TestClock clock;
    final Provider provider = new Provider();

    OrderWorld(TestDatabase database) {
        this.database = database;
        this.clock = new TestClock(database, name);
    }

    private static Codec codec() {
        ObjectMapper json = new JsonMapper();
        return Codec.builder(json::writeValueAsBytes, json::readValue)
                .type("placed", 1, Orders.Placed.class)
                .type("paid", 1, Orders.Paid.class)
                .type("packed", 1, Orders.Packed.class)
                .type("shipped", 1, Orders.Shipped.class)
                .type("delivered", 1, Orders.Delivered.class)
                .type("cancelled", 1, Orders.Cancelled.class)
                .type("pay", 1, Orders.Pay.class)
                .type("pack", 1, Orders.Pack.class)
                .type("pack failed", 1, Orders.PackFailed.class)
                .type("ship", 1, Orders.Ship.class)
                .type("deliver", 1, Orders.Deliver.class)
                .type("cancel", 1, Orders.Cancel.class)
                .type("charge", 1, Orders.Charge.class)
                .type("parcel", 1, Orders.Parcel.class)
                .type("text", 1, String.class)
                .build();
    }

    /** One process: its connections, and its gate. */
    record Process(Wire wire, JdbcPhaseStore<Order, Event> store, Gate<Order, Event> gate) implements AutoCloseable {
        @Override
        public void close() {
            gate.close();
        }
    }

    /** On the test's clock. */
    JdbcPhaseStore<Order, Event> store(Wire wire) {
        return new JdbcPhaseStore<>(name, new Database(wire), database.dialect().at(clock.expression()), CODEC);
    }

    /** A process that sweeps only when it is told to. */
    Process process() {
        Wire wire = new Wire(database.kept());
        JdbcPhaseStore<Order, Event> store = store(wire);
        return new Process(wire, store, builder(store, where -> {}).build());
    }

    /** A process that dies at a boundary: of a statement, a commit, a connection, or a call. */
    Process process(Crash crash) {
        Wire wire = new Wire(database.kept());
        wire.die();
        wire.fault(crash::pass);
        JdbcPhaseStore<Order, Event> store = store(wire);
        return new Process(wire, store, builder(store, crash).build());
    }

    Gate.Builder<Order, Event> builder(JdbcPhaseStore<Order, Event> store, Provider.Boundary boundary) {
        return Gate.<Order, Event>builder("orders", Orders::next)
                .store(store)
                .action(
                        Orders.CHARGE,
                        attempt -> call(boundary, "charge", attempt.key(), attempt.id()),
                        (attempt, receipt) -> call(boundary, "refund", attempt.key(), attempt.id()))
                .irreversible(Orders.PACK, attempt -> call(boundary, "pack", attempt.key(), attempt.id()))
                .declines(Provider.NoException.class::isInstance)
                .lease(LEASE)
                .backoff(attempt -> Duration.ZERO)
                .sweepEvery(NEVER);
    }

    private String call(Provider.Boundary boundary, String kind, String key, String order) throws Exception {
        boundary.pass("before " + kind);
        String reply = provider.call(kind, key, order);
        boundary.pass("after " + kind);
        return reply;
    }

    /** Whether ledger, store and log say the same of an order with no open action; in sentences where they do not. */
    List<String> disagreements(JdbcPhaseStore<Order, Event> store, String... ids) {
        List<String> found = new ArrayList<>();
        for (String id : ids) {
            Order phase = store.current(id).map(Committed::phase).orElse(null);
            int charges = provider.count("charge", id);
            int refunds = provider.count("refund", id);
            boolean open = store.actions(id).stream().anyMatch(ActionRow::isUnfinished);
            int paid =
                    phase == null || phase instanceof Placed || (phase instanceof Cancelled c && !c.refunded()) ? 0 : 1;
            int back = phase instanceof Cancelled c && c.refunded() ? 1 : 0;
            if (charges > 1 || refunds > charges || (!open && (charges != paid || refunds != back))) {
                found.add(id + " is " + phase + ", but was charged " + charges + " and refunded " + refunds + " times");
            }
            if (phase != null && !store.history(id).getLast().phase().equals(phase)) {
                found.add(id + " is " + phase + ", but its history ends with "
                        + store.history(id).getLast());
            }
        }
        return found;
    }

    static void close(Wire wire) {
        try {
            wire.close();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}

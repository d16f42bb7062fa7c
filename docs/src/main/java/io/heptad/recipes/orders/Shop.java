package io.heptad.recipes.orders;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.heptad.core.Backoff;
import io.heptad.core.FullPolicy;
import io.heptad.gate.Answer;
import io.heptad.gate.Committed;
import io.heptad.gate.Declined;
import io.heptad.gate.Gate;
import io.heptad.gate.Pending;
import io.heptad.gate.jdbc.JdbcPhaseStore;
import io.heptad.pool.Settled;
import io.heptad.pool.WorkerPool;
import io.heptad.recipes.orders.Order.Cancelled;
import io.heptad.recipes.orders.Order.Delivered;
import io.heptad.recipes.orders.Order.Event;
import io.heptad.recipes.orders.Order.Packed;
import io.heptad.recipes.orders.Order.Paid;
import io.heptad.recipes.orders.Order.Placed;
import io.heptad.recipes.orders.Order.Shipped;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;

/**
 * The process that is killed, and the one that goes on: a gate on the database, and clients who bring orders to their ends. It
 * knows nothing of an earlier process; what it needs to know is in the store. What it says on its output is for whoever has
 * started it, and it ends with them.
 */
final class Shop {
    static final String GATE = "orders";

    private static final int CONNECTIONS = 12;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration SWEEP = Duration.ofMillis(250);

    /** What a process is told to do. */
    record Task(String name, String database, URI provider, int items, int clients, Duration lease, boolean watched) {
        List<String> arguments() {
            return List.of(
                    name,
                    database,
                    provider.toString(),
                    Integer.toString(items),
                    Integer.toString(clients),
                    lease.toString(),
                    Boolean.toString(watched));
        }

        static Task of(String... arguments) {
            return new Task(
                    arguments[0],
                    arguments[1],
                    URI.create(arguments[2]),
                    Integer.parseInt(arguments[3]),
                    Integer.parseInt(arguments[4]),
                    Duration.parse(arguments[5]),
                    Boolean.parseBoolean(arguments[6]));
        }
    }

    private final Gate<Order, Event> gate;

    private Shop(Gate<Order, Event> gate) {
        this.gate = gate;
    }

    /**
     * Brings all orders to their ends.
     *
     * @param arguments see {@link Task}
     * @throws Exception if that was not possible
     */
    public static void main(String[] arguments) throws Exception {
        Thread.ofPlatform().daemon().name("parent").start(Shop::endWithWhoeverStartedIt);
        Task task = Task.of(arguments);
        try (RecordingStream flight = task.watched ? takeovers() : null;
                HikariDataSource connections = connections(task.database);
                Partners partners = new Partners(task.provider, task.name);
                Gate<Order, Event> gate = gate(connections, partners, task.lease)) {
            new Shop(gate).bringToTheirEnds(task);
            if (!gate.close(PATIENCE)) {
                throw new IllegalStateException("there are still calls under way: " + gate);
            }
            if (flight != null) {
                boolean ignored = flight.stop(); // once all that was recorded has been said
            }
        }
    }

    /** What the shop tells the gate: which calls must happen, which can be undone, what is a no, and what may be lost. */
    static Gate<Order, Event> gate(DataSource database, Partners partners, Duration lease) {
        // @start region=gate
        return Gate.<Order, Event>builder(GATE, Order::next)
                .store(store(database))
                .action(
                        Order.CHARGE,
                        attempt ->
                                partners.call("charge", attempt, attempt.input().cents()),
                        (attempt, receipt) ->
                                partners.call("refund", attempt, attempt.input().cents()))
                .irreversible(Order.PACK, attempt -> partners.call("pack", attempt, 0))
                .declines(Partners.DeclinedException.class::isInstance)
                .reactions(1_000, FullPolicy.DROP_OLDEST)
                .afterwards("receipt by mail", Paid.class, paid -> partners.mail(paid.id()))
                .lease(lease)
                // @end
                .backoff(Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(1))
                        .withFullJitter())
                .sweepEvery(SWEEP)
                .build();
    }

    static JdbcPhaseStore<Order, Event> store(DataSource database) {
        return JdbcPhaseStore.of(GATE, database, Order.codec());
    }

    private static HikariDataSource connections(String url) {
        HikariConfig config = new HikariConfig();
        config.setPoolName(GATE);
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(CONNECTIONS);
        return new HikariDataSource(config);
    }

    // ---- the clients

    private void bringToTheirEnds(Task task) throws InterruptedException {
        try (WorkerPool clients = WorkerPool.of("clients", task.clients, task.clients, FullPolicy.BLOCK)) {
            clients.forEachSettled(IntStream.rangeClosed(1, task.items).iterator(), this::bringToItsEnd, Shop::tell);
        }
    }

    private static void tell(Settled<Integer, Integer> order) {
        switch (order) {
            case Settled.Succeeded<Integer, Integer> done -> say("finished", Integer.toString(done.item()));
            case Settled.Failed<Integer, Integer> failed ->
                say(
                        "failed",
                        failed.item() + " " + String.valueOf(failed.cause()).replace('\n', ' '));
        }
    }

    // @start region=drive
    /** Takes an order as far as it goes, from wherever it is: nothing of what this asks happens twice. */
    private Integer bringToItsEnd(Integer number) throws InterruptedException {
        String id = Order.id(number);
        Object ignored = gate.create(id, Order.first(number));
        while (true) {
            Order phase = gate.current(id).orElseThrow().phase();
            Answer<Order, Event> answer = switch (phase) {
                case Placed placed -> gate.handle(id, new Order.Pay(), "pay", PATIENCE);
                case Paid paid -> gate.handle(id, new Order.Pack(), "pack", PATIENCE);
                case Packed packed -> gate.handle(id, new Order.Ship("track-" + number), "ship", PATIENCE);
                case Shipped shipped -> gate.handle(id, new Order.Deliver(), "deliver", PATIENCE);
                case Delivered delivered -> null;
                case Cancelled cancelled -> null;
            };
            switch (answer) {
                case null -> {
                    return number;
                }
                case Committed<Order, Event> moved -> {} // and on
                case Declined<Order, Event> no -> ignored = gate.handle(id, new Order.Cancel(no.reason()));
                case Pending<Order, Event> later -> {} // ask again with the same event id
            }
        }
    }
    // @end

    // ---- what is said

    private static void say(String what, String of) {
        System.out.println(what + " " + of);
        System.out.flush();
    }

    /** Flight Recorder knows when an action was taken over, and by which fence. */
    private static RecordingStream takeovers() {
        RecordingStream flight = new RecordingStream();
        flight.enable("io.heptad.GateTakeover");
        flight.onEvent(
                "io.heptad.GateTakeover",
                (RecordedEvent event) -> say(
                        "takeover",
                        event.getStartTime() + " " + event.getLong("fence") + " " + event.getString("key")));
        flight.startAsync();
        return flight;
    }

    private static void endWithWhoeverStartedIt() {
        awaitTheEndOfTheInput();
        Runtime.getRuntime().halt(1);
    }

    /** The input ends when the process at its other end does, however that came. Nothing is ever said there. */
    static void awaitTheEndOfTheInput() {
        try {
            Object ignored = System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException gone) {
            // As good as the end.
        }
    }
}

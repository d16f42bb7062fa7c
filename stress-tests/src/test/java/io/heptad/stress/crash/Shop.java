package io.heptad.stress.crash;

import io.heptad.core.Backoff;
import io.heptad.core.RefusedException;
import io.heptad.gate.Answer;
import io.heptad.gate.Committed;
import io.heptad.gate.Declined;
import io.heptad.gate.Gate;
import io.heptad.gate.IllegalTransitionException;
import io.heptad.gate.jdbc.JdbcPhaseStore;
import io.heptad.gate.jdbc.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** One instance of the shop: a gate on the shared database, and callers who bring orders to their end. */
public final class Shop implements AutoCloseable {
    private static final Duration LEASE = Duration.ofMillis(500);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    final JdbcPhaseStore<Order, Order.Event> store;
    final Gate<Order, Order.Event> gate;

    /**
     * An instance that nobody halts.
     *
     * @param source the shared database
     * @param provider the port of the provider
     */
    public Shop(DataSource source, int provider) {
        this(source, provider, new Points(0), Duration.ofMillis(100));
    }

    Shop(DataSource source, int provider, Points points, Duration sweepEvery) {
        store = JdbcPhaseStore.of("orders", points.watch(source), Order.CODEC);
        gate = Gate.<Order, Order.Event>builder("orders", Order::next)
                .store(store)
                .action(
                        Order.CHARGE,
                        attempt -> call(points, provider, "charge", attempt.key(), attempt.id()),
                        (attempt, receipt) -> call(points, provider, "refund", attempt.key(), attempt.id()))
                .irreversible(Order.PACK, attempt -> call(points, provider, "pack", attempt.key(), attempt.id()))
                .declines(Ledger.NoException.class::isInstance)
                .lease(LEASE)
                .backoff(Backoff.exponential(Duration.ofMillis(10), Duration.ofMillis(100)))
                .sweepEvery(sweepEvery)
                .build();
    }

    private static String call(Points points, int provider, String kind, String key, String order) throws Exception {
        points.pass("before " + kind);
        String reply = Ledger.call(provider, kind, key, order);
        points.pass("after " + kind);
        return reply;
    }

    /**
     * One process of the shop, until it has brought its orders to their ends or is halted: see {@link OrdersCrashTest}.
     *
     * @param args the database, the port of the provider, the point to halt at or 0, and the orders
     * @throws Exception if an order has no answer
     */
    public static void main(String[] args) throws Exception {
        Parent.endWithIt();
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(args[0]);
        Points points = new Points(Integer.parseInt(args[2]));
        try (Shop shop = new Shop(source, Integer.parseInt(args[1]), points, Duration.ofMillis(100))) {
            shop.serve(List.of(args).subList(3, args.length));
        }
        System.out.println("passed " + points.passed());
        System.out.flush();
        Runtime.getRuntime().halt(0); // whatever its threads are at: this is a crash harness
    }

    /** All at once. */
    void serve(List<String> ids) throws Exception {
        List<FutureTask<Void>> callers = new ArrayList<>();
        for (String id : ids) {
            FutureTask<Void> caller = new FutureTask<>(() -> {
                life(id);
                return null;
            });
            callers.add(caller);
            Thread.ofVirtual().start(caller);
        }
        for (FutureTask<Void> caller : callers) {
            caller.get();
        }
    }

    /**
     * From the first phase to the last, as a caller who asks again until he has an answer.
     *
     * @param id the order
     * @throws InterruptedException if this thread is interrupted
     */
    public void life(String id) throws InterruptedException {
        insist(() -> gate.create(id, new Order.Placed("card")));
        Answer<Order, Order.Event> paid = insist(() -> gate.handle(id, new Order.Pay("card"), "pay", PATIENCE));
        if (paid instanceof Declined<Order, Order.Event>) {
            Object ignored = insist(() -> gate.handle(id, new Order.Cancel("poor"), "cancel", PATIENCE));
            return;
        }
        Answer<Order, Order.Event> packed = insist(() -> gate.handle(id, new Order.Pack("slip"), "pack", PATIENCE));
        if (packed instanceof Committed<Order, Order.Event> committed && committed.phase() instanceof Order.Packed) {
            Object ignored = insist(() -> gate.handle(id, new Order.Ship("track"), "ship", PATIENCE));
        }
    }

    private interface Call {
        Answer<Order, Order.Event> call() throws InterruptedException;
    }

    private static Answer<Order, Order.Event> insist(Call call) throws InterruptedException {
        RuntimeException last = null;
        for (int i = 0; i < 100; i++) {
            try {
                Answer<Order, Order.Event> answer = call.call();
                if (answer instanceof Committed || answer instanceof Declined) {
                    return answer;
                }
            } catch (IllegalTransitionException wrong) {
                throw wrong;
            } catch (RefusedException | StoreException again) {
                last = again;
            }
        }
        throw new IllegalStateException("no answer after 100 calls", last);
    }

    @Override
    public void close() {
        gate.close();
    }
}

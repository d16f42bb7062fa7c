package io.heptad.gate;

import io.heptad.contract.gate.ManualClock;
import io.heptad.contract.gate.Orders;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Placed;
import io.heptad.contract.gate.Provider;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;

/** An order's world for one test: a store on a clock that the test moves, a provider, and gates that sweep when told to. */
final class Shop {
    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration NEVER = Duration.ofSeconds(Long.MAX_VALUE);
    static final Duration PATIENCE = Duration.ofSeconds(10);

    final ManualClock clock = new ManualClock();
    final PhaseStore<Order, Event> store = PhaseStore.inMemory(10_000, 100, clock);
    final Provider provider = new Provider();

    Gate.Builder<Order, Event> builder() {
        return bare().action(
                        Orders.CHARGE,
                        attempt -> provider.call("charge", attempt.key(), attempt.id()),
                        (attempt, receipt) -> provider.call("refund", attempt.key(), attempt.id()))
                .irreversible(Orders.PACK, attempt -> provider.call("pack", attempt.key(), attempt.id()));
    }

    /** Without the actions. */
    Gate.Builder<Order, Event> bare() {
        return Gate.<Order, Event>builder("orders", Orders::next)
                .store(store)
                .declines(Provider.NoException.class::isInstance)
                .lease(LEASE)
                .patience(PATIENCE)
                .backoff(attempt -> Duration.ZERO)
                .sweepEvery(NEVER);
    }

    Gate<Order, Event> gate() {
        return builder().build();
    }

    Gate<Order, Event> gateWith(String... ids) {
        Gate<Order, Event> gate = gate();
        place(gate, ids);
        return gate;
    }

    static void place(Gate<Order, Event> gate, String... ids) {
        for (String id : ids) {
            gate.create(id, new Placed(List.of("tea"), 500));
        }
    }

    Order phase(String id) {
        return store.current(id).orElseThrow().phase();
    }

    static <T> FutureTask<T> start(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread.ofVirtual().start(task);
        return task;
    }

    static void await(CountDownLatch latch) {
        try {
            if (!latch.await(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nothing happened for 20 s");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void until(BooleanSupplier condition) {
        Awaitility.await()
                .dontCatchUncaughtExceptions() // what a reaction throws is reported, and no failure of the test
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofSeconds(10))
                .until(condition::getAsBoolean);
    }
}

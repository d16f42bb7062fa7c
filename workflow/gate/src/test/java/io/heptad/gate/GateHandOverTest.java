package io.heptad.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.contract.gate.Orders;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Pack;
import io.heptad.contract.gate.Orders.Packed;
import io.heptad.contract.gate.Orders.Paid;
import io.heptad.contract.gate.Orders.Pay;
import io.heptad.contract.gate.Orders.Placed;
import io.heptad.contract.gate.Provider.Mood;
import io.heptad.core.BusyException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What an action has come to is committed by whoever waits for it; and by the action's own thread where nobody can. */
@Watched
class GateHandOverTest {
    private final Shop shop = new Shop();
    private final Queue<Thread> committing = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable Thread> calling = new AtomicReference<>();

    /** A gate that knows who commits, and calls {@code inCall} in its charge and {@code inCommit} before that is committed. */
    private Gate<Order, Event> gate(Runnable inCall, Runnable inCommit) {
        return gate(inCall, inCommit, () -> {});
    }

    private Gate<Order, Event> gate(Runnable inCall, Runnable inCommit, Runnable afterCommit) {
        PhaseStore<Order, Event> store = FaultyStore.of(
                shop.store,
                (method, arguments) -> {
                    if (method.equals("transact") && calling.get() != null) {
                        committing.add(Thread.currentThread());
                        inCommit.run();
                    }
                },
                (method, arguments) -> {
                    if (method.equals("transact") && calling.get() != null) {
                        afterCommit.run();
                    }
                });
        Gate<Order, Event> gate = shop.bare()
                .store(store)
                .action(
                        Orders.CHARGE,
                        attempt -> {
                            inCall.run();
                            String receipt = shop.provider.call("charge", attempt.key(), attempt.id());
                            calling.set(Thread.currentThread());
                            return receipt;
                        },
                        (attempt, receipt) -> shop.provider.call("refund", attempt.key(), attempt.id()))
                .irreversible(Orders.PACK, attempt -> shop.provider.call("pack", attempt.key(), attempt.id()))
                .build();
        Shop.place(gate, "A");
        return gate;
    }

    @Test
    void whoeverWaitsForItsActionCommitsWhatCameOfIt() throws InterruptedException {
        try (Gate<Order, Event> gate = gate(() -> {}, () -> {})) {
            assertThat(gate.handle("A", new Pay("card"))).isInstanceOf(Committed.class);
            assertThat(committing).containsExactly(Thread.currentThread());
            assertThat(calling.get()).isNotSameAs(Thread.currentThread());
            assertThat(gate.stats().running()).isZero();
            assertThat(gate.stats().transitions()).as("placed, and paid").isEqualTo(2);
        }
    }

    @Test
    void alsoAfterATryThatCameToNothing() throws InterruptedException {
        shop.provider.mood("charge", Mood.LOSES_THE_REPLY);
        try (Gate<Order, Event> gate = gate(() -> {}, () -> {})) {
            assertThat(gate.handle("A", new Pay("card"))).isInstanceOf(Committed.class);
            assertThat(committing).containsExactly(Thread.currentThread());
        }
        assertThat(shop.provider.count("charge", "A")).isEqualTo(1);
    }

    @Test
    void whatTheActionsThreadCommitsIsToldToWhoeverWaitsAtOnce() throws InterruptedException {
        shop.provider.mood("charge", Mood.DECLINES);
        try (Gate<Order, Event> gate = gate(() -> {}, () -> {})) {
            assertThat(gate.handle("A", new Pay("card"), "pay", Shop.NEVER)).isInstanceOf(Declined.class);
        }
    }

    @Test
    void whereNobodyWaitsTheActionsThreadCommits() throws InterruptedException {
        try (Gate<Order, Event> gate = gate(() -> {}, () -> {})) {
            assertThat(gate.handle("A", new Pay("card"), "pay", Duration.ZERO)).isInstanceOf(Pending.class);
            Shop.until(() -> shop.phase("A") instanceof Paid);
            assertThat(committing).containsExactly(calling.get());
        }
    }

    @Test
    void whoeverHasLeftCommitsNothing() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        try (Gate<Order, Event> gate = gate(() -> Shop.await(left), () -> {})) {
            assertThat(gate.handle("A", new Pay("card"), "pay", Duration.ofMillis(1)))
                    .isInstanceOf(Pending.class);
            left.countDown();
            Shop.until(() -> shop.phase("A") instanceof Paid);
            assertThat(committing).containsExactly(calling.get());
        }
    }

    @Test
    void anotherWhoWaitsForItCommitsNothing() throws Exception {
        CountDownLatch both = new CountDownLatch(1);
        CountDownLatch charging = new CountDownLatch(1);
        try (Gate<Order, Event> gate = gate(
                () -> {
                    charging.countDown();
                    Shop.await(both);
                },
                () -> {})) {
            FutureTask<Answer<Order, Event>> first =
                    Shop.start(() -> gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE));
            Shop.await(charging);
            AtomicReference<@Nullable Thread> second = new AtomicReference<>();
            FutureTask<Answer<Order, Event>> same = Shop.start(() -> {
                second.set(Thread.currentThread());
                return gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE);
            });
            Shop.until(() -> second.get() != null && second.get().getState() == Thread.State.TIMED_WAITING);
            both.countDown();
            assertThat(first.get()).isInstanceOf(Committed.class).isEqualTo(same.get());
            assertThat(committing.peek()).isNotNull().isNotSameAs(second.get());
        }
        assertThat(shop.provider.calls()).hasSize(1);
    }

    @Test
    void anInterruptThatEndsTheCallersCommitEndsItsWaitAndTheActionsThreadCommits() throws InterruptedException {
        Thread me = Thread.currentThread();
        try (Gate<Order, Event> gate = gate(() -> {}, () -> {
            if (Thread.currentThread() == me) {
                throw GateHandOverTest.<RuntimeException>unchecked(new InterruptedException());
            }
        })) {
            assertThatThrownBy(() -> gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE))
                    .isInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).as("it was told").isFalse();
            Shop.until(() -> shop.phase("A") instanceof Paid);
            assertThat(committing).hasSize(2).first().isSameAs(me);
            assertThat(committing).last().isNotSameAs(me);
            calling.set(null);
            assertThat(gate.handle("A", new Pay("card"), "pay", Duration.ZERO)).isInstanceOf(Committed.class);
        }
        assertThat(shop.provider.calls()).hasSize(1);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> T unchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Test
    void anInterruptThatComesTooLateToEndTheCommitIsKept() throws InterruptedException {
        Thread me = Thread.currentThread();
        try (Gate<Order, Event> gate = gate(() -> {}, () -> {}, me::interrupt)) {
            assertThat(gate.handle("A", new Pay("card"))).isInstanceOf(Committed.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(committing).containsExactly(me);
        }
    }

    @Test
    void whatTheStoreRefusesTheCallerIsTriedAgainByTheAction() throws InterruptedException {
        Thread me = Thread.currentThread();
        try (Gate<Order, Event> gate = gate(() -> {}, () -> {
            if (Thread.currentThread() == me) {
                throw new UncheckedIOException(new IOException("the store is away"));
            }
        })) {
            assertThat(gate.handle("A", new Pay("card"))).isInstanceOf(Committed.class);
            assertThat(committing).hasSize(2).first().isSameAs(me);
            assertThat(gate.stats().running()).isZero();
            calling.set(null);
            assertThat(gate.handle("A", new Pack()))
                    .isInstanceOfSatisfying(
                            Committed.class,
                            packed -> assertThat(packed.phase()).isInstanceOf(Packed.class));
        }
        assertThat(shop.provider.count("charge", "A")).isEqualTo(1);
    }

    @Test
    void whatASweepOfThisInstanceHasFoundExpiredIsCommittedUnderItsFence() throws InterruptedException {
        Thread me = Thread.currentThread();
        AtomicReference<@Nullable Gate<Order, Event>> sweeping = new AtomicReference<>();
        try (Gate<Order, Event> gate = gate(() -> {}, () -> {
            if (Thread.currentThread() == me) {
                shop.clock.advance(Shop.LEASE);
                try {
                    Integer taken = Shop.start(sweeping.get()::recover).get();
                    assertThat(taken).as("the drive is here, and has its fence").isZero();
                } catch (InterruptedException | ExecutionException e) {
                    throw new AssertionError(e);
                }
            }
        })) {
            sweeping.set(gate);
            assertThat(gate.handle("A", new Pay("card"))).isInstanceOf(Committed.class);
            assertThat(committing).hasSize(2).first().isSameAs(me);
            assertThat(shop.store.actions("A"))
                    .singleElement()
                    .satisfies(row -> assertThat(row.fence()).isEqualTo(2));
        }
        assertThat(shop.provider.calls()).hasSize(1);
    }

    @Test
    void whoeverWaitsIsHeldNoLongerThanASecondByTheCommit() throws InterruptedException {
        Thread me = Thread.currentThread();
        AtomicReference<@Nullable Duration> patience = new AtomicReference<>();
        PhaseStore<Order, Event> store = FaultyStore.of(
                shop.store,
                (method, arguments) -> {
                    if (method.equals("transact") && calling.get() != null && Thread.currentThread() == me) {
                        patience.set((Duration) arguments[1]);
                        throw new BusyException("phase store", "A is with somebody else");
                    }
                },
                (method, arguments) -> {});
        try (Gate<Order, Event> gate = shop.bare()
                .store(store)
                .irreversible(Orders.CHARGE, attempt -> {
                    calling.set(Thread.currentThread());
                    return "receipt";
                })
                .build()) {
            Shop.place(gate, "A");
            Object ignored = gate.handle("A", new Pay("card"), "pay", Duration.ofMillis(500));
            Shop.until(() -> !(shop.phase("A") instanceof Placed));
            assertThat(patience).hasValue(Duration.ofSeconds(1));
        }
    }

    /** Keeps every carrier of virtual threads, so that one that is started now does not begin. */
    private static void keepAllCarriers(AtomicBoolean until) {
        int carriers = Integer.getInteger(
                "jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());
        CountDownLatch kept = new CountDownLatch(carriers);
        for (int i = 0; i < carriers; i++) {
            Thread ignored = Thread.startVirtualThread(() -> {
                kept.countDown();
                while (!until.get()) {
                    Thread.onSpinWait();
                }
            });
        }
        Shop.await(kept);
    }

    @Test
    void aCallerWhoseCommitHasFailedMayAskAgainBeforeTheNextThreadOfTheActionBegins() throws InterruptedException {
        Thread me = Thread.currentThread();
        AtomicBoolean released = new AtomicBoolean();
        AtomicBoolean failed = new AtomicBoolean();
        try (Gate<Order, Event> gate = gate(() -> {}, () -> {
            if (Thread.currentThread() == me && failed.compareAndSet(false, true)) {
                keepAllCarriers(released);
                throw new IllegalStateException("the store is away");
            }
        })) {
            try {
                assertThat(gate.handle("A", new Pay("card"), "pay", Duration.ofMillis(200)))
                        .isInstanceOf(Pending.class);
                assertThat(gate.handle("A", new Pay("card"), "pay", Duration.ZERO))
                        .as("not taken for the action that hands an event to its own entity")
                        .isInstanceOf(Pending.class);
            } finally {
                released.set(true);
            }
            Shop.until(() -> shop.phase("A") instanceof Paid);
        }
        assertThat(shop.provider.count("charge", "A")).isEqualTo(1);
    }
}

package io.heptad.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Paid;
import io.heptad.contract.gate.Orders.Pay;
import io.heptad.contract.gate.Orders.Placed;
import io.heptad.contract.gate.Provider.Mood;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The store is away, answers too late, or has something that nobody can read; and the clock jumps. */
@Watched
class GateStoreFailuresTest {
    private final Shop shop = new Shop();
    private final AtomicInteger transactions = new AtomicInteger();
    private Thread.@Nullable UncaughtExceptionHandler before;

    @BeforeEach
    void whatNobodyCatchesIsQuiet() {
        before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {});
    }

    @AfterEach
    void asItWas() {
        Thread.setDefaultUncaughtExceptionHandler(before);
    }

    private static void down() {
        throw new UncheckedIOException(new java.io.IOException("the store is away"));
    }

    /** A gate whose store is away in some of its transactions, counted from 1: before, or after they were committed. */
    private Gate<Order, Event> gate(IntPredicate before, IntPredicate after) {
        return shop.builder()
                .store(FaultyStore.of(
                        shop.store,
                        (method, arguments) -> {
                            if (method.equals("transact") && before.test(transactions.incrementAndGet())) {
                                down();
                            }
                        },
                        (method, arguments) -> {
                            if (method.equals("transact") && after.test(transactions.get())) {
                                down();
                            }
                        }))
                .build();
    }

    @Test
    void awayBeforeTheIntentIsTheCallersMatterAndNothingHasHappened() throws InterruptedException {
        try (Gate<Order, Event> gate = gate(n -> n == 2, n -> false)) {
            Shop.place(gate, "A");
            assertThatThrownBy(() -> gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("away");
            assertThat(shop.store.actions("A")).isEmpty();
            assertThat(gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE)).isInstanceOf(Committed.class);
        }
        assertThat(shop.provider.calls()).hasSize(1);
    }

    @Test
    void awayRightAfterTheIntentWasCommittedChargesOnce() throws InterruptedException {
        try (Gate<Order, Event> gate = gate(n -> false, n -> n == 2)) {
            Shop.place(gate, "A");
            assertThatThrownBy(() -> gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE))
                    .isInstanceOf(UncheckedIOException.class);
            assertThat(gate.handle("A", new Pay("card"), "pay", Duration.ZERO))
                    .as("it is there, and nobody is at it yet")
                    .isInstanceOf(Pending.class);
            shop.clock.advance(Shop.LEASE);
            assertThat(gate.recover()).isEqualTo(1);
            assertThat(gate.handle("A", new Pay("card"), "pay", Duration.ZERO)).isInstanceOf(Committed.class);
        }
        assertThat(shop.provider.count("charge", "A")).isEqualTo(1);
    }

    @Test
    void awayForLongAfterTheChargeCommitsWhenItIsBack() throws InterruptedException {
        AtomicInteger pauses = new AtomicInteger();
        try (Gate<Order, Event> gate = shop.builder()
                .backoff(attempt -> {
                    pauses.incrementAndGet();
                    return Duration.ofMillis(Math.min(attempt, 5));
                })
                .store(FaultyStore.of(
                        shop.store,
                        (method, arguments) -> {
                            int n = transactions.incrementAndGet();
                            if (n > 2 && n <= 52) {
                                down();
                            }
                        },
                        (method, arguments) -> {}))
                .build()) {
            Shop.place(gate, "A");
            assertThat(gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE)).isInstanceOf(Committed.class);
            assertThat(pauses).as("ten times the longest pause, and more").hasValueGreaterThan(40);
            assertThat(gate.stats().storeFailures()).isEqualTo(50);
        }
        assertThat(shop.provider.calls())
                .as("the outcome is known: nobody asks again")
                .hasSize(1);
    }

    @Test
    void aCommitThatWasCarriedOutThoughItThrewIsNotCarriedOutAgain() throws InterruptedException {
        try (Gate<Order, Event> gate = gate(n -> false, n -> n == 3)) {
            Shop.place(gate, "A");
            Answer<Order, Event> answer = gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE);
            assertThat(answer).isEqualTo(gate.current("A").orElseThrow());
            assertThat(gate.history("A")).hasSize(2);
        }
        assertThat(shop.provider.calls()).hasSize(1);
    }

    @Test
    void aClosedGateLeavesWhatItCannotCommitToAnother() throws InterruptedException {
        AtomicBoolean away = new AtomicBoolean();
        Gate<Order, Event> gate = shop.builder()
                .backoff(attempt -> Duration.ofMinutes(1))
                .store(FaultyStore.of(
                        shop.store,
                        (method, arguments) -> {
                            if (away.get()) {
                                down();
                            }
                        },
                        (method, arguments) -> {
                            away.set(method.equals("transact") && transactions.incrementAndGet() == 2);
                        }))
                .build();
        Shop.place(gate, "A");
        gate.handle("A", new Pay("card"), "pay", Duration.ZERO);
        Shop.until(() -> gate.stats().storeFailures() > 0);
        assertThat(gate.close(Shop.PATIENCE)).isTrue();
        assertThat(shop.phase("A")).isInstanceOf(Placed.class);
        shop.clock.advance(Shop.LEASE);
        try (Gate<Order, Event> another = shop.gate()) {
            assertThat(another.recover()).isEqualTo(1);
        }
        assertThat(shop.phase("A")).isInstanceOf(Paid.class);
        assertThat(shop.provider.count("charge", "A")).isEqualTo(1);
    }

    @Test
    void oneThatCannotBeReadHarmsNoOther() throws InterruptedException {
        shop.provider.mood("charge", Mood.IS_AWAY, Mood.IS_AWAY);
        try (Gate<Order, Event> gate = shop.gateWith("A", "B")) {
            gate.handle("A", new Pay("card"), "pay", Duration.ZERO);
            gate.handle("B", new Pay("card"), "pay", Duration.ZERO);
            Shop.until(() -> gate.stats().running() == 0);
        }
        try (Gate<Order, Event> other = shop.builder()
                .store(FaultyStore.of(
                        shop.store,
                        (method, arguments) -> {
                            if (method.equals("transact") && arguments[0].equals("A")) {
                                throw new UnreadableException("Refund", 7, "A has a Refund of version 7", null);
                            }
                        },
                        (method, arguments) -> {}))
                .build()) {
            other.recover();
            assertThat(shop.phase("B")).isInstanceOf(Paid.class);
            assertThatThrownBy(() -> other.handle("A", new Pay("card")))
                    .isInstanceOf(UnreadableException.class)
                    .hasMessage("A has a Refund of version 7");
            assertThat(shop.store.actions("A").getFirst().isUnfinished()).isTrue();
        }
        shop.clock.advance(Shop.LEASE);
        try (Gate<Order, Event> newer = shop.gate()) {
            assertThat(newer.recover()).isEqualTo(1);
            assertThat(shop.phase("A")).isInstanceOf(Paid.class);
        }
    }

    @Test
    void aSweepOutlivesAStoreThatIsAway() throws InterruptedException {
        AtomicBoolean away = new AtomicBoolean(true);
        shop.provider.mood("charge", Mood.IS_AWAY);
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            gate.handle("A", new Pay("card"), "pay", Duration.ZERO);
            Shop.until(() -> gate.stats().running() == 0);
        }
        try (Gate<Order, Event> gate = shop.builder()
                .sweepEvery(Duration.ofMillis(2))
                .store(FaultyStore.of(
                        shop.store,
                        (method, arguments) -> {
                            if (away.get()) {
                                down();
                            }
                        },
                        (method, arguments) -> {}))
                .build()) {
            Shop.until(() -> gate.stats().sweeps() > 5);
            assertThat(gate.stats().openActions()).as("nobody can say").isZero();
            away.set(false);
            Shop.until(() -> shop.phase("A") instanceof Paid);
        }
    }

    @Test
    void aClockThatJumpsChangesWhenAndNotWhat() throws InterruptedException {
        shop.provider.mood("charge", Mood.LOSES_THE_REPLY);
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            gate.handle("A", new Pay("card"), "pay", Duration.ZERO);
            Shop.until(() -> gate.stats().running() == 0);
            shop.clock.advance(Duration.ofDays(-400));
            assertThat(gate.recover())
                    .as("it waits until the old time has come again")
                    .isZero();
            assertThat(gate.stats().oldestOpenAction()).isZero();
            shop.clock.advance(Duration.ofDays(400).plusHours(1));
            assertThat(gate.recover()).isEqualTo(1);
            assertThat(shop.phase("A")).isInstanceOf(Paid.class);
        }
        assertThat(shop.provider.count("charge", "A")).isEqualTo(1);
    }
}

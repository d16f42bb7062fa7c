package io.heptad.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.contract.gate.Orders;
import io.heptad.contract.gate.Orders.Cancel;
import io.heptad.contract.gate.Orders.Cancelled;
import io.heptad.contract.gate.Orders.Charge;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Pack;
import io.heptad.contract.gate.Orders.Packed;
import io.heptad.contract.gate.Orders.Paid;
import io.heptad.contract.gate.Orders.Pay;
import io.heptad.contract.gate.Orders.Placed;
import io.heptad.contract.gate.Provider;
import io.heptad.contract.gate.Provider.Mood;
import io.heptad.core.BusyException;
import io.heptad.future.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Remote and local actions: unknown outcomes, programming errors, undos, what is parked, and who takes over. */
@Watched
class GateActionsTest {
    private final Shop shop = new Shop();

    private Gate.Builder<Order, Event> charging(Doer<Charge, String> doer) {
        return shop.bare()
                .action(
                        Orders.CHARGE,
                        doer,
                        (attempt, receipt) -> shop.provider.call("refund", attempt.key(), attempt.id()))
                .irreversible(Orders.PACK, attempt -> shop.provider.call("pack", attempt.key(), attempt.id()));
    }

    // ---- unknown

    @Test
    void anUnknownOutcomeIsTriedAgainWithTheSameKeyWhileTheCallerWaits() throws InterruptedException {
        shop.provider.mood("charge", Mood.IS_AWAY, Mood.LOSES_THE_REPLY, Mood.IS_AWAY);
        List<Integer> numbers = new ArrayList<>();
        try (Gate<Order, Event> gate = charging(attempt -> {
                    numbers.add(attempt.number());
                    return shop.provider.call("charge", attempt.key(), attempt.id());
                })
                .build()) {
            Shop.place(gate, "A");
            assertThat(gate.handle("A", new Pay("card"))).isInstanceOf(Committed.class);
            assertThat(gate.stats().unknown()).isEqualTo(3);
            assertThat(gate.stats().calls()).isEqualTo(4);
        }
        assertThat(numbers).containsExactly(1, 2, 3, 4);
        assertThat(shop.provider.calls()).extracting(Provider.Entry::key).containsOnly("orders/A/1/charge/do/0");
        assertThat(shop.provider.count("charge", "A")).isEqualTo(1);
    }

    @Test
    void whenNobodyWaitsTheNextTryIsLeftToASweep() throws InterruptedException {
        shop.provider.mood("charge", Mood.LOSES_THE_REPLY);
        try (Gate<Order, Event> gate =
                shop.builder().backoff(attempt -> Duration.ofMinutes(attempt)).build()) {
            Shop.place(gate, "A");
            assertThat(gate.handle("A", new Pay("card"), "pay", Duration.ZERO)).isInstanceOf(Pending.class);
            Shop.until(() -> gate.stats().running() == 0);
            assertThat(shop.phase("A")).isInstanceOf(Placed.class);
            assertThat(gate.stats().openActions()).isEqualTo(1);
            assertThat(gate.recover()).as("its pause is not over").isZero();
            shop.clock.advance(Duration.ofMinutes(1));
            assertThat(gate.stats().oldestOpenAction()).isEqualTo(Duration.ofMinutes(1));
            assertThat(gate.recover()).isEqualTo(1);
            assertThat(shop.phase("A")).isInstanceOf(Paid.class);
            assertThat(gate.stats().takeovers()).isEqualTo(1);
        }
        assertThat(shop.provider.count("charge", "A")).isEqualTo(1);
    }

    @Test
    void theSweepTakesUpTheNextTryByItself() throws InterruptedException {
        shop.provider.mood("charge", Mood.IS_AWAY, Mood.IS_AWAY);
        try (Gate<Order, Event> gate =
                shop.builder().sweepEvery(Duration.ofMillis(5)).build()) {
            Shop.place(gate, "A");
            gate.handle("A", new Pay("card"), "pay", Duration.ZERO);
            Shop.until(() -> shop.phase("A") instanceof Paid);
            assertThat(gate.stats().sweeps()).isGreaterThanOrEqualTo(1);
        }
    }

    @Test
    void anAttemptTellsWhatItIs() throws InterruptedException {
        AtomicReference<Attempt<Charge>> seen = new AtomicReference<>();
        AtomicReference<Duration> remaining = new AtomicReference<>();
        try (Gate<Order, Event> gate = charging(attempt -> {
                    seen.set(attempt);
                    remaining.set(attempt.remaining());
                    return "receipt";
                })
                .build()) {
            Shop.place(gate, "A");
            gate.handle("A", new Pay("card"));
        }
        assertThat(seen.get().input()).isEqualTo(new Charge("card", 500));
        assertThat(seen.get().id()).isEqualTo("A");
        assertThat(seen.get()).hasToString("attempt 1 of orders/A/1/charge/do/0");
        assertThat(remaining.get()).isBetween(Duration.ofSeconds(1), Shop.LEASE);
    }

    @Test
    void theRequestIsTheOneThatWasWrittenDown() throws InterruptedException {
        List<Charge> inputs = new ArrayList<>();
        shop.provider.mood("charge", Mood.LOSES_THE_REPLY);
        Doer<Charge, String> doer = attempt -> {
            inputs.add(attempt.input());
            return shop.provider.call("charge", attempt.key(), attempt.id());
        };
        try (Gate<Order, Event> gate = charging(doer).build()) {
            Shop.place(gate, "A");
            gate.handle("A", new Pay("card"), "pay", Duration.ZERO);
            Shop.until(() -> gate.stats().running() == 0);
        }
        AtomicInteger price = new AtomicInteger(900);
        try (Gate<Order, Event> dearer = charged(
                        (order, event) -> order instanceof Placed placed && event instanceof Pay pay
                                ? Move.perform(
                                        Orders.CHARGE,
                                        new Charge(pay.card(), price.get()),
                                        receipt -> new Paid(placed.items(), receipt))
                                : Move.illegal(order, event),
                        doer)
                .build()) {
            dearer.recover();
        }
        assertThat(inputs).containsExactly(new Charge("card", 500), new Charge("card", 500));
        assertThat(shop.phase("A")).isInstanceOf(Paid.class);
    }

    private Gate.Builder<Order, Event> charged(Transition<Order, Event> transition, Doer<Charge, String> doer) {
        return Gate.<Order, Event>builder("orders", transition)
                .store(shop.store)
                .action(Orders.CHARGE, doer, (attempt, receipt) -> {})
                .irreversible(Orders.PACK, attempt -> "parcel")
                .sweepEvery(Shop.NEVER)
                .backoff(attempt -> Duration.ZERO);
    }

    // ---- programming errors

    @Test
    void aProgrammingErrorIsTriedSomeTimesAndThenParked() throws InterruptedException {
        AtomicInteger calls = new AtomicInteger();
        try (Gate<Order, Event> gate = charging(attempt -> {
                    calls.incrementAndGet();
                    throw new NullPointerException("no card reader");
                })
                .build()) {
            Shop.place(gate, "A");
            Answer<Order, Event> answer = gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE);
            assertThat(answer).isEqualTo(new Pending<>("orders/A/1/charge/do/0"));
            assertThat(calls).hasValue(Drive.BUGS_MAX);
            assertThat(gate.parked()).singleElement().satisfies(parked -> {
                assertThat(parked.key()).isEqualTo("orders/A/1/charge/do/0");
                assertThat(parked.id()).isEqualTo("A");
                assertThat(parked.action()).isEqualTo("charge");
                assertThat(parked.undo()).isFalse();
                assertThat(parked.event()).contains("Pay[card=card]");
                assertThat(parked.lastError()).contains("no card reader");
                assertThat(parked.attempts()).isEqualTo(Drive.BUGS_MAX - 1);
            });
            assertThat(gate.stats().parkedActions()).isEqualTo(1);
            assertThat(gate.handle("A", new Pay("card"), "pay", Shop.NEVER))
                    .as("nobody waits for a person")
                    .isEqualTo(answer);
            assertThatThrownBy(() -> gate.handle("A", new Cancel("bored")))
                    .isInstanceOf(BusyException.class)
                    .hasMessageContaining("waits for a person")
                    .hasMessageContaining("no card reader");
            shop.clock.advance(Duration.ofDays(1));
            assertThat(gate.recover()).isZero();
        }
    }

    @Test
    void aResultOfAnotherTypeIsAProgrammingError() throws InterruptedException {
        @SuppressWarnings({"unchecked", "rawtypes"})
        Doer<Charge, String> wrong = (Doer) (Doer<Charge, Integer>) attempt -> 7;
        try (Gate<Order, Event> gate = charging(wrong).build()) {
            Shop.place(gate, "A");
            assertThat(gate.handle("A", new Pay("card"))).isInstanceOf(Pending.class);
            assertThat(gate.parked())
                    .singleElement()
                    .satisfies(parked -> assertThat(parked.lastError())
                            .contains("result of action charge must be of java.lang.String, but is 7"));
        }
    }

    @Test
    void whatCannotFollowAKnownResultIsParkedWithTheMoneyTaken() throws InterruptedException {
        AtomicBoolean fixed = new AtomicBoolean();
        try (Gate<Order, Event> gate = charged(
                        (order, event) -> order instanceof Placed placed && event instanceof Pay pay
                                ? Move.perform(Orders.CHARGE, new Charge(pay.card(), 500), receipt -> {
                                    if (fixed.get()) {
                                        return new Paid(placed.items(), receipt);
                                    }
                                    throw new IllegalStateException("cannot make a phase");
                                })
                                : Move.illegal(order, event),
                        attempt -> shop.provider.call("charge", attempt.key(), attempt.id()))
                .build()) {
            Shop.place(gate, "A");
            assertThat(gate.handle("A", new Pay("card"))).isInstanceOf(Pending.class);
            assertThat(gate.parked())
                    .singleElement()
                    .satisfies(parked -> assertThat(parked.lastError()).contains("cannot make a phase"));
            fixed.set(true);
            gate.retry("orders/A/1/charge/do/0");
            assertThat(gate.recover()).isEqualTo(1);
            assertThat(shop.phase("A")).isEqualTo(new Paid(List.of("tea"), "charge-1"));
        }
        assertThat(shop.provider.count("charge", "A")).isEqualTo(1);
    }

    @Test
    void codeThatHasChangedUnderAnOpenActionIsParkedAndNotGuessedAbout() throws InterruptedException {
        shop.provider.mood("charge", Mood.LOSES_THE_REPLY);
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            gate.handle("A", new Pay("card"), "pay", Duration.ZERO);
            Shop.until(() -> gate.stats().running() == 0);
        }
        try (Gate<Order, Event> changed = charged(
                        Move::illegal, attempt -> shop.provider.call("charge", attempt.key(), attempt.id()))
                .build()) {
            changed.recover();
            assertThat(changed.parked())
                    .singleElement()
                    .satisfies(parked -> assertThat(parked.lastError())
                            .contains("does not name charge any more")
                            .contains("Pay[card=card]"));
        }
        assertThat(shop.phase("A")).isInstanceOf(Placed.class);
        try (Gate<Order, Event> back = shop.gate()) {
            back.retry("orders/A/1/charge/do/0");
            back.recover();
            assertThat(shop.phase("A")).isInstanceOf(Paid.class);
        }
        assertThat(shop.provider.count("charge", "A")).isEqualTo(1);
    }

    @Test
    void codeThatNowGoesOnWithoutTheOpenActionIsParkedToo() throws InterruptedException {
        shop.provider.mood("charge", Mood.LOSES_THE_REPLY);
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            gate.handle("A", new Pay("card"), "pay", Duration.ZERO);
            Shop.until(() -> gate.stats().running() == 0);
        }
        try (Gate<Order, Event> changed = charged(
                        (order, event) -> Move.to(new Paid(List.of(), "for nothing")),
                        attempt -> shop.provider.call("charge", attempt.key(), attempt.id()))
                .build()) {
            assertThat(changed.recover()).isEqualTo(1);
            assertThat(changed.parked())
                    .singleElement()
                    .satisfies(parked -> assertThat(parked.lastError()).contains("does not name charge any more"));
        }
        assertThat(shop.phase("A")).isInstanceOf(Placed.class);
    }

    @Test
    void anActionThatIsNotRegisteredAnyMoreIsParked() throws InterruptedException {
        shop.provider.mood("charge", Mood.IS_AWAY);
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            gate.handle("A", new Pay("card"), "pay", Duration.ZERO);
            Shop.until(() -> gate.stats().running() == 0);
        }
        try (Gate<Order, Event> without = shop.bare().build()) {
            without.recover();
            assertThat(without.parked())
                    .singleElement()
                    .satisfies(parked -> assertThat(parked.lastError()).contains("charge is registered"));
        }
    }

    @Test
    void aDeclineThatBecomesAnIllegalEventIsParked() throws InterruptedException {
        shop.provider.mood("pack", Mood.DECLINES);
        try (Gate<Order, Event> gate = Gate.<Order, Event>builder(
                        "orders",
                        (order, event) -> event instanceof Pack
                                ? Move.perform(
                                        Orders.PACK,
                                        new Orders.Parcel(List.of()),
                                        parcel -> new Packed("", parcel),
                                        no -> new Orders.Deliver())
                                : Move.illegal(order, event))
                .store(shop.store)
                .irreversible(Orders.PACK, attempt -> shop.provider.call("pack", attempt.key(), attempt.id()))
                .declines(Provider.NoException.class::isInstance)
                .sweepEvery(Shop.NEVER)
                .build()) {
            Shop.place(gate, "A");
            assertThat(gate.handle("A", new Pack())).isInstanceOf(Pending.class);
            assertThat(gate.parked())
                    .singleElement()
                    .satisfies(parked -> assertThat(parked.lastError())
                            .contains("declined (not possible)")
                            .contains("Deliver"));
        }
    }

    // ---- keys and lookups

    @Test
    void aKeyThatIsTooOldIsNotRepeated() throws InterruptedException {
        shop.provider.mood("charge", Mood.LOSES_THE_REPLY);
        try (Gate<Order, Event> gate =
                shop.builder().keysLast(Duration.ofHours(1)).build()) {
            Shop.place(gate, "A");
            gate.handle("A", new Pay("card"), "pay", Duration.ZERO);
            Shop.until(() -> gate.stats().running() == 0);
            shop.clock.advance(Duration.ofMinutes(61));
            assertThat(gate.recover()).isEqualTo(1);
            assertThat(gate.parked())
                    .singleElement()
                    .satisfies(parked -> assertThat(parked.lastError()).contains("older than PT1H"));
            assertThat(shop.provider.calls()).hasSize(1);
        }
    }

    @Test
    void aLookupIsAskedBeforeACallIsRepeatedAndInsteadOfItWhenTheKeyIsTooOld() throws InterruptedException {
        shop.provider.mood("charge", Mood.LOSES_THE_REPLY);
        List<String> lookups = new ArrayList<>();
        try (Gate<Order, Event> gate = shop.builder()
                .keysLast(Duration.ofHours(1))
                .lookup(Orders.CHARGE, attempt -> {
                    lookups.add(attempt.key());
                    return Optional.of(new Outcome.Success<>("found"));
                })
                .build()) {
            Shop.place(gate, "A", "B");
            gate.handle("A", new Pay("card"), "pay", Duration.ZERO);
            Shop.until(() -> gate.stats().running() == 0);
            shop.clock.advance(Duration.ofDays(3));
            gate.recover();
            assertThat(shop.phase("A")).isEqualTo(new Paid(List.of("tea"), "found"));
            gate.handle("B", new Pay("card"));
            assertThat(lookups).as("not before a first call").containsExactly("orders/A/1/charge/do/0");
        }
        assertThat(shop.provider.calls()).hasSize(2);
    }

    @Test
    void aLookupThatKnowsNothingLetsTheCallBeRepeated() throws InterruptedException {
        shop.provider.mood("charge", Mood.IS_AWAY);
        AtomicInteger lookups = new AtomicInteger();
        try (Gate<Order, Event> gate = shop.builder()
                .lookup(Orders.CHARGE, attempt -> {
                    if (lookups.incrementAndGet() == 1) {
                        throw new Provider.LostException("no connection");
                    }
                    return Optional.empty();
                })
                .build()) {
            Shop.place(gate, "A");
            assertThat(gate.handle("A", new Pay("card"))).isInstanceOf(Committed.class);
        }
        assertThat(lookups).hasValue(2);
        assertThat(shop.provider.calls()).hasSize(2);
    }

    @Test
    void aLookupThatFindsANoIsADefiniteNo() throws InterruptedException {
        shop.provider.mood("charge", Mood.IS_AWAY);
        try (Gate<Order, Event> gate = shop.builder()
                .lookup(Orders.CHARGE, attempt -> Optional.of(new Outcome.Failure<>(new Exception("refused"))))
                .build()) {
            Shop.place(gate, "A");
            assertThat(gate.handle("A", new Pay("card")))
                    .isInstanceOfSatisfying(
                            Declined.class, no -> assertThat(no.reason()).isEqualTo("refused"));
        }
    }

    // ---- undo

    @Test
    void anUndoGetsTheInputAndTheResultOfWhatItUndoes() throws InterruptedException {
        List<Object> seen = new ArrayList<>();
        try (Gate<Order, Event> gate = shop.bare()
                .action(Orders.CHARGE, attempt -> "receipt", (attempt, receipt) -> {
                    seen.add(attempt.input());
                    seen.add(String.valueOf(receipt));
                    seen.add(attempt.key());
                })
                .irreversible(Orders.PACK, attempt -> "parcel")
                .build()) {
            Shop.place(gate, "A");
            gate.handle("A", new Pay("card"));
            gate.handle("A", new Cancel("bored"));
        }
        assertThat(seen).containsExactly(new Charge("card", 500), "receipt", "orders/A/2/charge/undo/0");
        assertThat(shop.phase("A")).isEqualTo(new Cancelled("bored", true));
    }

    @Test
    void anUndoWithNothingToUndoWaitsForAPerson() throws InterruptedException {
        shop.store.transact("A", Shop.PATIENCE, tx -> {
            tx.append(new Committed<>("A", 1, new Paid(List.of(), "by hand"), null, tx.now()));
            return true;
        });
        try (Gate<Order, Event> gate = shop.gate()) {
            assertThat(gate.handle("A", new Cancel("bored"))).isEqualTo(new Pending<>("orders/A/1/charge/undo/0"));
            assertThat(gate.parked())
                    .singleElement()
                    .satisfies(parked -> assertThat(parked.lastError()).contains("no result of charge"));
            gate.resolve("orders/A/1/charge/undo/0", new Outcome.Success<>("paid back in cash"));
            assertThat(shop.phase("A")).isEqualTo(new Cancelled("bored", true));
        }
        assertThat(shop.provider.calls()).isEmpty();
    }

    @Test
    void anUndoIsTriedForAsLongAsItsKeyLastsWhateverItThrows() throws InterruptedException {
        AtomicInteger tries = new AtomicInteger();
        try (Gate<Order, Event> gate = shop.bare()
                .action(Orders.CHARGE, attempt -> "receipt", (attempt, receipt) -> {
                    if (tries.incrementAndGet() < 20) {
                        throw new IllegalArgumentException("a programming error");
                    }
                })
                .irreversible(Orders.PACK, attempt -> "parcel")
                .build()) {
            Shop.place(gate, "A");
            gate.handle("A", new Pay("card"));
            assertThat(gate.handle("A", new Cancel("bored"))).isInstanceOf(Committed.class);
            assertThat(tries).hasValue(20);
        }
    }

    @Test
    void aDefiniteNoToAnUndoWaitsForAPersonAndCanBeTriedAgain() throws InterruptedException {
        shop.provider.mood("refund", Mood.DECLINES_ONCE);
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            gate.handle("A", new Pay("card"));
            assertThat(gate.handle("A", new Cancel("bored"), "cancel", Shop.PATIENCE))
                    .isInstanceOf(Pending.class);
            assertThat(gate.parked()).singleElement().satisfies(parked -> {
                assertThat(parked.undo()).isTrue();
                assertThat(parked.lastError()).isEqualTo("declined: not possible");
            });
            assertThat(shop.phase("A")).isInstanceOf(Paid.class);
            assertThatIllegalStateException()
                    .isThrownBy(() ->
                            gate.resolve("orders/A/2/charge/undo/0", new Outcome.Failure<>(new Exception("never"))))
                    .withMessageContaining("an undo was declined");
            gate.retry("orders/A/2/charge/undo/0");
            assertThat(gate.recover()).isEqualTo(1);
            assertThat(gate.handle("A", new Cancel("bored"), "cancel", Shop.PATIENCE))
                    .isInstanceOf(Committed.class);
        }
        assertThat(shop.provider.count("refund", "A")).isEqualTo(1);
    }

    @Test
    void theThreadOfAnUndoIsNotInterruptedWhateverBecameOfTheCaller() throws Exception {
        CountDownLatch packing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicReference<Boolean> interrupted = new AtomicReference<>();
        AtomicBoolean atTheStore = new AtomicBoolean();
        try (Gate<Order, Event> gate = shop.bare()
                .action(
                        Orders.CHARGE,
                        attempt -> "receipt",
                        (attempt, receipt) ->
                                interrupted.set(Thread.currentThread().isInterrupted()))
                .store(FaultyStore.of(
                        shop.store,
                        (method, arguments) -> {
                            if (method.equals("transact")
                                    && Thread.currentThread().isInterrupted()) {
                                atTheStore.set(true);
                            }
                        },
                        (method, arguments) -> {}))
                .irreversible(Orders.PACK, attempt -> {
                    packing.countDown();
                    Shop.await(goOn);
                    Thread.currentThread().interrupt(); // what careless code leaves behind
                    throw new Provider.NoException("no box");
                })
                .build()) {
            Shop.place(gate, "A");
            gate.handle("A", new Pay("card"));
            Thread caller = Thread.ofVirtual().start(() -> {
                try {
                    gate.handle("A", new Pack());
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            Shop.await(packing);
            caller.interrupt();
            caller.join();
            goOn.countDown();
            Shop.until(() -> shop.phase("A") instanceof Cancelled);
        }
        assertThat(interrupted.get()).isFalse();
        assertThat(atTheStore).as("a driver may close its connection then").isFalse();
    }

    // ---- a person decides

    @Test
    void aPersonSaysThatItHasHappened() throws InterruptedException {
        try (Gate<Order, Event> gate = broken()) {
            gate.resolve("orders/A/1/charge/do/0", new Outcome.Success<>("found in the bank"));
            assertThat(shop.phase("A")).isEqualTo(new Paid(List.of("tea"), "found in the bank"));
            assertThat(gate.parked()).isEmpty();
            assertThat(gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE)).isInstanceOf(Committed.class);
            assertThat(shop.store.actions("A").getFirst().lastError()).isEqualTo("resolved by a person: done");
            assertThatThrownBy(() -> gate.resolve("orders/A/1/charge/do/0", new Outcome.Success<>("again")))
                    .isInstanceOf(NoSuchElementException.class);
        }
    }

    @Test
    void aPersonSaysThatItHasNotHappened() throws InterruptedException {
        try (Gate<Order, Event> gate = broken()) {
            gate.resolve("orders/A/1/charge/do/0", new Outcome.Failure<>(new Exception("no such payment")));
            assertThat(gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE))
                    .isInstanceOfSatisfying(
                            Declined.class, no -> assertThat(no.reason()).isEqualTo("no such payment"));
            assertThat(shop.store.actions("A").getFirst().lastError())
                    .isEqualTo("resolved by a person: declined, no such payment");
        }
    }

    @Test
    void aDeclineByAPersonGoesOnAsAnyOther() throws InterruptedException {
        try (Gate<Order, Event> gate = shop.bare()
                .action(
                        Orders.CHARGE,
                        attempt -> shop.provider.call("charge", attempt.key(), attempt.id()),
                        (attempt, receipt) -> shop.provider.call("refund", attempt.key(), attempt.id()))
                .irreversible(Orders.PACK, attempt -> {
                    throw new UnsupportedOperationException("no packer yet");
                })
                .build()) {
            Shop.place(gate, "A");
            gate.handle("A", new Pay("card"));
            gate.handle("A", new Pack(), "pack", Shop.PATIENCE);
            gate.resolve("orders/A/2/pack/do/0", new Outcome.Failure<>(new Exception("no box")));
            assertThat(gate.handle("A", new Pack(), "pack", Shop.PATIENCE)).isInstanceOf(Committed.class);
            assertThat(shop.phase("A")).isEqualTo(new Cancelled("no box", true));
        }
        assertThat(shop.provider.count("refund", "A")).isEqualTo(1);
    }

    private Gate<Order, Event> broken() throws InterruptedException {
        Gate<Order, Event> gate = charging(attempt -> {
                    throw new UnsupportedOperationException("no card reader yet");
                })
                .build();
        Shop.place(gate, "A");
        gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE);
        return gate;
    }

    @Test
    void refusesADecisionThatCannotBeOne() throws InterruptedException {
        try (Gate<Order, Event> gate = broken()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> gate.resolve("orders/A/1/charge/do/0", new Outcome.Success<>(5)))
                    .withMessageContaining("java.lang.String")
                    .withMessageContaining("5");
            assertThatThrownBy(() -> gate.resolve("nothing", new Outcome.Success<>("")))
                    .isInstanceOf(NoSuchElementException.class)
                    .hasMessageContaining("nothing");
            assertThatThrownBy(() -> gate.retry("nothing")).isInstanceOf(NoSuchElementException.class);
            gate.retry("orders/A/1/charge/do/0");
            assertThatIllegalStateException()
                    .isThrownBy(() -> gate.resolve("orders/A/1/charge/do/0", new Outcome.Success<>("")))
                    .withMessageContaining("is not parked");
            assertThatIllegalStateException().isThrownBy(() -> gate.retry("orders/A/1/charge/do/0"));
        }
    }

    // ---- who is at it

    @Test
    void recoveringDoesNotCallWhatRunsHere() throws Exception {
        CountDownLatch charging = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        try (Gate<Order, Event> gate = charging(attempt -> {
                    calls.incrementAndGet();
                    charging.countDown();
                    Shop.await(goOn);
                    return "receipt";
                })
                .build()) {
            Shop.place(gate, "A");
            FutureTask<Answer<Order, Event>> paying = Shop.start(() -> gate.handle("A", new Pay("card")));
            Shop.await(charging);
            assertThat(gate.recover()).isZero();
            shop.clock.advance(Shop.LEASE.multipliedBy(3)); // no heartbeat has come through
            assertThat(gate.recover()).as("it is this instance's own").isZero();
            assertThat(shop.store.actions("A").getFirst().fence()).isEqualTo(2);
            goOn.countDown();
            assertThat(paying.get()).isInstanceOf(Committed.class);
        }
        assertThat(calls).hasValue(1);
        assertThat(shop.phase("A")).isInstanceOf(Paid.class);
    }

    @Test
    void heartbeatsKeepALongCallFromBeingTakenOver() throws Exception {
        CountDownLatch charging = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicReference<Attempt<Charge>> attempt = new AtomicReference<>();
        PhaseStore<Order, Event> store = PhaseStore.inMemory();
        try (Gate<Order, Event> gate = charging(one -> {
                    attempt.set(one);
                    charging.countDown();
                    Shop.await(goOn);
                    return "receipt";
                })
                .store(store)
                .lease(Duration.ofMillis(60))
                .build()) {
            Shop.place(gate, "A");
            FutureTask<Answer<Order, Event>> paying = Shop.start(() -> gate.handle("A", new Pay("card")));
            Shop.await(charging);
            java.time.Instant first = store.actions("A").getFirst().leaseUntil();
            Shop.until(() -> store.actions("A").getFirst().leaseUntil().isAfter(first.plusMillis(100)));
            assertThat(store.actions("A").getFirst().fence()).isEqualTo(1);
            assertThat(attempt.get().remaining()).isLessThanOrEqualTo(Duration.ofMillis(60));
            goOn.countDown();
            assertThat(paying.get()).isInstanceOf(Committed.class);
        }
    }

    @Test
    void anotherInstanceAnswersWhoWaitsWhereTheHolderWasFrozen() throws Exception {
        CountDownLatch frozen = new CountDownLatch(1);
        CountDownLatch thaw = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        Doer<Charge, String> doer = attempt -> {
            String reply = shop.provider.call("charge", attempt.key(), attempt.id());
            if (calls.incrementAndGet() == 1) {
                frozen.countDown();
                Shop.await(thaw);
            }
            return reply;
        };
        try (Gate<Order, Event> first = charging(doer).build();
                Gate<Order, Event> second = charging(doer).build()) {
            Shop.place(first, "A");
            FutureTask<Answer<Order, Event>> paying = Shop.start(() -> first.handle("A", new Pay("card")));
            Shop.await(frozen);
            shop.clock.advance(Shop.LEASE);
            assertThat(second.recover()).isEqualTo(1);
            assertThat(shop.phase("A")).isInstanceOf(Paid.class);
            thaw.countDown();
            assertThat(paying.get()).isEqualTo(first.current("A").orElseThrow());
        }
        assertThat(shop.provider.count("charge", "A")).isEqualTo(1);
        assertThat(shop.store.history("A")).hasSize(2);
    }

    // ---- local actions

    private static Transition<String, String> stock() {
        Action<Integer, Integer> reserve = Action.named("reserve", Integer.class, Integer.class);
        return (phase, event) -> switch (event) {
            case "reserve" -> Move.perform(reserve, 5, left -> "reserved, left " + left);
            case "try" -> Move.perform(reserve, 5, left -> "reserved, left " + left, no -> "gone " + no.reason());
            default -> event.startsWith("gone") ? Move.to(event) : Move.illegal(phase, event);
        };
    }

    private static Gate<String, String> stockGate(io.heptad.core.Work<Integer, Integer> work) {
        Action<Integer, Integer> reserve = Action.named("reserve", Integer.class, Integer.class);
        Gate<String, String> gate = Gate.<String, String>builder("stock", stock())
                .local(reserve, work)
                .declines(ArithmeticException.class::isInstance)
                .build();
        gate.create("A", "new");
        return gate;
    }

    @Test
    void aLocalActionHappensInTheCommit() throws InterruptedException {
        try (Gate<String, String> gate = stockGate(wanted -> 12 - wanted)) {
            assertThat(gate.handle("A", "reserve")).isInstanceOf(Committed.class);
            assertThat(gate.current("A").orElseThrow().phase()).isEqualTo("reserved, left 7");
            assertThat(gate.stats().calls()).isZero();
        }
    }

    @Test
    void aLocalActionThatThrowsIsTheCallersMatterAndNothingIsCommitted() {
        try (Gate<String, String> gate = stockGate(wanted -> {
            throw new java.io.IOException("disk");
        })) {
            assertThatThrownBy(() -> gate.handle("A", "reserve")).hasRootCauseMessage("disk");
            assertThat(gate.history("A")).hasSize(1);
        }
    }

    @Test
    void aLocalNoIsDeclinedOrBecomesItsEvent() throws InterruptedException {
        try (Gate<String, String> gate = stockGate(wanted -> {
            throw new ArithmeticException("none left");
        })) {
            Answer<String, String> no = gate.handle("A", "reserve", "e1", Shop.PATIENCE);
            assertThat(no)
                    .isInstanceOfSatisfying(
                            Declined.class,
                            declined -> assertThat(declined.reason()).isEqualTo("none left"));
            assertThat(gate.handle("A", "reserve", "e1", Shop.PATIENCE)).isEqualTo(no);
            assertThat(gate.history("A")).hasSize(1);
            assertThat(gate.handle("A", "try")).isInstanceOf(Committed.class);
            assertThat(gate.current("A").orElseThrow().phase()).isEqualTo("gone none left");
        }
    }
}

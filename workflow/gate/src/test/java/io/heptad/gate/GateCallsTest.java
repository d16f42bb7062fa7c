package io.heptad.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.heptad.contract.Watched;
import io.heptad.contract.gate.Orders;
import io.heptad.contract.gate.Orders.Cancel;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Pack;
import io.heptad.contract.gate.Orders.Packed;
import io.heptad.contract.gate.Orders.Paid;
import io.heptad.contract.gate.Orders.Pay;
import io.heptad.contract.gate.Orders.Placed;
import io.heptad.contract.gate.Orders.Ship;
import io.heptad.core.BusyException;
import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Every call of a gate: done, refused, busy, out of patience, interrupted, closed. */
@Watched
class GateCallsTest {
    private final Shop shop = new Shop();
    private final CountDownLatch charging = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    /** A gate whose charge of A waits for {@code goOn}. */
    private Gate<Order, Event> slow() {
        return slow(shop.bare());
    }

    private Gate<Order, Event> slow(Gate.Builder<Order, Event> builder) {
        Gate<Order, Event> gate = builder.action(
                        Orders.CHARGE,
                        attempt -> {
                            if (attempt.id().equals("A")) {
                                charging.countDown();
                                Shop.await(goOn);
                            }
                            return shop.provider.call("charge", attempt.key(), attempt.id());
                        },
                        (attempt, receipt) -> shop.provider.call("refund", attempt.key(), attempt.id()))
                .irreversible(Orders.PACK, attempt -> shop.provider.call("pack", attempt.key(), attempt.id()))
                .build();
        Shop.place(gate, "A");
        return gate;
    }

    private FutureTask<Answer<Order, Event>> paying(Gate<Order, Event> gate, String eventId) {
        FutureTask<Answer<Order, Event>> task =
                Shop.start(() -> gate.handle("A", new Pay("card"), eventId, Shop.PATIENCE));
        Shop.await(charging);
        return task;
    }

    // ---- create

    @Test
    void createIsIdempotentAlsoWhenTheEntityHasMovedOn() throws InterruptedException {
        try (Gate<Order, Event> gate = shop.gate()) {
            Committed<Order, Event> first = gate.create("A", new Placed(List.of("tea"), 500));
            assertThat(gate.create("A", new Placed(List.of("tea"), 500))).isEqualTo(first);
            gate.handle("A", new Pay("card"));
            assertThat(gate.create("A", new Placed(List.of("tea"), 500))).isEqualTo(first);
            assertThat(shop.phase("A")).isInstanceOf(Paid.class);
            assertThat(gate.stats().transitions()).isEqualTo(2);
        }
    }

    @Test
    void createWithAnotherFirstPhaseIsRefused() {
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            assertThatThrownBy(() -> gate.create("A", new Placed(List.of("cocoa"), 900)))
                    .isInstanceOf(KeyReusedException.class)
                    .hasMessageContaining("A")
                    .hasMessageContaining("tea")
                    .hasMessageContaining("cocoa");
            assertThat(shop.phase("A")).isEqualTo(new Placed(List.of("tea"), 500));
        }
    }

    @Test
    void createOfAnInterruptedThreadIsDoneAndTheInterruptKept() {
        try (Gate<Order, Event> gate = shop.gate()) {
            Thread.currentThread().interrupt();
            gate.create("A", new Placed(List.of("tea"), 500));
            assertThat(Thread.interrupted()).isTrue();
            assertThat(gate.current("A")).isPresent();
        }
    }

    // ---- event ids

    @Test
    void aRepeatedEventIdGetsTheFirstAnswer() throws InterruptedException {
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            Answer<Order, Event> paid = gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE);
            gate.handle("A", new Pack(), "pack", Shop.PATIENCE);
            gate.handle("A", new Ship("track"), "ship", Shop.PATIENCE);
            assertThat(gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE)).isEqualTo(paid);
            assertThat(gate.history("A")).hasSize(4);
        }
        assertThat(shop.provider.calls()).hasSize(2);
    }

    @Test
    void anEventIdOfAnotherEventIsRefused() throws InterruptedException {
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE);
            assertThatThrownBy(() -> gate.handle("A", new Pay("another"), "pay", Shop.PATIENCE))
                    .isInstanceOf(KeyReusedException.class)
                    .hasMessageContaining("event id pay")
                    .hasMessageContaining("Pay[card=card]")
                    .hasMessageContaining("Pay[card=another]");
        }
    }

    @Test
    void anEventIdOfAnotherEventIsRefusedWhileItsActionRuns() throws Exception {
        try (Gate<Order, Event> gate = slow()) {
            FutureTask<Answer<Order, Event>> paying = paying(gate, "pay");
            assertThatThrownBy(() -> gate.handle("A", new Pay("another"), "pay", Shop.PATIENCE))
                    .isInstanceOf(KeyReusedException.class);
            goOn.countDown();
            assertThat(paying.get()).isInstanceOf(Committed.class);
        }
    }

    @Test
    void twentyThatHandInOneEventGetOneAnswer() throws Exception {
        try (Gate<Order, Event> gate = slow()) {
            List<FutureTask<Answer<Order, Event>>> callers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                callers.add(Shop.start(() -> gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE)));
            }
            Shop.await(charging);
            goOn.countDown();
            Set<Answer<Order, Event>> answers = new HashSet<>();
            for (FutureTask<Answer<Order, Event>> caller : callers) {
                answers.add(caller.get());
            }
            assertThat(answers)
                    .hasSize(1)
                    .allSatisfy(answer -> assertThat(answer).isInstanceOf(Committed.class));
        }
        assertThat(shop.provider.calls()).hasSize(1);
    }

    @Test
    void anIllegalEventIsNotRememberedUnderItsId() throws InterruptedException {
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            assertThatThrownBy(() -> gate.handle("A", new Pack(), "pack", Shop.PATIENCE))
                    .isInstanceOf(IllegalTransitionException.class);
            gate.handle("A", new Pay("card"));
            assertThat(gate.handle("A", new Pack(), "pack", Shop.PATIENCE)).isInstanceOf(Committed.class);
        }
    }

    // ---- patience

    @Test
    void outOfPatienceWithItsOwnActionIsPending() throws Exception {
        try (Gate<Order, Event> gate = slow()) {
            Answer<Order, Event> answer = gate.handle("A", new Pay("card"), "pay", Duration.ZERO);
            assertThat(answer).isEqualTo(new Pending<>("orders/A/1/charge/do/0"));
            assertThat(gate.handle("A", new Pay("card"), "pay", Duration.ofMillis(20)))
                    .isEqualTo(answer);
            assertThat(gate.stats().pending()).isEqualTo(2);
            assertThat(gate.stats().openActions()).isEqualTo(1);
            assertThat(gate.stats().running()).isEqualTo(1);
            goOn.countDown();
            assertThat(gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE)).isInstanceOf(Committed.class);
            assertThat(gate.stats().openActions()).isZero();
        }
        assertThat(shop.provider.calls()).hasSize(1);
    }

    @Test
    void outOfPatienceWithTheActionOfAnotherIsBusy() throws Exception {
        try (Gate<Order, Event> gate = slow()) {
            FutureTask<Answer<Order, Event>> paying = paying(gate, "pay");
            assertThatThrownBy(() -> gate.handle("A", new Cancel("bored"), "cancel", Duration.ofMillis(20)))
                    .isInstanceOf(BusyException.class)
                    .hasMessageContaining("A")
                    .hasMessageContaining("charge")
                    .hasMessageContaining("Pay[card=card]");
            assertThatThrownBy(() -> gate.handle("A", new Cancel("bored"), "cancel", Duration.ofSeconds(-1)))
                    .isInstanceOf(BusyException.class);
            assertThat(gate.stats().busy()).isEqualTo(2);
            goOn.countDown();
            paying.get();
            assertThat(gate.handle("A", new Pack(), "pack", Shop.PATIENCE)).isInstanceOf(Committed.class);
        }
    }

    @Test
    void withPatienceItWaitsForTheActionOfAnotherAndIsThenJudgedAnew() throws Exception {
        try (Gate<Order, Event> gate = slow()) {
            FutureTask<Answer<Order, Event>> paying = paying(gate, "pay");
            FutureTask<Answer<Order, Event>> packing =
                    Shop.start(() -> gate.handle("A", new Pack(), "pack", Duration.ofSeconds(Long.MAX_VALUE)));
            goOn.countDown();
            paying.get();
            assertThat(packing.get())
                    .isInstanceOfSatisfying(
                            Committed.class,
                            packed -> assertThat(packed.phase()).isInstanceOf(Packed.class));
        }
    }

    @Test
    void anInterruptEndsTheWaitAndNothingElse() throws Exception {
        try (Gate<Order, Event> gate = slow()) {
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Thread payer = Thread.ofVirtual()
                    .start(() ->
                            thrown.set(catchThrowable(() -> gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE))));
            Shop.await(charging);
            payer.interrupt();
            payer.join();
            assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
            assertThat(shop.phase("A")).isInstanceOf(Placed.class);
            goOn.countDown();
            assertThat(gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE)).isInstanceOf(Committed.class);
        }
        assertThat(shop.provider.calls()).hasSize(1);
    }

    @Test
    void aThreadThatIsInterruptedAlreadyHandsNothingIn() {
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> gate.handle("A", new Pay("card"))).isInstanceOf(InterruptedException.class);
            assertThat(gate.history("A")).hasSize(1);
        }
        assertThat(shop.provider.calls()).isEmpty();
    }

    // ---- bounds

    @Test
    void noMoreActionsRunThanMay() throws Exception {
        try (Gate<Order, Event> gate = slow(shop.bare().calls(1))) {
            Shop.place(gate, "B");
            FutureTask<Answer<Order, Event>> paying = paying(gate, "pay");
            assertThatThrownBy(() -> gate.handle("B", new Pay("card"), "pay", Duration.ofMillis(20)))
                    .isInstanceOf(FullException.class)
                    .hasMessageContaining("orders actions")
                    .hasMessageContaining("1");
            assertThat(shop.store.actions("B")).as("no intent was written").isEmpty();
            assertThat(gate.handle("B", new Cancel("bored"), "cancel", Duration.ZERO))
                    .as("what needs no place goes on")
                    .isInstanceOf(Committed.class);
            Shop.place(gate, "C");
            FutureTask<Answer<Order, Event>> next =
                    Shop.start(() -> gate.handle("C", new Pay("card"), "pay", Shop.PATIENCE));
            goOn.countDown();
            assertThat(paying.get()).isInstanceOf(Committed.class);
            assertThat(next.get()).isInstanceOf(Committed.class);
        }
    }

    @Test
    void everyPlaceIsGivenBack() throws InterruptedException {
        try (Gate<Order, Event> gate = shop.builder().calls(1).build()) {
            for (int i = 0; i < 50; i++) {
                String id = "A" + i;
                Shop.place(gate, id, "B" + i);
                assertThatThrownBy(() -> gate.handle(id, new Pack())).isInstanceOf(IllegalTransitionException.class);
                assertThat(gate.handle("B" + i, new Cancel("bored"))).isInstanceOf(Committed.class);
                assertThat(gate.handle(id, new Pay("card"), "pay", Duration.ofSeconds(2)))
                        .isInstanceOf(Committed.class);
                assertThat(gate.handle(id, new Pay("card"), "pay", Duration.ofSeconds(2)))
                        .isInstanceOf(Committed.class);
            }
        }
    }

    // ---- from inside

    @Test
    void anActionThatHandsAnEventToItsOwnEntityIsTold() throws Exception {
        AtomicReference<Throwable> inside = new AtomicReference<>();
        AtomicReference<Gate<Order, Event>> self = new AtomicReference<>();
        try (Gate<Order, Event> gate = shop.bare()
                .action(
                        Orders.CHARGE,
                        attempt -> {
                            inside.set(catchThrowable(() -> self.get().handle("A", new Cancel("bored"))));
                            return "receipt";
                        },
                        (attempt, receipt) -> {})
                .irreversible(Orders.PACK, attempt -> "parcel")
                .build()) {
            self.set(gate);
            Shop.place(gate, "A");
            assertThat(gate.handle("A", new Pay("card"))).isInstanceOf(Committed.class);
            assertThat(inside.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("orders A");
        }
    }

    @Test
    void anActionMayHandAnEventToAnotherEntity() throws InterruptedException {
        AtomicReference<Gate<Order, Event>> self = new AtomicReference<>();
        try (Gate<Order, Event> gate = shop.bare()
                .action(
                        Orders.CHARGE,
                        attempt -> {
                            if (attempt.id().equals("A")) {
                                self.get().handle("B", new Pay("card"));
                            }
                            return "receipt";
                        },
                        (attempt, receipt) -> {})
                .irreversible(Orders.PACK, attempt -> "parcel")
                .build()) {
            self.set(gate);
            Shop.place(gate, "A", "B");
            gate.handle("A", new Pay("card"));
            assertThat(shop.phase("B")).isInstanceOf(Paid.class);
        }
    }

    @Test
    void aTransitionThatHandsAnEventToItsOwnEntityIsTold() {
        AtomicReference<Gate<String, String>> self = new AtomicReference<>();
        try (Gate<String, String> gate = Gate.<String, String>builder("texts", (phase, event) -> {
                    try {
                        self.get().handle("A", "again");
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    return Move.to(event);
                })
                .build()) {
            self.set(gate);
            gate.create("A", "first");
            assertThatIllegalStateException().isThrownBy(() -> gate.handle("A", "on"));
            assertThat(gate.history("A")).hasSize(1);
        }
    }

    // ---- closing

    @Test
    void whatRunsWhenItIsClosedComesToItsEnd() throws Exception {
        Gate<Order, Event> gate = slow();
        FutureTask<Answer<Order, Event>> paying = paying(gate, "pay");
        gate.close();
        assertThatThrownBy(() -> gate.handle("A", new Cancel("bored"))).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> gate.create("B", new Placed(List.of(), 0))).isInstanceOf(ClosedException.class);
        assertThatThrownBy(gate::recover).isInstanceOf(ClosedException.class);
        assertThat(gate.close(Duration.ofMillis(5))).isFalse();
        assertThat(gate.close(Duration.ZERO)).isFalse();
        goOn.countDown();
        assertThat(paying.get()).isInstanceOf(Committed.class);
        assertThat(gate.close(Shop.PATIENCE)).isTrue();
        assertThat(shop.phase("A")).isInstanceOf(Paid.class);
        assertThat(gate.current("A")).as("looking is still allowed").isPresent();
        gate.close();
    }

    @Test
    void itMayBeClosedFromInsideOfItsOwnAction() throws InterruptedException {
        AtomicReference<Gate<Order, Event>> self = new AtomicReference<>();
        AtomicReference<Object> answer = new AtomicReference<>();
        Gate<Order, Event> gate = shop.bare()
                .action(
                        Orders.CHARGE,
                        attempt -> {
                            answer.set(self.get().close(Shop.PATIENCE));
                            return "receipt";
                        },
                        (attempt, receipt) -> {})
                .irreversible(Orders.PACK, attempt -> "parcel")
                .build();
        self.set(gate);
        Shop.place(gate, "A");
        assertThat(gate.handle("A", new Pay("card"))).isInstanceOf(Committed.class);
        assertThat(answer.get()).isEqualTo(false);
        assertThat(gate.close(Shop.PATIENCE)).isTrue();
    }

    @Test
    void whoWaitsForTheActionOfAnotherIsToldThatItIsClosed() throws Exception {
        Gate<Order, Event> gate = slow();
        FutureTask<Answer<Order, Event>> paying = paying(gate, "pay");
        FutureTask<Answer<Order, Event>> waiting =
                Shop.start(() -> gate.handle("A", new Cancel("bored"), "cancel", Shop.PATIENCE));
        gate.close();
        goOn.countDown();
        paying.get();
        assertThatThrownBy(waiting::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfAny(ClosedException.class);
    }

    @Test
    void leavesNoThreadBehind() throws InterruptedException {
        Gate<Order, Event> gate =
                shop.builder().sweepEvery(Duration.ofMillis(1)).build();
        Shop.place(gate, "A");
        gate.handle("A", new Pay("card"));
        gate.close();
        Shop.until(() -> io.heptad.contract.Threads.dump().lines().noneMatch(line -> line.contains("\"orders ")));
    }

    // ---- what is refused

    @Test
    void refusesWhatCannotBeAnEvent() {
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> gate.handle(" ", new Pay("card")))
                    .withMessageContaining("id must not be blank");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> gate.handle("A", new Pay("card"), "", Shop.PATIENCE))
                    .withMessageContaining("eventId must not be blank");
            assertThatNullPointerException()
                    .isThrownBy(() -> gate.handle("A", null))
                    .withMessageContaining("event");
            assertThatNullPointerException().isThrownBy(() -> gate.handle(null, new Pay("card")));
            assertThatNullPointerException().isThrownBy(() -> gate.handle("A", new Pay("card"), "pay", null));
            assertThatNullPointerException()
                    .isThrownBy(() -> gate.create("B", null))
                    .withMessageContaining("first");
            assertThat(gate.current("nobody")).isEmpty();
            assertThat(gate.history("nobody")).isEmpty();
            assertThatThrownBy(() -> gate.handle("nobody", new Pay("card")))
                    .isInstanceOfSatisfying(
                            NoSuchEntityException.class,
                            no -> assertThat(no.id()).isEqualTo("nobody"))
                    .hasMessageContaining("orders has no nobody");
        }
    }

    @Test
    void aTransitionThatThrowsIsTheCallersMatterAndNothingHasHappened() {
        AtomicInteger calls = new AtomicInteger();
        try (Gate<String, String> gate = Gate.<String, String>builder("texts", (phase, event) -> {
                    calls.incrementAndGet();
                    if (event.equals("null")) {
                        return null;
                    }
                    throw new ArithmeticException("broken");
                })
                .build()) {
            gate.create("A", "first");
            assertThatThrownBy(() -> gate.handle("A", "on"))
                    .isInstanceOf(ArithmeticException.class)
                    .hasMessage("broken");
            assertThatNullPointerException()
                    .isThrownBy(() -> gate.handle("A", "null"))
                    .withMessageContaining("the transition gave null");
            assertThat(calls).hasValue(2);
            assertThat(gate.history("A")).hasSize(1);
        }
    }
}

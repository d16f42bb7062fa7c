package io.heptad.actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.Metric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What keyed actors promise about order, bounds and figures. */
@Watched
class KeyedActorsTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final List<Note.Hold> holds = new ArrayList<>();
    private final List<Note> dead = new ArrayList<>();
    private final ManualTime time = new ManualTime();
    private KeyedActors<String, Note> rooms;

    private KeyedActors.Builder<String, List<Integer>, Note> builder(int perKey, int total, FullPolicy whenFull) {
        return KeyedActors.named("rooms", String.class, Note.class)
                .mailbox(perKey, whenFull)
                .totalQueued(total)
                .state(key -> List.<Integer>of(), Note::handle)
                .deadLetters(dead::add)
                .ticker(time);
    }

    private void open(int perKey, int total, FullPolicy whenFull) {
        rooms = builder(perKey, total, whenFull).start();
    }

    private Note.Hold hold(String key) throws InterruptedException {
        Note.Hold hold = Note.hold(rooms, key);
        holds.add(hold);
        return hold;
    }

    private void fill(String key, int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            assertThat(rooms.send(key, new Note.Put(i))).isTrue();
        }
    }

    private List<Integer> read(String key) throws Exception {
        return rooms.<List<Integer>>call(key, Note.Read::new, LONG);
    }

    @AfterEach
    void end() throws InterruptedException {
        holds.forEach(Note.Hold::release);
        if (rooms != null) {
            assertThat(rooms.close(LONG)).isTrue();
        }
    }

    // Order, and one at a time

    @Test
    void handlesTheMessagesOfEachKeyOneAtATimeAndThoseOfEachSenderInOrder() throws Exception {
        record Step(int sender, int number) {}
        Map<String, AtomicInteger> inside = new ConcurrentHashMap<>();
        Map<String, List<Step>> seen = new ConcurrentHashMap<>();
        AtomicInteger overlaps = new AtomicInteger();
        List<String> keys = List.of("a", "b", "c", "d");
        try (KeyedActors<String, Step> actors = KeyedActors.named("steps", String.class, Step.class)
                .mailbox(16, FullPolicy.BLOCK)
                .totalQueued(40)
                .state(key -> key, (Behavior<String, Step>) (key, step, context) -> {
                    AtomicInteger now = inside.computeIfAbsent(key, k -> new AtomicInteger());
                    if (now.incrementAndGet() != 1) {
                        overlaps.incrementAndGet();
                    }
                    seen.computeIfAbsent(key, k -> new ArrayList<>()).add(step);
                    now.decrementAndGet();
                    return key;
                })
                .start()) {
            List<Sent<Integer>> senders = new ArrayList<>();
            for (int sender = 0; sender < 4; sender++) {
                int me = sender;
                senders.add(Sent.of(() -> {
                    for (int i = 0; i < 1_000; i++) {
                        for (String key : keys) {
                            actors.send(key, new Step(me, i));
                        }
                    }
                    return me;
                }));
            }
            for (Sent<Integer> sender : senders) {
                sender.value();
            }
            assertThat(actors.close(LONG)).isTrue();
        }

        assertThat(overlaps).hasValue(0);
        for (String key : keys) {
            assertThat(seen.get(key)).hasSize(4_000);
            for (int sender = 0; sender < 4; sender++) {
                int me = sender;
                assertThat(seen.get(key).stream()
                                .filter(step -> step.sender() == me)
                                .map(Step::number))
                        .containsExactlyElementsOf(
                                IntStream.range(0, 1_000).boxed().toList());
            }
        }
    }

    @Test
    void losesNoDepositOfEightSendersToOneKey() throws Exception {
        try (KeyedActors<String, Integer> accounts = KeyedActors.named("accounts", String.class, Integer.class)
                .mailbox(100, FullPolicy.BLOCK)
                .totalQueued(100)
                .state(key -> 0, (Behavior<Integer, Integer>) (balance, amount, context) -> balance + amount)
                .onPassivate((key, balance) -> assertThat(balance).isEqualTo(80_000))
                .start()) {
            List<Sent<Boolean>> senders = IntStream.range(0, 8)
                    .mapToObj(i -> Sent.of(() -> {
                        for (int n = 0; n < 10_000; n++) {
                            accounts.send("one", 1);
                        }
                        return true;
                    }))
                    .toList();
            for (Sent<Boolean> sender : senders) {
                sender.value();
            }
            assertThat(accounts.close(LONG)).isTrue();
            assertThat(accounts.stats().handled()).isEqualTo(80_000);
            assertThat(accounts.stats().passivated()).isEqualTo(1);
        }
    }

    @Test
    void keysRunSideBySide() throws Exception {
        open(4, 16, FullPolicy.REJECT);
        for (String key : List.of("a", "b", "c", "d")) {
            hold(key); // returns when that one is held
        }
        assertThat(rooms.stats().live()).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource
    void aKeyThatIsHeldWithAFullMailboxDelaysNoOther(FullPolicy whenFull) throws Exception {
        open(40, 100, whenFull);
        hold("a");
        fill("a", 40);
        assertThat(rooms.depth("a")).isEqualTo(40);
        Sent<Boolean> more =
                whenFull == FullPolicy.BLOCK ? Sent.waiting(() -> rooms.send("a", new Note.Put(40))) : null;

        for (int i = 0; i < 1_000; i++) {
            assertThat(rooms.send("b", new Note.Put(i), LONG)).isTrue();
            if (i % 20 == 19) {
                Note.until().until(() -> rooms.depth("b") == 0);
            }
        }

        assertThat(read("b")).hasSize(1_000);
        assertThat(rooms.depth("a")).isEqualTo(40);
        holds.get(0).release();
        Note.until().until(() -> rooms.depth("a") == 0);
        assertThat(read("a")).hasSize(more == null ? 40 : 41);
    }

    @Test
    void aHeldKeyTakesOneThreadOfAnExecutorHoweverMuchWaitsForIt() throws Exception {
        try (ExecutorService two = Executors.newFixedThreadPool(2)) {
            rooms = builder(200, 1_000, FullPolicy.REJECT).executor(two).start();
            hold("a");
            fill("a", 200);
            for (int i = 0; i < 1_000; i++) {
                int now = i;
                Note.until().until(() -> rooms.offer("b", new Note.Put(now)));
            }
            assertThat(read("b")).hasSize(1_000);
            holds.get(0).release();
            Note.until().until(() -> rooms.depth("a") == 0);
            assertThat(read("a")).hasSize(200);
            assertThat(rooms.close(LONG)).isTrue();
        }
    }

    // Bounds

    @Test
    void aKeyThatFloodsIsRefusedAndNoOtherIs() throws Exception {
        open(10, 30, FullPolicy.REJECT);
        hold("flood");
        fill("flood", 10);
        hold("calm");

        int refused = 0;
        for (int i = 0; i < 1_000; i++) {
            FullException full = catchThrowableOfType(FullException.class, () -> rooms.send("flood", new Note.Put(0)));
            assertThat(full.capacity()).isEqualTo(10);
            assertThat(full).hasMessageContaining("rooms").hasMessageContaining("for key flood");
            refused++;
        }

        fill("calm", 10);
        assertThat(rooms.depth()).isEqualTo(20);
        assertThat(rooms.stats().rejected()).isEqualTo(refused);
    }

    @Test
    void allKeysTogetherAreBoundedToo() throws Exception {
        open(10, 15, FullPolicy.REJECT);
        hold("a");
        hold("b");
        fill("a", 10);
        fill("b", 5);

        FullException full = catchThrowableOfType(FullException.class, () -> rooms.send("b", new Note.Put(0)));
        assertThat(full.capacity()).isEqualTo(15);
        assertThat(full.depth()).isEqualTo(15);
        assertThat(full).hasMessageContaining("for all keys");
        assertThatThrownBy(() -> rooms.send("c", new Note.Put(0))).isInstanceOf(FullException.class);
        assertThat(rooms.stats().keys()).as("a refused key leaves nothing").isEqualTo(2);
        assertThat(rooms.depth()).isEqualTo(15);

        holds.get(0).release();
        Note.until().until(() -> rooms.depth("a") == 0);
        assertThat(rooms.send("c", new Note.Put(7))).isTrue();
        assertThat(read("c")).containsExactly(7);
    }

    @Test
    void aRefusalSaysWhenToComeBackByWhatHasLeftOfAllKeys() throws Exception {
        open(10, 2, FullPolicy.REJECT);
        hold("a"); // one that has left
        fill("a", 2);
        time.advance(Duration.ofSeconds(1));

        FullException full = catchThrowableOfType(FullException.class, () -> rooms.send("b", new Note.Put(0)));
        assertThat(full.retryAfter()).hasValue(Duration.ofSeconds(2));
    }

    @Test
    void aSenderWaitsForItsKeyAndNotForAnother() throws Exception {
        open(2, 10, FullPolicy.BLOCK);
        hold("a");
        fill("a", 2);
        Sent<Boolean> third = Sent.waiting(() -> rooms.send("a", new Note.Put(2)));
        Sent<Boolean> fourth = Sent.waiting(() -> rooms.send("a", new Note.Put(3)));
        assertThat(rooms.stats().waitingSenders()).isEqualTo(2);
        assertThat(rooms.depth()).as("who waits is not inside").isEqualTo(2);

        assertThat(rooms.send("b", new Note.Put(0))).isTrue();
        assertThat(rooms.send("a", new Note.Put(9), Duration.ofMillis(1)))
                .as("in no time")
                .isFalse();
        assertThat(rooms.send("a", new Note.Put(9), Duration.ZERO)).isFalse();
        assertThat(rooms.offer("a", new Note.Put(9))).as("others wait").isFalse();

        holds.get(0).release();
        assertThat(third.value()).isTrue();
        assertThat(fourth.value()).isTrue();
        assertThat(read("a")).containsExactly(0, 1, 2, 3);
        assertThat(rooms.stats().timedOut()).isEqualTo(2);
        assertThat(rooms.stats().rejected()).isEqualTo(1);
    }

    @Test
    void whoDoesNotWaitIsToldThatThereIsNoRoomAndNotThatItIsClosed() throws Exception {
        open(2, 3, FullPolicy.BLOCK);
        hold("a");
        hold("b");
        fill("a", 2);
        fill("b", 1);

        assertThat(rooms.send("a", new Note.Put(9), Duration.ZERO)).isFalse();
        assertThat(rooms.send("b", new Note.Put(9), Duration.ZERO))
                .as("all keys")
                .isFalse();
        assertThat(rooms.stats().timedOut()).isEqualTo(2);
        assertThat(rooms.stats().rejected()).isZero();
        rooms.close();
        assertThatThrownBy(() -> rooms.send("b", new Note.Put(9), Duration.ZERO))
                .isInstanceOf(ClosedException.class);
    }

    @Test
    void theAgeOfAMessageThatHadToWaitForRoomBeginsWhenItIsLetIn() throws Exception {
        open(1, 10, FullPolicy.BLOCK);
        Note.Hold first = hold("a");
        Note.Hold second = new Note.Hold();
        holds.add(second);
        assertThat(rooms.send("a", second)).isTrue();
        Sent<Boolean> waits = Sent.waiting(() -> rooms.send("a", new Note.Put(1)));
        time.advance(Duration.ofSeconds(3));
        first.release();
        assertThat(waits.value()).isTrue();

        assertThat(rooms.depth("a")).isEqualTo(1);
        assertThat(rooms.oldestAge("a")).isZero();
    }

    @Test
    void sendersOfOneKeyAreLetInInTheirOrder() throws Exception {
        open(1, 10, FullPolicy.BLOCK);
        hold("a");
        fill("a", 1);
        List<Sent<Boolean>> waiting = new ArrayList<>();
        for (int i = 1; i <= 20; i++) {
            int number = i;
            int before = i - 1;
            waiting.add(Sent.of(() -> rooms.send("a", new Note.Put(number))));
            Note.until().until(() -> rooms.stats().waitingSenders() == before + 1);
        }
        holds.get(0).release();
        for (Sent<Boolean> sender : waiting) {
            assertThat(sender.value()).isTrue();
        }
        assertThat(read("a")).isEqualTo(IntStream.rangeClosed(0, 20).boxed().toList());
    }

    @Test
    void aSenderThatWaitsForTheBoundOverAllIsLetInWhenAnotherKeyMakesRoom() throws Exception {
        open(10, 2, FullPolicy.BLOCK);
        hold("a");
        fill("a", 2);
        Sent<Boolean> other = Sent.waiting(() -> rooms.send("b", new Note.Put(0)));
        assertThat(rooms.depth("b")).as("it waits, and is not inside").isZero();
        assertThat(rooms.depth()).isEqualTo(2);
        assertThat(rooms.stats().waitingSenders()).isEqualTo(1);

        holds.get(0).release();
        assertThat(other.value()).isTrue();
        assertThat(read("b")).containsExactly(0);
        assertThat(rooms.stats().waitingSenders()).isZero();
    }

    @Test
    void sendersOfDifferentKeysAreServedInTheirOrderWhenAllTogetherAreFull() throws Exception {
        open(10, 1, FullPolicy.BLOCK);
        hold("a");
        fill("a", 1);
        ConcurrentLinkedQueue<Integer> order = new ConcurrentLinkedQueue<>();
        List<Sent<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            int number = i;
            waiting.add(Sent.of(() -> rooms.send("k" + number % 4, new Note.Do(context -> order.add(number)))));
            Note.until().until(() -> rooms.stats().waitingSenders() == number + 1);
        }
        holds.get(0).release();
        for (Sent<Boolean> sender : waiting) {
            sender.value();
        }
        Note.until().until(() -> order.size() == 12);
        for (int key = 0; key < 4; key++) {
            int mine = key;
            assertThat(order.stream().filter(number -> number % 4 == mine)).isSorted();
        }
        assertThat(rooms.depth()).isZero();
    }

    @Test
    void aSenderThatGivesUpLeavesItsPlaceToTheNext() throws Exception {
        for (int total : List.of(100, 2)) { // at the door of its key; in the line for all keys
            open(total == 100 ? 2 : 100, total, FullPolicy.BLOCK);
            Note.Hold held = hold("a");
            fill("a", 2);
            Sent<Boolean> interrupted = Sent.waiting(() -> rooms.send("a", new Note.Put(2)));
            Sent<Boolean> late = Sent.of(() -> rooms.send("a", new Note.Put(3), Duration.ofMillis(20)));
            Note.until().until(() -> rooms.stats().waitingSenders() == 2 || late.isOver());
            Sent<Boolean> patient = Sent.of(() -> rooms.send("a", new Note.Put(4)));
            Note.until()
                    .until(() -> rooms.stats().timedOut() == 1 && rooms.stats().waitingSenders() == 2);

            interrupted.interrupt();

            assertThat(interrupted.failure()).isInstanceOf(InterruptedException.class);
            assertThat(late.value()).isFalse();
            Note.until().until(() -> rooms.stats().waitingSenders() == 1);
            held.release();
            assertThat(patient.value()).isTrue();
            assertThat(read("a")).containsExactly(0, 1, 4);
            assertThat(rooms.close(LONG)).isTrue();
        }
    }

    @Test
    void anInterruptedSenderToANewKeyLeavesNoTraceOfThatKey() throws Exception {
        open(10, 1, FullPolicy.BLOCK);
        hold("a");
        fill("a", 1);
        Sent<Boolean> sender = Sent.waiting(() -> rooms.send("new", new Note.Put(0)));
        assertThat(rooms.stats().keys()).isEqualTo(2);

        sender.interrupt();

        assertThat(sender.failure()).isInstanceOf(InterruptedException.class);
        assertThat(rooms.stats().keys()).isEqualTo(1);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> rooms.send("new", new Note.Put(0))).isInstanceOf(InterruptedException.class);
        assertThat(rooms.stats().keys()).isEqualTo(1);
    }

    @Test
    void aFullKeyDropsItsOwnOldest() throws Exception {
        open(2, 10, FullPolicy.DROP_OLDEST);
        hold("a");
        hold("b");
        fill("a", 2);
        fill("b", 2);

        assertThat(rooms.send("a", new Note.Put(2))).isTrue();

        assertThat(dead).containsExactly(new Note.Put(0));
        assertThat(rooms.depth("a")).isEqualTo(2);
        assertThat(rooms.depth("b")).isEqualTo(2);
        holds.forEach(Note.Hold::release);
        Note.until().until(() -> rooms.depth() == 0);
        assertThat(read("a")).containsExactly(1, 2);
        assertThat(read("b")).containsExactly(0, 1);
    }

    @Test
    void whereAllAreFullAKeyWithoutMessagesTakesTheRoomOfOneThatHasMost() throws Exception {
        open(10, 5, FullPolicy.DROP_OLDEST);
        hold("most");
        hold("few");
        hold("none");
        fill("few", 1);
        fill("most", 4);

        assertThat(rooms.send("none", new Note.Put(9))).isTrue();
        assertThat(rooms.send("new", new Note.Put(8))).isTrue();

        Note.until().until(() -> rooms.depth("new") == 0);
        assertThat(dead).containsExactly(new Note.Put(0), new Note.Put(1));
        assertThat(rooms.depth("most")).isEqualTo(2);
        assertThat(rooms.depth("few")).isEqualTo(1);
        assertThat(rooms.depth("none")).isEqualTo(1);
        assertThat(rooms.stats().evicted()).isEqualTo(2);
    }

    @Test
    void whatIsDroppedOnArrivalIsCountedAndIsADeadLetter() throws Exception {
        open(1, 10, FullPolicy.DROP_NEWEST);
        hold("a");
        fill("a", 1);

        assertThat(rooms.send("a", new Note.Put(1))).isFalse();

        assertThat(dead).containsExactly(new Note.Put(1));
        assertThat(rooms.stats().droppedNewest()).isEqualTo(1);
    }

    // Questions

    @Test
    void twoHundredBuyersSeeTheirPlaceInLineAndAreServedInThatOrder() throws Exception {
        open(200, 1_000, FullPolicy.REJECT);
        hold("event");
        List<CompletableFuture<Integer>> buyers = new ArrayList<>();
        AtomicInteger served = new AtomicInteger();
        for (int i = 0; i < 200; i++) {
            buyers.add(rooms.ask("event", reply -> new Note.Do(context -> reply.ok(served.incrementAndGet())), LONG));
        }

        for (int i = 0; i < 200; i++) {
            assertThat(rooms.position("event", buyers.get(i))).hasValue(i + 1);
            assertThat(rooms.position("other", buyers.get(i))).isEmpty();
        }
        buyers.get(4).cancel(false);
        assertThat(rooms.position("event", buyers.get(4))).isEmpty();
        assertThat(rooms.position("event", buyers.get(5))).as("it has moved up").hasValue(5);
        assertThat(rooms.position("event", new CompletableFuture<>())).isEqualTo(OptionalInt.empty());

        holds.get(0).release();
        buyers.remove(4);
        for (int i = 0; i < buyers.size(); i++) {
            assertThat(buyers.get(i).get(10, TimeUnit.SECONDS)).isEqualTo(i + 1);
        }
        assertThat(rooms.position("event", buyers.get(0))).isEmpty();
    }

    @Test
    void anAskThatEndsInLineMakesRoomAtOnce() throws Exception {
        open(1, 1, FullPolicy.BLOCK);
        hold("a");
        CompletableFuture<List<Integer>> ask = rooms.ask("a", Note.Read::new, LONG);
        assertThat(rooms.depth()).isEqualTo(1);
        Sent<Boolean> waits = Sent.waiting(() -> rooms.send("a", new Note.Put(1)));

        ask.cancel(true);

        assertThat(waits.value()).isTrue();
        assertThat(rooms.stats().expired()).isEqualTo(1);
        assertThat(rooms.stats().pendingAsks()).isZero();
        holds.get(0).release();
        assertThat(read("a")).containsExactly(1);
    }

    @Test
    void anAskThatTimesOutLeavesNothingBehind() throws Exception {
        rooms = builder(10, 10, FullPolicy.REJECT).ticker(System::nanoTime).start();
        hold("a");
        CompletableFuture<List<Integer>> late = rooms.ask("a", Note.Read::new, Duration.ofMillis(5));

        assertThat(failure(late)).isInstanceOf(TimeoutException.class).hasMessageContaining("rooms");
        Note.until().until(() -> rooms.depth() == 0 && rooms.stats().pendingAsks() == 0);
        assertThatThrownBy(() -> rooms.<List<Integer>>call("a", Note.Read::new, Duration.ofMillis(5)))
                .isInstanceOf(TimeoutException.class);
        assertThat(rooms.depth()).isZero();
        assertThat(failure(rooms.ask("a", Note.Read::new, Duration.ZERO))).isInstanceOf(TimeoutException.class);
        assertThat(rooms.stats().expired()).isEqualTo(2);
    }

    @Test
    void asksNeverWaitAndCallsWaitForRoomWithinTheirTime() throws Exception {
        open(1, 10, FullPolicy.BLOCK);
        Note.Hold held = hold("a");
        fill("a", 1);

        assertThat(failure(rooms.ask("a", Note.Read::new, LONG))).isInstanceOf(FullException.class);
        assertThatThrownBy(() -> rooms.<List<Integer>>call("a", Note.Read::new, Duration.ofMillis(5)))
                .isInstanceOf(TimeoutException.class);
        Sent<List<Integer>> call = Sent.waiting(() -> read("a"));
        held.release();
        assertThat(call.value()).containsExactly(0);
        assertThat(rooms.stats().pendingAsks()).isZero();
    }

    @Test
    void aCallOfAFullKeyThatRejectsIsRefused() throws Exception {
        open(1, 10, FullPolicy.REJECT);
        hold("a");
        fill("a", 1);
        assertThatThrownBy(() -> read("a")).isInstanceOf(FullException.class);
        assertThat(rooms.stats().pendingAsks()).isZero();
    }

    @Test
    void anAskThatIsAnsweredBeforeItLiesInLineTakesNoPlaceThere() throws Exception {
        open(10, 10, FullPolicy.REJECT);
        hold("a");
        CompletableFuture<String> ask = rooms.ask(
                "a",
                reply -> {
                    reply.ok("at once");
                    return new Note.Put(1);
                },
                LONG);

        assertThat(ask.get()).isEqualTo("at once");
        assertThat(rooms.depth("a")).isZero();
        assertThat(rooms.stats().expired()).isEqualTo(1);
        assertThat(rooms.stats().pendingAsks()).isZero();
    }

    @Test
    void onlyAnAskThatIsInLineForItsKeyHasAPosition() throws Exception {
        open(10, 10, FullPolicy.REJECT);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch answers = new CountDownLatch(1);
        CompletableFuture<Boolean> inHand = rooms.ask(
                "a",
                reply -> new Note.Do(context -> {
                    begun.countDown();
                    answers.await();
                    reply.ok(true);
                }),
                LONG);
        begun.await();
        CompletableFuture<List<Integer>> inLine = rooms.ask("a", Note.Read::new, LONG);
        hold("b");

        assertThat(rooms.position("a", inHand)).isEmpty();
        assertThat(rooms.position("a", inLine)).hasValue(1);
        assertThat(rooms.position("b", inLine)).isEmpty();
        answers.countDown();
        assertThat(inHand.get()).isTrue();
    }

    @Test
    void aCallWithoutTimeOrAfterAnInterruptIsNotSent() throws Exception {
        open(10, 10, FullPolicy.BLOCK);
        assertThatThrownBy(() -> rooms.<List<Integer>>call("a", Note.Read::new, Duration.ZERO))
                .isInstanceOf(TimeoutException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> read("a")).isInstanceOf(InterruptedException.class);

        assertThat(rooms.stats().accepted()).isZero();
        assertThat(rooms.stats().keys()).isZero();
        assertThat(Waits.entered()).isZero();
    }

    @Test
    void aCallWithoutAnAnswerIsPendingUntilTheEnd() throws Exception {
        open(10, 10, FullPolicy.BLOCK);
        Sent<Object> call = Sent.of(() -> rooms.call("a", reply -> new Note.Put(1), LONG));
        Note.until().until(() -> rooms.stats().handled() == 1);
        assertThat(rooms.stats().pendingAsks()).isEqualTo(1);
        assertThat(rooms.close(LONG)).isTrue();

        assertThat(call.failure()).isInstanceOf(ClosedException.class);
        assertThat(rooms.stats().pendingAsks()).isZero();
        assertThat(Waits.entered()).isZero();
    }

    @Test
    void aReplyMayBeGivenLaterAlsoAfterItsOwnerHasGone() throws Exception {
        rooms = builder(10, 10, FullPolicy.REJECT).idleAfter(Duration.ZERO).start();
        CompletableFuture<Reply<? super String>> kept = new CompletableFuture<>();
        CompletableFuture<String> ask = rooms.ask("a", reply -> new Note.Do(context -> kept.complete(reply)), LONG);
        Reply<? super String> reply = kept.get();
        Note.until().until(() -> rooms.stats().keys() == 0);

        assertThat(ask).isNotDone();
        assertThat(reply.ok("later")).isTrue();
        assertThat(ask.get()).isEqualTo("later");
    }

    private static Throwable failure(CompletableFuture<?> future) {
        Note.until().until(future::isDone);
        return future.exceptionNow();
    }

    // Figures

    @Test
    void anybodySeesHowDeepAKeyIsAndHowLongItsFirstMessageHasWaited() throws Exception {
        open(40, 100, FullPolicy.REJECT);
        hold("a");
        fill("a", 40);
        assertThat(rooms.depth("a")).isEqualTo(40);
        assertThat(rooms.oldestAge("a")).isZero();

        time.advance(Duration.ofSeconds(3));

        assertThat(rooms.oldestAge("a")).isEqualTo(Duration.ofSeconds(3));
        assertThat(rooms.depth("b")).isZero();
        assertThat(rooms.oldestAge("b")).isZero();
        assertThat(metric("deepest")).isEqualTo(40);
        holds.get(0).release();
        Note.until().until(() -> rooms.depth("a") == 0);
        assertThat(rooms.oldestAge("a")).isZero();
        assertThat(metric("deepest")).isZero();
    }

    private double metric(String figure) {
        return rooms.metrics().stream()
                .filter(metric -> metric.name().equals("heptad.keyedactors." + figure))
                .map(Metric::value)
                .findFirst()
                .orElseThrow()
                .getAsDouble();
    }

    @Test
    void theBacklogNamesTheDeepestKeysFirstAndOfEqualOnesTheOldest() throws Exception {
        open(10, 100, FullPolicy.REJECT);
        for (String key : List.of("a", "b", "c", "idle")) {
            hold(key);
        }
        fill("a", 2);
        time.advance(Duration.ofSeconds(1));
        fill("b", 2);
        fill("c", 5);
        time.advance(Duration.ofSeconds(1));

        assertThat(rooms.backlog(10))
                .containsExactly(
                        new Backlog<>("c", 5, Duration.ofSeconds(1)),
                        new Backlog<>("a", 2, Duration.ofSeconds(2)),
                        new Backlog<>("b", 2, Duration.ofSeconds(1)));
        assertThat(rooms.backlog(1)).extracting(Backlog::key).containsExactly("c");
        assertThatIllegalArgumentException().isThrownBy(() -> rooms.backlog(0)).withMessageContaining("top");
    }

    @Test
    void accountsForEachMessageAtRest() throws Exception {
        rooms = builder(2, 3, FullPolicy.DROP_OLDEST).start();
        hold("a");
        fill("a", 4);
        CompletableFuture<List<Integer>> cancelled = rooms.ask("b", Note.Read::new, LONG);
        Note.until().until(cancelled::isDone);
        rooms.send("b", new Note.Break(new IllegalStateException("on purpose")));
        holds.get(0).release();
        Note.until().until(() -> rooms.depth() == 0 && rooms.stats().failed() == 1);
        read("a");

        KeyedStats stats = rooms.stats();
        assertThat(stats.accepted())
                .isEqualTo(stats.handled()
                        + stats.failed()
                        + stats.expired()
                        + stats.evicted()
                        + stats.undelivered()
                        + stats.returned()
                        + stats.depth());
        assertThat(stats.evicted()).isEqualTo(2);
        assertThat(stats.failed()).isEqualTo(1);
        assertThat(stats.loaded()).isEqualTo(stats.passivated() + stats.discarded() + stats.live());
        assertThat(stats.name()).isEqualTo("rooms");
        assertThat(rooms).hasToString("rooms[0/3 DROP_OLDEST, 2 keys, 2 live]");
    }

    // Bad input

    @Test
    void namesTheArgumentThatIsOutOfRange() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyedActors.named(" ", String.class, Note.class))
                .withMessageContaining("name");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder(0, 1, FullPolicy.REJECT))
                .withMessage("perKey must be at least 1, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder(1, -3, FullPolicy.REJECT))
                .withMessage("totalQueued must be at least 1, but is -3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder(1, 1, FullPolicy.REJECT).maxLive(0))
                .withMessage("maxLive must be at least 1, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder(1, 1, FullPolicy.BLOCK).executor(Runnable::run))
                .withMessageContaining("executor");
        assertThatNullPointerException()
                .isThrownBy(() -> builder(1, 1, FullPolicy.REJECT).idleAfter(null));
    }

    @Test
    void refusesNullsAndChangesNothing() {
        open(1, 1, FullPolicy.REJECT);
        assertThatNullPointerException()
                .isThrownBy(() -> rooms.send(null, new Note.Put(1)))
                .withMessage("key");
        assertThatNullPointerException().isThrownBy(() -> rooms.send("a", null)).withMessage("message");
        assertThatNullPointerException().isThrownBy(() -> rooms.offer("a", null));
        assertThatNullPointerException().isThrownBy(() -> rooms.ask("a", null, LONG));
        assertThatNullPointerException().isThrownBy(() -> rooms.ask("a", reply -> null, LONG));
        assertThatNullPointerException().isThrownBy(() -> rooms.call(null, Note.Read::new, LONG));
        assertThatNullPointerException().isThrownBy(() -> rooms.depth(null));
        assertThat(rooms.stats().keys()).isZero();
        assertThat(rooms.stats().pendingAsks()).isZero();
        assertThat(rooms.depth()).isZero();
    }

    @Test
    void aKeyThatCannotBeComparedIsItsSendersMatter() throws Exception {
        record Odd(String name, AtomicInteger broken) {
            @Override
            public int hashCode() {
                if (broken.get() > 0) {
                    throw new IllegalStateException("hash");
                }
                return name.hashCode();
            }

            @Override
            public String toString() {
                throw new IllegalStateException("text");
            }
        }
        AtomicInteger broken = new AtomicInteger();
        CountDownLatch stored = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        try (KeyedActors<Odd, Integer> odd = KeyedActors.named("odd", Odd.class, Integer.class)
                .mailbox(1, FullPolicy.REJECT)
                .totalQueued(1)
                .state(key -> 0, (Behavior<Integer, Integer>) (sum, more, context) -> {
                    held.await();
                    return sum + more;
                })
                .idleAfter(Duration.ZERO)
                .onPassivate((key, sum) -> stored.countDown())
                .start()) {
            Odd key = new Odd("x", broken);
            assertThat(odd.send(key, 1)).isTrue();
            Note.until().until(() -> odd.depth() == 0);
            assertThat(odd.send(key, 1)).isTrue();
            assertThatThrownBy(() -> odd.send(key, 1))
                    .isInstanceOf(FullException.class)
                    .hasMessageContaining("whose toString throws");
            broken.set(1);
            assertThatThrownBy(() -> odd.send(key, 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("hash");
            held.countDown();
            assertThat(stored.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(odd.close(LONG))
                    .as("a key that cannot be taken out holds up nobody")
                    .isTrue();
        }
    }
}

package io.heptad.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every call that can wait, times every way in which it can end; and none leaves a waiter or a flag behind. */
@Watched
class BlockingCallsTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration NO_LIMIT = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration SHORT = Duration.ofMillis(5);

    /** Two places, so that one item inside is neither full nor empty. */
    private final BoundedQueue<String> queue = BoundedQueue.of(2, FullPolicy.BLOCK);

    /** A call that can wait. A producer's puts "new"; a consumer's answers with what it got, joined by commas. */
    private interface Waiting {
        Object on(BoundedQueue<String> queue) throws InterruptedException;
    }

    private static Object consumeAll(BoundedQueue<String> queue) throws InterruptedException {
        List<String> got = new ArrayList<>();
        queue.consumeAll(got::add);
        return String.join(",", got);
    }

    private static Object batch(List<String> got) {
        return got.isEmpty() ? "null" : String.join(",", got);
    }

    private static Stream<Arguments> onBothKinds(Stream<Named<Waiting>> calls) {
        return calls.flatMap(call -> Stream.of(false, true)
                .map(virtual -> Arguments.of(call, Named.of(virtual ? "virtual" : "platform", virtual))));
    }

    private static Stream<Named<Waiting>> puts() {
        return Stream.of(
                Named.of("put", queue -> queue.put("new")),
                Named.of("put(long)", queue -> queue.put("new", LONG)),
                Named.of("put(no limit)", queue -> queue.put("new", NO_LIMIT)));
    }

    private static Stream<Named<Waiting>> takes() {
        return Stream.of(
                Named.of("take", BoundedQueue::take),
                Named.of("poll(long)", queue -> queue.poll(LONG)),
                Named.of("poll(no limit)", queue -> queue.poll(NO_LIMIT)),
                Named.of("takeBatch", queue -> batch(queue.takeBatch(1))),
                Named.of("takeBatch(long)", queue -> batch(queue.takeBatch(1, LONG))),
                Named.of("takeBatch(no limit)", queue -> batch(queue.takeBatch(1, NO_LIMIT))));
    }

    static Stream<Arguments> waitingPuts() {
        return onBothKinds(puts());
    }

    static Stream<Arguments> waitingTakes() {
        return onBothKinds(takes());
    }

    static Stream<Arguments> waitingTakesAndConsumeAll() {
        return onBothKinds(Stream.concat(takes(), Stream.of(Named.of("consumeAll", BlockingCallsTest::consumeAll))));
    }

    static Stream<Arguments> putsInShortTime() {
        return onBothKinds(Stream.of(SHORT, Duration.ofNanos(1), Duration.ZERO, Duration.ofSeconds(Long.MIN_VALUE))
                .map(time -> Named.of("put(" + time + ")", queue -> queue.put("new", time))));
    }

    static Stream<Arguments> takesInShortTime() {
        return onBothKinds(Stream.of(SHORT, Duration.ofNanos(1), Duration.ZERO, Duration.ofSeconds(Long.MIN_VALUE))
                .flatMap(time -> Stream.<Named<Waiting>>of(
                        Named.of("poll(" + time + ")", queue -> queue.poll(time)),
                        Named.of("takeBatch(" + time + ")", queue -> batch(queue.takeBatch(7, time))))));
    }

    private Call<Object> start(boolean virtual, Waiting call) {
        return Call.start(virtual, () -> call.on(queue));
    }

    private Call<Object> parkedPut(boolean virtual, Waiting put) throws InterruptedException {
        queue.put("a");
        queue.put("b");
        Call<Object> call = start(virtual, put);
        Call.until(() -> queue.stats().waitingProducers() == 1);
        return call;
    }

    private Call<Object> parkedTake(boolean virtual, Waiting take) {
        Call<Object> call = start(virtual, take);
        Call.until(() -> queue.stats().waitingConsumers() == 1);
        return call;
    }

    private static <T> Callable<T> interruptedOnEntry(Callable<T> call) {
        return () -> {
            Thread.currentThread().interrupt();
            return call.call();
        };
    }

    @AfterEach
    void leavesNobodyBehind() {
        assertThat(queue.stats().waitingProducers()).isZero();
        assertThat(queue.stats().waitingConsumers()).isZero();
        assertThat(queue.isFlagged()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("waitingPuts")
    void putsWithoutWaitingWhereThereIsRoom(Waiting put, boolean virtual) {
        assertThat(start(virtual, put).outcome()).isEqualTo(true);
        assertThat(queue.poll()).isEqualTo("new");
    }

    @ParameterizedTest
    @MethodSource("putsInShortTime")
    void putsInShortTimeWhereThereIsRoom(Waiting put, boolean virtual) {
        assertThat(start(virtual, put).outcome()).isEqualTo(true);
        assertThat(queue.poll()).isEqualTo("new");
    }

    @ParameterizedTest
    @MethodSource("waitingPuts")
    void putsOnceThereIsRoom(Waiting put, boolean virtual) throws InterruptedException {
        Call<Object> call = parkedPut(virtual, put);

        assertThat(queue.take()).isEqualTo("a");

        assertThat(queue.depth()).isEqualTo(2);
        assertThat(call.outcome()).isEqualTo(true);
        assertThat(queue.closeNow()).containsExactly("b", "new");
    }

    @ParameterizedTest
    @MethodSource("putsInShortTime")
    void givesUpAPutInTime(Waiting put, boolean virtual) throws InterruptedException {
        queue.put("a");
        queue.put("b");

        assertThat(start(virtual, put).outcome()).isEqualTo(false);

        assertThat(queue.stats().timedOut()).isEqualTo(1);
        assertThat(queue.closeNow()).containsExactly("a", "b");
    }

    @ParameterizedTest
    @MethodSource("waitingPuts")
    void refusesAPutOnAClosedQueue(Waiting put, boolean virtual) {
        queue.close();

        assertThat(start(virtual, put).outcome()).isInstanceOf(ClosedException.class);
        assertThat(queue.stats().accepted()).isZero();
    }

    @ParameterizedTest
    @MethodSource("putsInShortTime")
    void refusesAShortPutOnAClosedQueue(Waiting put, boolean virtual) {
        queue.close();

        assertThat(start(virtual, put).outcome()).isInstanceOf(ClosedException.class);
        assertThat(queue.stats().timedOut()).isZero();
    }

    @ParameterizedTest
    @MethodSource("waitingPuts")
    void sendsAParkedPutAwayOnClose(Waiting put, boolean virtual) throws InterruptedException {
        Call<Object> call = parkedPut(virtual, put);

        queue.close();

        assertThat(call.outcome()).isInstanceOf(ClosedException.class);
        assertThat(queue.closeNow()).containsExactly("a", "b");
    }

    @ParameterizedTest
    @MethodSource("waitingPuts")
    void refusesAPutThatIsInterruptedOnEntry(Waiting put, boolean virtual) {
        Call<Object> call = Call.start(virtual, interruptedOnEntry(() -> put.on(queue)));

        assertThat(call.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(call.interruptedAfter()).isFalse();
        assertThat(queue.depth()).isZero();
    }

    @ParameterizedTest
    @MethodSource("putsInShortTime")
    void tellsOfTheInterruptRatherThanOfTheFullQueue(Waiting put, boolean virtual) throws InterruptedException {
        queue.put("a");
        queue.put("b");

        Call<Object> call = Call.start(virtual, interruptedOnEntry(() -> put.on(queue)));

        assertThat(call.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(queue.stats().timedOut()).isZero();
    }

    @ParameterizedTest
    @MethodSource("waitingPuts")
    void interruptsAParkedPut(Waiting put, boolean virtual) throws InterruptedException {
        Call<Object> call = parkedPut(virtual, put);

        call.interrupt();

        assertThat(call.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(queue.isFlagged()).isFalse();
        assertThat(queue.closeNow()).containsExactly("a", "b");
    }

    @ParameterizedTest
    @MethodSource("waitingTakes")
    void takesWithoutWaitingWhatIsInside(Waiting take, boolean virtual) throws InterruptedException {
        queue.put("a");

        assertThat(start(virtual, take).outcome()).isEqualTo("a");
    }

    @ParameterizedTest
    @MethodSource("takesInShortTime")
    void takesInShortTimeWhatIsInside(Waiting take, boolean virtual) throws InterruptedException {
        queue.put("a");

        assertThat(start(virtual, take).outcome()).isEqualTo("a");
    }

    @ParameterizedTest
    @MethodSource("waitingTakes")
    void takesWhatIsPutLater(Waiting take, boolean virtual) throws InterruptedException {
        Call<Object> call = parkedTake(virtual, take);

        queue.put("a");

        assertThat(queue.depth()).isZero();
        assertThat(call.outcome()).isEqualTo("a");
    }

    @ParameterizedTest
    @MethodSource("takesInShortTime")
    void givesUpATakeInTime(Waiting take, boolean virtual) {
        assertThat(start(virtual, take).outcome()).isEqualTo("null");
        assertThat(queue.isDrained()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("waitingTakes")
    void takesWhatIsLeftInAClosedQueueAndThenTellsOfTheEnd(Waiting take, boolean virtual) throws InterruptedException {
        queue.put("a");
        queue.close();

        assertThat(start(virtual, take).outcome()).isEqualTo("a");
        assertThat(queue.isDrained()).isTrue();
        assertThat(theEnd(start(virtual, take).outcome())).isTrue();
    }

    @ParameterizedTest
    @MethodSource("takesInShortTime")
    void endsAShortTakeFromADrainedQueue(Waiting take, boolean virtual) {
        queue.close();

        assertThat(start(virtual, take).outcome()).isEqualTo("null");
        assertThat(queue.isDrained()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("waitingTakesAndConsumeAll")
    void endsAParkedTakeOnClose(Waiting take, boolean virtual) {
        Call<Object> call = parkedTake(virtual, take);

        queue.close();

        assertThat(theEnd(call.outcome())).isTrue();
    }

    private static boolean theEnd(Object outcome) {
        return outcome instanceof ClosedException || outcome.equals("null") || outcome.equals("");
    }

    @ParameterizedTest
    @MethodSource("waitingTakesAndConsumeAll")
    void refusesATakeThatIsInterruptedOnEntry(Waiting take, boolean virtual) throws InterruptedException {
        queue.put("a");

        Call<Object> call = Call.start(virtual, interruptedOnEntry(() -> take.on(queue)));

        assertThat(call.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(call.interruptedAfter()).isFalse();
        assertThat(queue.poll()).isEqualTo("a");
    }

    @ParameterizedTest
    @MethodSource("takesInShortTime")
    void tellsOfTheInterruptRatherThanOfTheTime(Waiting take, boolean virtual) {
        Call<Object> call = Call.start(virtual, interruptedOnEntry(() -> take.on(queue)));

        assertThat(call.outcome()).isInstanceOf(InterruptedException.class);
    }

    @ParameterizedTest
    @MethodSource("waitingTakesAndConsumeAll")
    void interruptsAParkedTakeAndLosesNothing(Waiting take, boolean virtual) throws InterruptedException {
        Call<Object> call = parkedTake(virtual, take);

        call.interrupt();

        assertThat(call.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(queue.isFlagged()).isFalse();
        queue.put("a");
        assertThat(queue.poll()).isEqualTo("a");
    }

    @ParameterizedTest
    @MethodSource("bothKinds")
    void consumesAllUntilClosedAndDrained(boolean virtual) throws InterruptedException {
        Call<Object> call = parkedTake(virtual, BlockingCallsTest::consumeAll);

        for (String item : List.of("a", "b", "c", "d")) {
            queue.put(item);
        }
        queue.close();

        assertThat(call.outcome()).isEqualTo("a,b,c,d");
    }

    @ParameterizedTest
    @MethodSource("bothKinds")
    void aConsumerThatThrowsEndsTheLoopAndHarmsNobodyElse(boolean virtual) throws InterruptedException {
        queue.put("a");
        queue.put("b");
        Call<Object> call = Call.start(virtual, () -> {
            queue.consumeAll(item -> {
                throw new IllegalStateException(item);
            });
            return "ended";
        });

        assertThat((Throwable) call.outcome())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a");
        assertThat(queue.stats().taken()).isEqualTo(1);
        assertThat(queue.poll()).isEqualTo("b");
    }

    static Stream<Arguments> bothKinds() {
        return Stream.of(Arguments.of(Named.of("platform", false)), Arguments.of(Named.of("virtual", true)));
    }

    @ParameterizedTest
    @MethodSource("bothKinds")
    void anOfferAndAPollTakeNoNoticeOfInterrupts(boolean virtual) {
        Call<Object> call = Call.start(virtual, interruptedOnEntry(() -> {
            assertThat(queue.offer("a")).isTrue();
            assertThat(queue.offer("b")).isTrue();
            assertThat(queue.offer("c")).isFalse();
            assertThat(queue.poll()).isEqualTo("a");
            assertThat(queue.poll()).isEqualTo("b");
            assertThat(queue.poll()).isNull();
            return "done";
        }));

        assertThat(call.outcome()).isEqualTo("done");
        assertThat(call.interruptedAfter()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("bothKinds")
    void anOfferToAParkedConsumerTakesNoNoticeOfInterrupts(boolean virtual) {
        Call<Object> consumer = parkedTake(virtual, BoundedQueue::take);
        Call<Object> producer = Call.start(virtual, interruptedOnEntry(() -> queue.offer("a")));

        assertThat(producer.outcome()).isEqualTo(true);
        assertThat(producer.interruptedAfter()).isTrue();
        assertThat(consumer.outcome()).isEqualTo("a");
    }

    @ParameterizedTest
    @MethodSource("bothKinds")
    void refusesNullAndABatchOfNone(boolean virtual) {
        Call<Object> call = Call.start(virtual, () -> {
            assertThatThrownBy(() -> queue.put(null))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("item");
            assertThatThrownBy(() -> queue.put(null, LONG))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("item");
            assertThatThrownBy(() -> queue.offer(null))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("item");
            assertThatThrownBy(() -> queue.put("a", null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> queue.poll(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> queue.consumeAll(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> queue.takeBatch(0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("max must be at least 1, but is 0");
            assertThatThrownBy(() -> queue.takeBatch(-3, LONG))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("max must be at least 1, but is -3");
            return "done";
        });

        assertThat(call.outcome()).isEqualTo("done");
        assertThat(queue.depth()).isZero();
    }
}

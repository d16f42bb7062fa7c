package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every call of a signal that may wait, and each way it can end; nothing is left behind, and the next one is served. */
@Watched
class SignalCallsTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration NO_LIMIT = Duration.ofSeconds(Long.MAX_VALUE);

    private final Signal signal = Signal.of(0, 3);

    interface Acquire {
        boolean on(Signal signal) throws InterruptedException;
    }

    record Waiting(String name, int permits, Acquire call) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Stream<Waiting> unlimited() {
        return Stream.of(
                new Waiting("acquire()", 1, signal -> {
                    signal.acquire();
                    return true;
                }),
                new Waiting("acquire(3)", 3, signal -> {
                    signal.acquire(3);
                    return true;
                }),
                new Waiting("acquire(no limit)", 1, signal -> signal.acquire(NO_LIMIT)),
                new Waiting("acquire(2, no limit)", 2, signal -> signal.acquire(2, NO_LIMIT)));
    }

    private static Stream<Waiting> all() {
        return Stream.concat(
                unlimited(),
                Stream.of(
                        new Waiting("acquire(30 s)", 1, signal -> signal.acquire(LONG)),
                        new Waiting("acquire(2, 30 s)", 2, signal -> signal.acquire(2, LONG))));
    }

    private static Stream<Arguments> inBothKindsOfThread(Stream<Waiting> calls) {
        return calls.flatMap(call -> Stream.of(Arguments.of(call, false), Arguments.of(call, true)));
    }

    static Stream<Arguments> calls() {
        return inBothKindsOfThread(all());
    }

    private Called inLine(boolean virtual, Waiting waiting) {
        int before = signal.waiting();
        Called call = Called.in(virtual, () -> waiting.call.on(signal));
        Called.until(() -> signal.waiting() == before + 1);
        return call;
    }

    /** Whatever happened: nobody is in line, and the signal works. */
    @AfterEach
    void nothingIsLeftBehind() throws InterruptedException {
        assertThat(signal.waiting()).isZero();
        assertThat(signal.available()).isZero();
        signal.release(3);
        assertThat(signal.tryAcquire(3)).isTrue();
        assertThat(signal.acquire(Duration.ZERO)).isFalse();
    }

    @ParameterizedTest
    @MethodSource("calls")
    void takesPermitsThatAreThere(Waiting waiting, boolean virtual) {
        signal.release(waiting.permits);
        assertThat(Called.in(virtual, () -> waiting.call.on(signal)).outcome()).isEqualTo(true);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void waitsForPermitsThatCome(Waiting waiting, boolean virtual) {
        Called call = inLine(virtual, waiting);
        signal.release(waiting.permits);
        assertThat(call.outcome()).isEqualTo(true);
        assertThat(call.interruptedAfter()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("calls")
    void isServedLongAfterItHasParked(Waiting waiting, boolean virtual) {
        Called call = inLine(virtual, waiting);
        call.untilParked();
        signal.release(waiting.permits);
        assertThat(call.outcome()).isEqualTo(true);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void throwsWhenInterruptedOnEntryThoughPermitsAreThere(Waiting waiting, boolean virtual) {
        signal.release(waiting.permits);
        Called call = Called.interruptedOnEntry(virtual, () -> waiting.call.on(signal));
        assertThat(call.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(call.interruptedAfter()).isFalse();
        assertThat(signal.tryAcquire(waiting.permits)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("calls")
    void throwsWhenInterruptedOnEntryThoughNoneAreThere(Waiting waiting, boolean virtual) {
        Called call = Called.interruptedOnEntry(virtual, () -> waiting.call.on(signal));
        assertThat(call.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(call.interruptedAfter()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("calls")
    void throwsWhenInterruptedInLineAndTheNextIsServed(Waiting waiting, boolean virtual) {
        Called call = inLine(virtual, waiting);
        Called next = inLine(virtual, waiting);

        call.interrupt();
        assertThat(call.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(call.interruptedAfter()).isFalse();
        signal.release(waiting.permits);

        assertThat(next.outcome()).isEqualTo(true);
        assertThat(signal.stats().interrupted()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void saysFalseWhenItsTimeIsOutAndTheNextIsServed(boolean virtual) {
        Duration brief = Duration.ofMillis(30);
        for (Waiting waiting : new Waiting[] {
            new Waiting("acquire(30 ms)", 1, signal -> signal.acquire(brief)),
            new Waiting("acquire(2, 30 ms)", 2, signal -> signal.acquire(2, brief))
        }) {
            long start = System.nanoTime();
            Called call = inLine(virtual, waiting);
            Called next = inLine(virtual, new Waiting("next", waiting.permits, s -> s.acquire(waiting.permits, LONG)));

            assertThat(call.outcome()).isEqualTo(false);
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(brief.toNanos());
            signal.release(waiting.permits);

            assertThat(next.outcome()).isEqualTo(true);
        }
        assertThat(signal.stats().timedOut()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void doesNotWaitForADurationOfZeroOrLess(long seconds) throws InterruptedException {
        Duration none = Duration.ofSeconds(seconds);
        assertThat(signal.acquire(none)).isFalse();
        assertThat(signal.acquire(3, none)).isFalse();
        signal.release(3);
        assertThat(signal.acquire(none)).isTrue();
        assertThat(signal.acquire(2, none)).isTrue();
        assertThat(signal.stats().timedOut()).isEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void aGrantThatComesBeforeTheInterruptIsNoticedStandsAndSoDoesTheInterrupt(Waiting waiting, boolean virtual) {
        Called call = inLine(virtual, waiting);
        call.untilParked();
        Called release = holdingTheLine(() -> {
            // It wakes by the interrupt and asks for leave, but the release is before it at the lock.
            Called releasing = Called.platform(() -> {
                signal.release(waiting.permits);
                return "released";
            });
            Called.until(() -> signal.lockItself().hasQueuedThread(releasing.thread()));
            call.interrupt();
            Called.until(() -> signal.lockItself().hasQueuedThread(call.thread()));
            return releasing;
        });

        assertThat(release.outcome()).isEqualTo("released");
        assertThat(call.outcome()).isEqualTo(true);
        assertThat(call.interruptedAfter()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("calls")
    void anInterruptThatComesBeforeTheReleaseIsServedToTheNext(Waiting waiting, boolean virtual) {
        Called call = inLine(virtual, waiting);
        Called next = inLine(virtual, waiting);
        call.untilParked();
        Called release = holdingTheLine(() -> {
            call.interrupt();
            Called.until(() -> signal.lockItself().hasQueuedThread(call.thread()));
            Called releasing = Called.platform(() -> {
                signal.release(waiting.permits);
                return "released";
            });
            Called.until(() -> signal.lockItself().hasQueuedThread(releasing.thread()));
            return releasing;
        });

        assertThat(call.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(release.outcome()).isEqualTo("released");
        assertThat(next.outcome()).isEqualTo(true);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPermitThatComesAsTheTimeRunsOutIsKept(boolean virtual) {
        Called call = Called.in(virtual, () -> signal.acquire(Duration.ofMillis(200)));
        Called.until(() -> signal.waiting() == 1);
        Called release = holdingTheLine(() -> {
            Called releasing = Called.platform(() -> {
                signal.release();
                return "released";
            });
            Called.until(() -> signal.lockItself().hasQueuedThread(releasing.thread()));
            Called.until(() -> signal.lockItself().hasQueuedThread(call.thread())); // its time is out
            return releasing;
        });

        assertThat(release.outcome()).isEqualTo("released");
        assertThat(call.outcome()).isEqualTo(true);
    }

    interface Steps {
        Called run();
    }

    /** Holds the lock of the signal while the steps run, so that nobody is served or leaves meanwhile. */
    private Called holdingTheLine(Steps steps) {
        ReentrantLock lock = signal.lockItself();
        lock.lock();
        try {
            return steps.run();
        } finally {
            lock.unlock();
        }
    }
}

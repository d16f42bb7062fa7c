package io.heptad.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Watched
class DrainRateTest {
    private static final Duration WINDOW = Duration.ofSeconds(10);

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 15_000_000_000L); // readings wrap in the middle
    private final AtomicLong drained = new AtomicLong();
    private final DrainRate rate = DrainRate.of(drained::get, WINDOW, now::get);

    /** Drains at a pace for some seconds, with a question after each. */
    private void run(int seconds, long perSecond) {
        for (int i = 0; i < seconds; i++) {
            pause(1, perSecond);
            rate.timeToDrain(1);
        }
    }

    private void pause(int seconds, long perSecond) {
        now.addAndGet(seconds * 1_000_000_000L);
        drained.addAndGet(seconds * perSecond);
    }

    @Test
    void doesNotKnowBeforeAnythingDrained() {
        assertThat(rate.timeToDrain(5)).isNull();
        pause(5, 0);
        assertThat(rate.timeToDrain(5)).isNull();
    }

    @Test
    void theFirstQuestionIsAnsweredByThePaceSoFar() {
        pause(4, 10);

        assertThat(rate.timeToDrain(50)).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void dividesTheItemsByASteadyPace() {
        run(60, 10);

        assertThat(rate.timeToDrain(50)).isEqualTo(Duration.ofSeconds(5));
        assertThat(rate.timeToDrain(1)).isEqualTo(Duration.ofMillis(100));
        assertThat(rate.timeToDrain(0)).isZero();
    }

    @Test
    void followsAChangeOfPaceWithinTwoWindows() {
        run(60, 10);
        run(22, 100);

        assertThat(rate.timeToDrain(100)).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void doesNotKnowOnceNothingHasDrainedForTwoWindows() {
        run(60, 10);
        run(22, 0);

        assertThat(rate.timeToDrain(100)).isNull();
    }

    @Test
    void aQuietNightDoesNotMakeTheMorningLookSlow() {
        run(60, 10);
        pause(8 * 3600, 0);
        drained.incrementAndGet();
        rate.timeToDrain(100); // an honest eight hours: one item since the last question

        pause(1, 100);

        assertThat(rate.timeToDrain(100)).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void saturatesInsteadOfOverflowing() {
        pause(10, 1);

        assertThat(rate.timeToDrain(Long.MAX_VALUE)).isEqualTo(Duration.ofNanos(Long.MAX_VALUE));
    }

    @Test
    void aWindowWithoutLimitWorks() {
        DrainRate all = DrainRate.of(drained::get, Duration.ofSeconds(Long.MAX_VALUE), now::get);
        pause(100, 10);

        assertThat(all.timeToDrain(10)).isEqualTo(Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void refusesAWindowOfNothing(long nanos) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DrainRate.of(drained::get, Duration.ofNanos(nanos), now::get))
                .withMessageContaining("window")
                .withMessageContaining(Duration.ofNanos(nanos).toString());
    }

    @Test
    void refusesBadArguments() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> rate.timeToDrain(-3))
                .withMessageContaining("items")
                .withMessageContaining("-3");
        assertThatNullPointerException().isThrownBy(() -> DrainRate.of(null, WINDOW, now::get));
        assertThatNullPointerException().isThrownBy(() -> DrainRate.of(drained::get, null, now::get));
        assertThatNullPointerException().isThrownBy(() -> DrainRate.of(drained::get, WINDOW, null));
    }

    @Test
    void manyAskersNeverSeeANegativeTime() throws InterruptedException {
        LongAdder total = new LongAdder();
        DrainRate shared =
                DrainRate.of(total::sum, Duration.ofNanos(1_000), Ticker.system()); // marks move all the time
        AtomicBoolean done = new AtomicBoolean();
        Thread drainer = Thread.ofPlatform().start(() -> {
            while (!done.get()) {
                total.increment();
            }
        });
        ConcurrentLinkedQueue<Duration> wrong = new ConcurrentLinkedQueue<>();
        LongAdder known = new LongAdder();
        List<Thread> askers = new ArrayList<>();
        for (int worker = 0; worker < 3; worker++) {
            askers.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 50_000; i++) {
                    Duration answer = shared.timeToDrain(10);
                    if (answer != null) {
                        known.increment();
                        if (answer.isNegative()) {
                            wrong.add(answer);
                        }
                    }
                }
            }));
        }
        for (Thread asker : askers) {
            asker.join();
        }
        done.set(true);
        drainer.join();

        assertThat(wrong).isEmpty();
        assertThat(known.sum()).isPositive();
    }
}

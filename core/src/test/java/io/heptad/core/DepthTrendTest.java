package io.heptad.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.within;

import io.heptad.contract.Seeded;
import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Watched
class DepthTrendTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final AtomicLong now = new AtomicLong();
    private final AtomicLong depth = new AtomicLong();
    private final DepthTrend trend = DepthTrend.of(depth::get, MINUTE, now::get);

    /** One sample now, then one a second, with the depth growing between them. */
    private void run(int seconds, long growth) {
        trend.sample();
        for (int i = 0; i < seconds; i++) {
            now.addAndGet(1_000_000_000L);
            depth.addAndGet(growth);
            trend.sample();
        }
    }

    @Test
    void isFlatWithoutSamplesAndWithOne() {
        depth.set(500);
        assertThat(trend.slope()).isZero();
        trend.sample();
        assertThat(trend.slope()).isZero();
        assertThat(trend.forecast(Duration.ofMinutes(5))).isEqualTo(500);
    }

    @Test
    void tenMoreASecondForAMinuteMeansThreeThousandMoreInFive() {
        run(60, 10);

        assertThat(trend.slope()).isCloseTo(10, within(1e-9));
        assertThat(trend.forecast(Duration.ofMinutes(5))).isEqualTo(600 + 3_000);
        assertThat(trend.forecast(Duration.ZERO)).isEqualTo(600);
    }

    @Test
    void highButFlatHasNoSlope() {
        depth.set(1_000_000);
        run(60, 0);

        assertThat(trend.slope()).isZero();
        assertThat(trend.forecast(Duration.ofMinutes(5))).isEqualTo(1_000_000);
    }

    @Test
    void aShrinkingDepthIsForecastNoLowerThanZero() {
        depth.set(600);
        run(60, -10);

        assertThat(trend.slope()).isCloseTo(-10, within(1e-9));
        assertThat(trend.forecast(Duration.ofMinutes(5))).isZero();
    }

    @Test
    void forgetsWhatTheWindowHasPassed() {
        run(60, 10);
        run(61, 0);

        assertThat(trend.slope()).isZero();
    }

    @Test
    void knowsNothingOnceNobodySamples() {
        run(60, 10);
        now.addAndGet(MINUTE.toNanos() * 2);

        assertThat(trend.slope()).isZero();
    }

    @Test
    void samplesOfOneInstantHaveNoSlope() {
        for (int i = 0; i < 10; i++) {
            depth.set(i);
            trend.sample();
        }

        assertThat(trend.slope()).isZero();
    }

    @Test
    void samplingMoreOftenDoesNotShortenTheWindow() {
        // Flat for half the window, then 20 a second: 10 a second over the whole of it, 20 over its last samples.
        trend.sample();
        for (int milli = 1; milli <= 60_000; milli++) {
            now.addAndGet(1_000_000L);
            depth.set(Math.max(0, milli - 30_000) * 20L / 1_000);
            trend.sample();
        }

        assertThat(trend.slope()).isCloseTo(10, within(0.5));
    }

    @Test
    void oneOddSampleDoesNotTurnTheLine() {
        run(30, 10);
        depth.addAndGet(100);
        trend.sample();
        depth.addAndGet(-100);
        run(30, 10);

        assertThat(trend.slope()).isCloseTo(10, within(1.0));
    }

    @Test
    void findsTheSlopeUnderTheNoise() {
        Seeded.run(random -> {
            long start = random.nextLong(); // also near the end of the clock, where readings wrap
            long slope = random.nextLong(-1_000, 1_001);
            for (int second = 0; second <= 60; second++) {
                now.set(start + second * 1_000_000_000L);
                depth.set(100_000 + slope * second + random.nextLong(-50, 51));
                trend.sample();
            }
            assertThat(trend.slope()).isCloseTo(slope, within(2.0)); // five times the error of the estimate
        });
    }

    @Test
    void theReadingsOfTheClockMayWrap() {
        now.set(Long.MAX_VALUE);
        run(60, 10);

        assertThat(trend.slope()).isCloseTo(10, within(1e-9));
    }

    @Test
    void anOlderReadingThatArrivesLateIsLetGo() {
        run(10, 10);
        now.addAndGet(-500_000_000L);
        depth.set(1_000_000);
        trend.sample();
        now.addAndGet(500_000_000L);

        assertThat(trend.slope()).isCloseTo(10, within(1e-9));
    }

    @Test
    void aWindowWithoutLimitCountsEverySample() {
        DepthTrend all = DepthTrend.of(depth::get, Duration.ofSeconds(Long.MAX_VALUE), now::get);
        all.sample();
        now.addAndGet(Duration.ofDays(365).toNanos());
        depth.set(Duration.ofDays(365).toSeconds());
        all.sample();

        assertThat(all.slope()).isCloseTo(1, within(1e-9));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void refusesAWindowOfNothing(long nanos) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DepthTrend.of(depth::get, Duration.ofNanos(nanos), now::get))
                .withMessageContaining("window")
                .withMessageContaining(Duration.ofNanos(nanos).toString());
    }

    @Test
    void refusesToForecastThePast() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> trend.forecast(Duration.ofSeconds(-1)))
                .withMessageContaining("ahead")
                .withMessageContaining("PT-1S");
    }

    @Test
    void refusesNulls() {
        assertThatNullPointerException().isThrownBy(() -> DepthTrend.of(null, MINUTE, now::get));
        assertThatNullPointerException().isThrownBy(() -> DepthTrend.of(depth::get, null, now::get));
        assertThatNullPointerException().isThrownBy(() -> DepthTrend.of(depth::get, MINUTE, null));
    }

    @Test
    void readsTheDepthOutsideItsLock() {
        DepthTrend[] self = new DepthTrend[1];
        self[0] = DepthTrend.of(
                () -> (long)
                        CompletableFuture.supplyAsync(self[0]::slope).join().doubleValue(),
                MINUTE,
                now::get);

        self[0].sample(); // would hang

        assertThat(self[0].slope()).isZero();
    }

    @Test
    void survivesADepthThatThrows() {
        DepthTrend broken = DepthTrend.of(
                () -> {
                    throw new IllegalStateException("no depth");
                },
                MINUTE,
                now::get);

        assertThatIllegalStateException().isThrownBy(broken::sample);
        assertThat(broken.slope()).isZero();
    }

    @Test
    void anySamplersAndReadersMayShareIt() throws InterruptedException {
        DepthTrend shared = DepthTrend.of(() -> System.nanoTime() / 1_000_000, MINUTE, Ticker.system());
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(worker -> Thread.ofPlatform().start(() -> {
                    for (int i = 0; i < 20_000; i++) {
                        shared.sample();
                        shared.slope();
                    }
                }))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }

        shared.sample();
        assertThat(shared.slope()).isCloseTo(1_000, within(200.0)); // a millisecond is an item: 1,000 a second
    }
}

package io.heptad.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.fail;

import io.heptad.contract.Seeded;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class BackoffTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

    static Stream<Duration> firsts() {
        return Stream.of(
                Duration.ofNanos(1),
                Duration.ofNanos(999),
                Duration.ofMillis(1),
                Duration.ofMillis(100),
                Duration.ofSeconds(1),
                Duration.ofMinutes(7),
                HOUR);
    }

    @ParameterizedTest
    @MethodSource("firsts")
    void growsFromTheFirstDelayToTheMaximumAndStaysThere(Duration first) {
        Backoff backoff = Backoff.exponential(first, HOUR);

        assertThat(backoff.delay(1)).isEqualTo(first);
        Duration before = first;
        for (int attempt = 2; attempt <= 100_000; attempt++) {
            Duration delay = backoff.delay(attempt);
            Duration doubled = before.plus(before);
            if (!delay.equals(doubled.compareTo(HOUR) < 0 ? doubled : HOUR)) {
                fail("attempt %d after %s waits %s", attempt, before, delay);
            }
            before = delay;
        }
        assertThat(backoff.delay(Integer.MAX_VALUE)).isEqualTo(HOUR);
    }

    @Test
    void doesNotOverflowUpToTheLongestDuration() {
        Backoff backoff = Backoff.exponential(Duration.ofNanos(1), FOR_EVER);

        assertThat(backoff.delay(63)).isEqualTo(Duration.ofNanos(1L << 62));
        assertThat(backoff.delay(64)).isEqualTo(FOR_EVER);
        assertThat(backoff.delay(200)).isEqualTo(FOR_EVER);
        assertThat(Backoff.exponential(FOR_EVER, FOR_EVER).delay(2)).isEqualTo(FOR_EVER);
    }

    @Test
    void noDelayStaysNoDelay() {
        assertThat(Backoff.exponential(Duration.ZERO, HOUR).delay(1)).isZero();
        assertThat(Backoff.exponential(Duration.ZERO, HOUR).delay(Integer.MAX_VALUE))
                .isZero();
        assertThat(Backoff.exponential(Duration.ZERO, Duration.ZERO).delay(5)).isZero();
    }

    @Test
    void refusesAMaximumBelowTheFirstDelay() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backoff.exponential(HOUR, Duration.ofMinutes(59)))
                .withMessageContaining("max")
                .withMessageContaining("PT59M")
                .withMessageContaining("PT1H");
    }

    @Test
    void refusesANegativeFirstDelay() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backoff.exponential(Duration.ofMillis(-1), HOUR))
                .withMessageContaining("first")
                .withMessageContaining("PT-0.001S");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void refusesAnAttemptBeforeTheFirst(int attempt) {
        Backoff backoff = Backoff.exponential(Duration.ofMillis(1), HOUR);

        for (Backoff one : new Backoff[] {backoff, backoff.withFullJitter()}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> one.delay(attempt))
                    .withMessageContaining("attempt")
                    .withMessageContaining(String.valueOf(attempt));
        }
    }

    @Test
    void refusesNulls() {
        assertThatNullPointerException()
                .isThrownBy(() -> Backoff.exponential(null, HOUR))
                .withMessage("first");
        assertThatNullPointerException()
                .isThrownBy(() -> Backoff.exponential(HOUR, null))
                .withMessage("max");
        assertThatNullPointerException()
                .isThrownBy(() -> Backoff.exponential(HOUR, HOUR).withFullJitter(null))
                .withMessage("random");
    }

    @ParameterizedTest
    @MethodSource("firsts")
    void jitterStaysBetweenZeroAndTheDelay(Duration first) {
        Backoff plain = Backoff.exponential(first, HOUR);
        Seeded.run(random -> {
            Backoff jittered = plain.withFullJitter(random);
            for (int i = 0; i < 10_000; i++) {
                int attempt = random.nextInt(1, Integer.MAX_VALUE);
                Duration delay = jittered.delay(attempt);
                if (delay.isNegative() || delay.compareTo(plain.delay(attempt)) > 0) {
                    fail("attempt %d waits %s", attempt, delay);
                }
            }
        });
    }

    @Test
    void jitterOfNothingAndOfAlmostNothingWorks() {
        Backoff none = Backoff.exponential(Duration.ZERO, HOUR).withFullJitter();
        Backoff tiny =
                Backoff.exponential(Duration.ofNanos(1), Duration.ofNanos(1)).withFullJitter();
        for (int i = 0; i < 1_000; i++) {
            assertThat(none.delay(1)).isZero();
            assertThat(tiny.delay(1)).isBetween(Duration.ZERO, Duration.ofNanos(1));
        }
    }

    @Test
    void jitterOfManyCenturiesDoesNotOverflow() {
        Backoff jittered = Backoff.exponential(FOR_EVER, FOR_EVER).withFullJitter();
        for (int i = 0; i < 1_000; i++) {
            assertThat(jittered.delay(1)).isBetween(Duration.ZERO, FOR_EVER);
        }
    }

    @Test
    void jitterOfACallersNegativeDelayIsNoDelay() {
        Backoff mistaken = attempt -> Duration.ofSeconds(-1);

        assertThat(mistaken.withFullJitter().delay(1)).isZero();
    }

    @Test
    void secondAttemptsOfTenThousandFailuresDoNotLineUp() {
        Duration most = Duration.ofSeconds(1);
        Seeded.run(random -> {
            Backoff backoff = Backoff.exponential(most, HOUR).withFullJitter(random);
            int[] bins = new int[101]; // of 10 ms; the last holds only a draw of exactly one second
            for (int item = 0; item < 10_000; item++) {
                bins[(int) (backoff.delay(1).toMillis() / 10)]++;
            }
            // 100 each on average, with a deviation of 10: these bounds are six of them away.
            assertThat(Arrays.stream(bins).limit(100))
                    .allSatisfy(bin -> assertThat(bin).isBetween(40, 160));
        });
    }

    @Test
    void jitterReachesBothEnds() {
        Backoff jittered = Backoff.exponential(Duration.ofNanos(3), HOUR).withFullJitter(new Random(1));

        assertThat(Stream.generate(() -> jittered.delay(1)).limit(1_000).distinct())
                .containsExactlyInAnyOrder(
                        Duration.ZERO, Duration.ofNanos(1), Duration.ofNanos(2), Duration.ofNanos(3));
    }

    @Test
    void theSameSeedGivesTheSameDelays() {
        Backoff plain = Backoff.exponential(Duration.ofMillis(100), HOUR);
        Backoff one = plain.withFullJitter(new Random(7));
        Backoff other = plain.withFullJitter(new Random(7));
        for (int attempt = 1; attempt <= 100; attempt++) {
            assertThat(one.delay(attempt)).isEqualTo(other.delay(attempt));
        }
    }
}

package io.heptad.recipes.partner;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.core.Backoff;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Ten thousand items that fail at the same moment must not come back at the same moment. */
class JitterTest {
    private static final int ITEMS = 10_000;
    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration MOST = Duration.ofSeconds(2);

    @Test
    void spreadsTheSecondTriesOverTheWholeWindow() {
        int[] bins = bins(Backoff.exponential(FIRST, MOST).withFullJitter(), 1, 100);

        // 100 bins of 10 ms with 100 expected in each; 200 is ten standard deviations away.
        assertThat(IntStream.of(bins).max().orElseThrow()).isLessThan(200);
        assertThat(IntStream.of(bins).min().orElseThrow()).isPositive();
    }

    @Test
    void withoutJitterTheyAllComeBackTogether() {
        int[] bins = bins(Backoff.exponential(FIRST, MOST), 1, 101);

        assertThat(IntStream.of(bins).max().orElseThrow()).isEqualTo(ITEMS);
    }

    @Test
    void keepsTheCapHoweverManyTriesFailed() {
        Backoff backoff = Backoff.exponential(FIRST, MOST).withFullJitter();

        assertThat(IntStream.rangeClosed(1, ITEMS).mapToObj(backoff::delay))
                .allMatch(delay -> !delay.isNegative() && delay.compareTo(MOST) <= 0);
    }

    private static int[] bins(Backoff backoff, int attempt, int bins) {
        int[] counts = new int[bins];
        for (int i = 0; i < ITEMS; i++) {
            counts[Math.min(bins - 1, (int) (backoff.delay(attempt).toMillis() / 10))]++;
        }
        return counts;
    }
}

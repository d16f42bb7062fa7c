package io.heptad.pool;

import static io.heptad.core.FullPolicy.BLOCK;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.junit.jupiter.api.Test;

/**
 * A pool bounds how many run at once, not how many a second. In virtual time: the slots are the real ones, a task is a
 * pair of instants, and nothing sleeps.
 */
@Watched
class PoolRatesTest {
    private static final long SECOND = 1_000_000;
    private static final long MILLI = 1_000;

    /** When each call began, in microseconds, and the most that ran together. */
    private record Run(List<Long> begun, int peak, long ended) {
        long most(long window) {
            int most = 0;
            int from = 0;
            for (int to = 0; to < begun.size(); to++) {
                while (begun.get(to) - begun.get(from) >= window) {
                    from++;
                }
                most = Math.max(most, to - from + 1);
            }
            return most;
        }
    }

    /** A token bucket on the clock of the model: full at first, refilled evenly, indifferent to a clock that steps back. */
    private static final class Bucket {
        private final long perSecond;
        private final long burst;
        private long at;
        private long millionths;

        Bucket(long perSecond, long burst) {
            this.perSecond = perSecond;
            this.burst = burst;
            this.millionths = burst * SECOND;
        }

        boolean take(long now) {
            if (now > at) {
                millionths = Math.min(burst * SECOND, millionths + (now - at) * perSecond);
                at = now;
            }
            if (millionths < SECOND) {
                return false;
            }
            millionths -= SECOND;
            return true;
        }
    }

    private static Run run(int slotCount, long taskMicros, int calls, long until, Bucket bucket, long step) {
        Slots slots = new Slots(slotCount, 1, BLOCK);
        PriorityQueue<Long> ends = new PriorityQueue<>();
        List<Long> begun = new ArrayList<>();
        int peak = 0;
        long now = 0;
        while (now < until && (begun.size() < calls || !ends.isEmpty())) {
            while (!ends.isEmpty() && ends.peek() <= now) {
                ends.remove();
                assertThat(slots.pass()).isNull();
            }
            // The token is taken inside the slot: whoever waits for one keeps its slot.
            while (begun.size() < calls && slots.tryTake()) {
                if (bucket != null && !bucket.take(now)) {
                    slots.pass();
                    break;
                }
                begun.add(now);
                ends.add(now + taskMicros);
            }
            peak = Math.max(peak, Slots.active(slots.state()));
            now += step;
        }
        return new Run(begun, peak, now);
    }

    @Test
    void tenSlotsOfFiveMillisecondsAreTwoThousandCallsASecond() {
        Run run = run(10, 5 * MILLI, Integer.MAX_VALUE, SECOND, null, MILLI);

        assertThat(run.begun()).hasSize(2_000);
        assertThat(run.peak()).isEqualTo(10);
    }

    @Test
    void twentySlotsOfFiftyMillisecondsTakeTenThousandCallsInTwentyFiveSeconds() {
        Run run = run(20, 50 * MILLI, 10_000, Long.MAX_VALUE, null, 10 * MILLI);

        assertThat(run.ended() / SECOND).isEqualTo(25);
        assertThat(run.peak()).isEqualTo(20);
    }

    @Test
    void aBucketBesideThePoolBoundsTheRateAndThePoolStaysAsItIs() {
        Run run = run(10, 5 * MILLI, Integer.MAX_VALUE, 10 * SECOND, new Bucket(50, 5), MILLI);

        assertThat(run.most(SECOND)).isBetween(50L, 55L);
        assertThat(run.peak()).isLessThanOrEqualTo(10);
        assertThat(run.begun().size()).isBetween(500, 505);
    }

    @Test
    void aSmallerPoolInsteadOfABucketIsFasterThanItLooks() {
        Run one = run(1, 5 * MILLI, Integer.MAX_VALUE, SECOND, null, MILLI);

        assertThat(one.begun()).as("one slot is still 200 a second").hasSize(200);
    }

    @Test
    void aClockThatStepsBackMakesNoToken() {
        Bucket bucket = new Bucket(50, 1);
        assertThat(bucket.take(SECOND)).isTrue();
        assertThat(bucket.take(0)).isFalse();
        assertThat(bucket.take(SECOND)).isFalse();
        assertThat(bucket.take(SECOND + 20 * MILLI)).isTrue();
    }
}

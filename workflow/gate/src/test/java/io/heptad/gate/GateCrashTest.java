package io.heptad.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Seeded;
import io.heptad.contract.Watched;
import io.heptad.contract.gate.Crash;
import io.heptad.contract.gate.OrderTrials;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * A process that dies at any boundary, of the store, of a step in a transaction, of the provider, and what the next one makes
 * of it. In one JVM, on the store in memory: what dies is all that the gate holds, what stays is what the store has.
 */
@Watched
class GateCrashTest {
    private static final int RECOVERY = 40; // more than a recovery passes: those beyond its end do not die
    private static final int ROWS = 200;

    private static Thread.@Nullable UncaughtExceptionHandler before;

    @BeforeAll
    static void theDeadAreQuiet() {
        before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            if (!(thrown instanceof Crash.Dead)) {
                thrown.printStackTrace();
            }
        });
    }

    @AfterAll
    static void asItWas() {
        Thread.setDefaultUncaughtExceptionHandler(before);
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
    void killedAtAnyBoundaryBothOrdersSettle() throws InterruptedException {
        int boundaries = OrderTrials.boundaries();
        System.out.println("crash points of two orders: " + boundaries);
        assertThat(boundaries).as("there is something to die at").isGreaterThan(60);

        assertThat(OrderTrials.killedAtEveryBoundary()).isEmpty();
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
    void killedAgainAtAnyBoundaryOfItsRecoveryBothOrdersSettle() throws InterruptedException {
        int boundaries = OrderTrials.boundaries();
        for (int first = 1; first <= boundaries; first++) {
            for (int second = 1; second <= RECOVERY; second++) {
                assertThat(OrderTrials.killedAt(first, second)).isEmpty();
            }
        }
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
    void killedAgainAndAgainBothOrdersSettle() {
        Seeded.run(random -> {
            int boundaries = OrderTrials.boundaries();
            for (int i = 0; i < ROWS; i++) {
                int first = random.nextInt(1, boundaries + 1);
                int[] later = random.ints(5, 1, RECOVERY + 1).toArray();
                assertThat(OrderTrials.killedAt(first, later)).isEmpty();
            }
        });
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
    void ofProcessesThatLiveAndDieAtRandomEveryOrderSettles() {
        for (int i = 0; i < 10; i++) {
            Seeded.run(
                    random -> assertThat(OrderTrials.killedAtRandom(random, 40)).isEmpty());
        }
    }

    @Test
    void aLostReplyIsNoRefusalAndNoSecondCharge() throws InterruptedException {
        assertThat(OrderTrials.aReplyIsLost()).isEmpty();
    }

    @Test
    void aDeclinedCardLeavesTheOrderPlacedAndPayable() throws InterruptedException {
        assertThat(OrderTrials.theCardIsDeclined()).isEmpty();
    }

    @Test
    void nobodyCancelsWhatIsBeingCharged() throws Exception {
        assertThat(OrderTrials.cancelledWhileItIsCharged()).isEmpty();
    }

    @Test
    void aFrozenHolderThatWakesWritesNothing() throws Exception {
        assertThat(OrderTrials.aFrozenHolderWakes()).isEmpty();
    }

    @Test
    void nobodyIsToldOfWhatWasNotCommitted() throws InterruptedException {
        assertThat(OrderTrials.aCommitFails()).isEmpty();
    }

    @Test
    void aReactionThatHangsHoldsUpNoEvent() throws Exception {
        assertThat(OrderTrials.aReactionHangs()).isEmpty();
    }
}

package io.heptad.stress.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.gate.OrderTrials;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * The protocol with one guard taken away, each played through by the trial that is about this guard: the trial must say what
 * went wrong. The gate's own tests hold the shipped gate against the same trials, where nothing may.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class GateMutantsTest {
    private static Thread.UncaughtExceptionHandler before;

    @BeforeAll
    static void theDeadAreQuiet() {
        before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {});
    }

    @AfterAll
    static void asItWas() {
        Thread.setDefaultUncaughtExceptionHandler(before);
    }

    private static List<String> trial(String mutant, String trial) throws Exception {
        return new Weakened(mutant).trial(OrderTrials.class, trial);
    }

    @Test
    void theTrialsFindNothingWrongWithTheGateThatIsShipped() throws Exception {
        for (String trial : List.of(
                "killedAtEveryBoundary",
                "aReplyIsLost",
                "theCardIsDeclined",
                "cancelledWhileItIsCharged",
                "aFrozenHolderWakes",
                "aCommitFails",
                "aReactionHangs")) {
            assertThat(Weakened.inNothing().trial(OrderTrials.class, trial))
                    .as(trial)
                    .isEmpty();
        }
    }

    @Test
    void withoutAKeyTheCardIsChargedTwice() throws Exception {
        assertThat(trial("sendsnokey", "killedAtEveryBoundary")).anyMatch(what -> what.contains("charged 2 times"));
        assertThat(trial("sendsnokey", "aReplyIsLost")).isNotEmpty();
    }

    @Test
    void withAKeyForEachAttemptTheCardIsChargedTwice() throws Exception {
        assertThat(trial("makesakeyforeachattempt", "killedAtEveryBoundary"))
                .anyMatch(what -> what.contains("charged 2 times"));
        assertThat(trial("makesakeyforeachattempt", "aReplyIsLost")).anyMatch(what -> what.contains("charged 3 times"));
    }

    @Test
    void withoutAnIntentAChargeIsForgotten() throws Exception {
        assertThat(trial("writesnointent", "killedAtEveryBoundary"))
                .anyMatch(what -> what.contains("is Placed") && what.contains("but was charged 1"));
    }

    @Test
    void withTheCommitBeforeTheCallAnOrderIsPaidWithoutMoney() throws Exception {
        assertThat(trial("commitsbeforethecall", "theCardIsDeclined"))
                .anyMatch(what -> what.contains("is Paid") && what.contains("but was charged 0"));
    }

    @Test
    void withoutAFenceAFrozenHolderWritesItsOldNo() throws Exception {
        assertThat(trial("forgetsthefence", "aFrozenHolderWakes")).anyMatch(what -> what.contains("frozen"));
    }

    @Test
    void withoutTheLockOfTheOpenActionAnOrderIsCancelledWhileItIsCharged() throws Exception {
        assertThat(trial("cancelswhileanactionisopen", "cancelledWhileItIsCharged"))
                .anyMatch(what -> what.startsWith("cancelled"));
    }

    @Test
    void withATimeoutTakenForANoTheMoneyIsTakenAndDenied() throws Exception {
        assertThat(trial("takesatimeoutforano", "aReplyIsLost")).anyMatch(what -> what.contains("but was charged 1"));
    }

    @Test
    void withTwoCommitsForANoAndItsRefundTheRefundIsForgotten() throws Exception {
        assertThat(trial("declinesandrefundsintwocommits", "killedAtEveryBoundary"))
                .anyMatch(what -> what.contains("packing it was declined and nothing follows"));
    }

    @Test
    void withReactionsBeforeTheCommitAMailTellsOfWhatIsNotPaid() throws Exception {
        assertThat(trial("tellsbeforethecommit", "aCommitFails"))
                .anyMatch(what -> what.contains("a mail about an order that is not paid"));
    }

    @Test
    void withReactionsInsideOfTheLockASlowMailHoldsUpTheOrder() throws Exception {
        assertThat(trial("tellsinsideofthelock", "aReactionHangs")).anyMatch(what -> what.contains("held up"));
    }
}

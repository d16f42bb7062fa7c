package io.heptad.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.heptad.contract.BoundedContract;
import io.heptad.contract.Watched;
import io.heptad.core.SemaphoreQueue.Fault;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** The contract suite is itself tested: a fault built into a sound queue fails the test that is meant for it. */
@Watched
class BoundedContractFaultsTest {
    static class Faulty extends SemaphoreQueueContractTest {
        /** Static because JUnit builds the instance; one test at a time uses it. */
        private static volatile Fault fault = Fault.NONE;

        @Override
        Fault fault() {
            return fault;
        }

        @Override
        protected Duration patience() {
            return fault == Fault.NONE ? super.patience() : Duration.ofMillis(300);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "HOLDS_ONE_TOO_MANY,                 holdsExactlyItsCapacity",
        "COUNTS_THE_ITEM_IN_HAND,            answersTheQuestionsAsItWasBuilt",
        "COUNTS_BEFORE_THERE_IS_ROOM,        staysWithinItsBoundUnderLoadAndLosesNothingItDoesNotCount",
        "DROPS_WITHOUT_COUNTING,             countsEveryDropUnderContention",
        "DROPS_THE_WRONG_END,                dropsTheOldestAndCountsIt",
        "KEEPS_THE_REFUSED,                  tenThousandRefusalsParkNoThreadAndKeepNothing",
        "PARKS_BEFORE_IT_REJECTS,            tenThousandRefusalsParkNoThreadAndKeepNothing",
        "HOLDS_A_LOCK_WHILE_IT_HANDLES,      anyThreadReadsTheDepthOfAStuckShapeAtOnce",
        "KEEPS_THE_CLAIM_OF_THE_INTERRUPTED, anInterruptedProducerLeavesNothingBehind",
        "FORGETS_BLOCKED_PRODUCERS_ON_CLOSE, closingFreesABlockedProducerAndRefusesTheNext",
        "TAKES_ANY_BOUND,                    refusesABoundBelowOneAndNamesIt",
        "NEVER_SAYS_WHEN_TO_COME_BACK,       tellsTheRefusedWhenToComeBackOnceItHasDrained"
    })
    void theTestMeantForAFaultFailsWithItAndPassesWithout(Fault fault, String test) {
        assertThat(run(Fault.NONE, test).failed().count())
                .as("failures without a fault")
                .isZero();
        assertThat(run(fault, test).failed().count())
                .as("failures with " + fault)
                .isPositive();
    }

    @Test
    void everyFaultHasItsTest() throws NoSuchMethodException {
        Method table = BoundedContractFaultsTest.class.getDeclaredMethod(
                "theTestMeantForAFaultFailsWithItAndPassesWithout", Fault.class, String.class);
        Set<String> covered = Arrays.stream(table.getAnnotation(CsvSource.class).value())
                .map(row -> row.split(",")[0])
                .collect(Collectors.toSet());
        covered.add(Fault.NONE.name());

        assertThat(covered)
                .isEqualTo(Arrays.stream(Fault.values()).map(Fault::name).collect(Collectors.toSet()));
    }

    private static Events run(Fault fault, String test) {
        Faulty.fault = fault;
        Method method = Arrays.stream(BoundedContract.class.getDeclaredMethods())
                .filter(one -> one.getName().equals(test))
                .findAny()
                .orElseThrow();
        Events events = EngineTestKit.engine("junit-jupiter")
                .selectors(selectMethod(Faulty.class, method))
                .execute()
                .testEvents();
        assertThat(events.started().count()).as("tests begun").isPositive();
        return events;
    }
}

package io.heptad.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.heptad.contract.Seeded;
import io.heptad.contract.Watched;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** The watchdog and the seed: what a failing test must leave behind. */
@Watched
class WatchedTest {
    @Watched
    static class Hangs {
        @Test
        @Timeout(value = 1, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
        void forEver() throws InterruptedException {
            Thread.ofVirtual().name("the virtual culprit").start(Hangs::waitForNobody);
            CountDownLatch never = new CountDownLatch(1);
            while (true) {
                try {
                    never.await();
                } catch (InterruptedException ignored) {
                    // as a test that swallows interrupts would
                }
            }
        }

        private static void waitForNobody() {
            while (true) {
                LockSupport.park();
            }
        }
    }

    @Test
    void aHangBecomesAFailureWithTheStacksOfAllThreads() {
        PrintStream err = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        Events tests;
        try {
            tests = EngineTestKit.engine("junit-jupiter")
                    .selectors(selectClass(Hangs.class))
                    .execute()
                    .testEvents();
        } finally {
            System.setErr(err);
        }

        assertThat(tests.failed().stream()
                        .map(event -> event.getPayload(org.junit.platform.engine.TestExecutionResult.class)
                                .orElseThrow()
                                .getThrowable()
                                .orElseThrow()))
                .singleElement()
                .isInstanceOf(TimeoutException.class);
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("Hung: ", "forEver", "the virtual culprit", "waitForNobody");
    }

    @Test
    void aFailureNamesItsSeedAndTheSeedRepeatsIt() {
        AssertionError first = Assertions.catchThrowableOfType(
                AssertionError.class, () -> Seeded.run(random -> Assertions.fail(String.valueOf(random.nextLong()))));
        long seed = Long.parseLong(first.getMessage().replaceAll("(?s).*seed=(-?\\d+).*", "$1"));

        AssertionError again = Assertions.catchThrowableOfType(
                AssertionError.class,
                () -> Seeded.run(seed, random -> Assertions.fail(String.valueOf(random.nextLong()))));

        assertThat(again).hasMessage(first.getMessage());
    }
}

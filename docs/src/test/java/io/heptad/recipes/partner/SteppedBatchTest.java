package io.heptad.recipes.partner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.bucket4j.Bucket;
import io.heptad.core.FullPolicy;
import io.heptad.core.Work;
import io.heptad.pool.WorkerPool;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The composition of the recipe, with the shipped pool, the real bucket and the real retry policy, in virtual time. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SteppedBatchTest {
    private static final Duration CALL = Duration.ofMillis(50);
    private static final int BURST = 10;

    /** How a batch went. */
    private record Run(SteppedPartner partner, double seconds, int succeeded, int failed) {}

    @Test
    void twentySlotsOfFiftyMillisecondsMakeFourHundredCallsASecond() throws Exception {
        Run run = run(10_000, 20, 0, 0);

        assertThat(run.seconds).isEqualTo(25.0);
        assertThat(run.partner.busiestSecond()).isEqualTo(400);
        assertThat(run.partner.peak()).isEqualTo(20);
        assertThat(run.succeeded).isEqualTo(10_000);
    }

    @Test
    void tokensHoldTheRateWhileSlotsHoldTheCallsInFlight() throws Exception {
        Run run = run(10_000, 20, 100, 0);

        assertThat(run.partner.busiestSecond()).isBetween(100, 100 + BURST);
        assertThat(run.partner.peak()).isLessThanOrEqualTo(20);
        assertThat(run.seconds).isCloseTo(100, within(0.5));
        assertThat(run.succeeded).isEqualTo(10_000);
    }

    @Test
    void eitherLimitCanBeChangedWithoutTheOther() throws Exception {
        Run fewerSlots = run(2_000, 2, 100, 0);
        assertThat(fewerSlots.partner.peak()).isEqualTo(2);
        assertThat(fewerSlots.seconds).isEqualTo(50.0); // 2 / 50 ms = 40 a second: the slots are the limit now
        assertThat(fewerSlots.partner.busiestSecond()).isEqualTo(40);

        Run fewerTokens = run(2_000, 20, 50, 0);
        assertThat(fewerTokens.partner.busiestSecond()).isBetween(50, 50 + BURST);
        assertThat(fewerTokens.seconds).isCloseTo(40, within(0.5));
        assertThat(fewerTokens.partner.peak()).isLessThanOrEqualTo(20);
    }

    @Test
    void retriesRunInsideTheirSlot() throws Exception {
        Run run = run(10_000, 20, 0, 2);

        assertThat(run.partner.calls()).isEqualTo(30_000);
        assertThat(run.partner.peak()).isEqualTo(20);
        assertThat(run.seconds).isEqualTo(75.0); // 20 in flight from the first moment to the last
        assertThat(run.succeeded).isEqualTo(10_000);
    }

    @Test
    void everyRetryTakesATokenToo() throws Exception {
        Run run = run(3_000, 20, 100, 2);

        assertThat(run.partner.calls()).isEqualTo(9_000);
        assertThat(run.partner.busiestSecond()).isBetween(100, 100 + BURST);
        assertThat(run.partner.peak()).isLessThanOrEqualTo(20);
        assertThat(run.seconds).isCloseTo(90, within(0.5));
        assertThat(run.succeeded).isEqualTo(3_000);
    }

    @Test
    void anItemThatFailsEveryTryIsReportedAndHoldsUpNobody() throws Exception {
        Run run = run(1_000, 20, 0, 3);

        assertThat(run.partner.calls()).isEqualTo(3_000);
        assertThat(run.failed).isEqualTo(1_000);
        assertThat(run.seconds).isEqualTo(7.5);
    }

    /** Slots above the rate: the later tokens come too late for the deadline, and no call is made without one. */
    @Test
    void beginsNoCallThatTheDeadlineWouldCutShort() throws Exception {
        SteppedClock clock = new SteppedClock(20, 20);
        SteppedPartner partner = new SteppedPartner(clock, CALL, 0);
        Bucket slow = PatientCall.tokens(1, 1, clock);
        Run run = run(20, 20, clock, partner, slow, CALL.multipliedBy(2), Duration.ofSeconds(5));

        assertThat(run.succeeded).isEqualTo(5); // at 0, 1, 2, 3 and 4 s; a call at 5 s would end after the deadline
        assertThat(run.failed).isEqualTo(15);
        assertThat(partner.calls()).isEqualTo(5);
        assertThat(run.seconds).isLessThanOrEqualTo(5);
    }

    private static Run run(int items, int slots, int rate, int failures) throws Exception {
        SteppedClock clock = new SteppedClock(slots, items);
        SteppedPartner partner = new SteppedPartner(clock, CALL, failures);
        Bucket tokens = rate == 0 ? null : PatientCall.tokens(rate, BURST, clock);
        return run(items, slots, clock, partner, tokens, Duration.ofSeconds(1), Duration.ofSeconds(30));
    }

    private static Run run(
            int items,
            int slots,
            SteppedClock clock,
            SteppedPartner partner,
            @Nullable Bucket tokens,
            Duration timeout,
            Duration deadline)
            throws InterruptedException, ExecutionException, java.util.concurrent.TimeoutException {
        PatientCall call = new PatientCall(
                partner,
                tokens,
                clock,
                clock,
                PatientCall.retries(3, attempt -> Duration.ZERO),
                timeout,
                deadline,
                nanos -> {});
        Work<String, String> through = item -> {
            try {
                return call.apply(item);
            } finally {
                clock.finished();
            }
        };
        AtomicInteger succeeded = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        try (WorkerPool pool = WorkerPool.of("partner", slots, slots, FullPolicy.BLOCK)) {
            CompletableFuture<Void> batch = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> {
                try {
                    pool.<String, String>forEachSettled(
                            Items.numbered(items, () -> false),
                            through,
                            one -> (one instanceof io.heptad.pool.Settled.Succeeded<?, ?> ? succeeded : failed)
                                    .incrementAndGet());
                    batch.complete(null);
                } catch (Throwable broken) {
                    batch.completeExceptionally(broken);
                }
            });
            clock.drive();
            batch.get(20, TimeUnit.SECONDS);
        }
        return new Run(partner, clock.seconds(), succeeded.get(), failed.get());
    }
}

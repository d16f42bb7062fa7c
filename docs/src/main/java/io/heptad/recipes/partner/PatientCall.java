package io.heptad.recipes.partner;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeException;
import dev.failsafe.RetryPolicy;
import io.github.bucket4j.BlockingStrategy;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import io.heptad.core.Backoff;
import io.heptad.core.Work;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * All that happens to one item, inside the one slot that the pool gave it: a token, the call, and, if that failed, a
 * pause and the same again.
 *
 * <p>The retry is in here and not around the batch, so a retry holds a slot like any other call and cannot make one more
 * than the partner allows. And it takes a token like any other call, so retries cannot pass the rate either.
 */
final class PatientCall implements Work<String, String> {
    private final PartnerApi partner;
    private final @Nullable Bucket tokens;
    private final BlockingStrategy pause;
    private final TimeMeter clock;
    private final RetryPolicy<String> retries;
    private final Duration timeout;
    private final long deadlineNanos;
    private final CallLog log;

    /**
     * The work of a batch.
     *
     * @param partner whom to call
     * @param tokens the rate; null for no limit
     * @param pause how to wait for a token
     * @param clock the clock of the deadline, and of the tokens
     * @param retries which failures to try again, how often and after how long
     * @param timeout how long one call may take
     * @param deadline how long the whole item may take
     * @param log told how long each call took
     */
    PatientCall(
            PartnerApi partner,
            @Nullable Bucket tokens,
            BlockingStrategy pause,
            TimeMeter clock,
            RetryPolicy<String> retries,
            Duration timeout,
            Duration deadline,
            CallLog log) {
        this.partner = partner;
        this.tokens = tokens;
        this.pause = pause;
        this.clock = clock;
        this.retries = retries;
        this.timeout = timeout;
        this.deadlineNanos = deadline.toNanos();
        this.log = log;
    }

    // @start region=rate
    /** So many tokens a second, evenly, and a small store of them. Made beside the pool: neither knows the other. */
    static Bucket tokens(int perSecond, int burst, TimeMeter clock) {
        return Bucket.builder()
                .addLimit(limit -> limit.capacity(burst).refillGreedy(perSecond, Duration.ofSeconds(1)))
                .withCustomTimePrecision(clock)
                .build();
    }
    // @end

    // @start region=retries
    /** Tries again what may pass, after a pause that no two items share; never sooner than the partner asked for. */
    static RetryPolicy<String> retries(int tries, Backoff backoff) {
        return RetryPolicy.<String>builder()
                .handle(IOException.class)
                .withMaxAttempts(tries)
                .withDelayFn(failed -> backoff.delay(failed.getAttemptCount())
                        .plus(
                                failed.getLastException() instanceof PartnerException no
                                        ? no.retryAfter()
                                        : Duration.ZERO))
                .build();
    }
    // @end

    // @start region=call
    @Override
    public String apply(String item) throws Exception {
        long deadline = clock.currentTimeNanos() + deadlineNanos;
        try {
            return Failsafe.with(retries).get(attempt -> {
                takeToken(deadline);
                long start = clock.currentTimeNanos();
                try {
                    return partner.call(item, attempt.getAttemptCount() + 1, timeout);
                } finally {
                    log.called(clock.currentTimeNanos() - start);
                }
            });
        } catch (FailsafeException wrapped) {
            if (wrapped.getCause() instanceof Exception cause) {
                throw cause; // the report counts causes, not wrappers
            }
            throw wrapped;
        }
    }

    private void takeToken(long deadline) throws InterruptedException, DeadlineException {
        // A call that the deadline would cut short is not begun: the partner would still be at it while its slot goes
        // to
        // the next item, and would see one more than it allows.
        long spare = deadline - clock.currentTimeNanos() - timeout.toNanos();
        if (spare < 0 || (tokens != null && !tokens.asBlocking().tryConsume(1, spare, pause))) {
            throw new DeadlineException("no time left for another call");
        }
    }
    // @end

    /** The item's time was up before the partner had answered well. Not tried again. */
    static final class DeadlineException extends Exception {
        private static final long serialVersionUID = 1L;

        DeadlineException(String message) {
            super(message);
        }
    }

    /** Told about each call. */
    @FunctionalInterface
    interface CallLog {
        void called(long nanos);
    }
}

package io.heptad.recipes.partner;

import io.github.bucket4j.BlockingStrategy;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import io.heptad.core.FullPolicy;
import io.heptad.core.HeptadMetrics;
import io.heptad.pool.WorkerPool;
import io.heptad.recipes.Option;
import io.heptad.recipes.Options;
import io.heptad.recipes.Progress;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.PrintStream;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.ConcurrentHistogram;
import org.jspecify.annotations.Nullable;

/**
 * A batch job calls a partner for 10,000 items. The partner takes 20 requests at a time and 100 a second, fails now and
 * then, is slow now and then, and hangs up now and then. Failures must not stop the batch, and at the end somebody wants
 * to know what succeeded, what failed and why, and has to try again what failed.
 *
 * <p>The composition: a {@link WorkerPool} of 20 for the requests at a time, a token bucket for the requests a second,
 * the retry inside the slot, and {@link WorkerPool#forEachSettled} for "failures do not stop it".
 */
public final class PartnerBatch {
    /** What can be set. */
    public static final List<Option> OPTIONS = Settings.OPTIONS;

    private final Settings settings;
    private final PrintStream out;
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ConcurrentHistogram calls = new ConcurrentHistogram(3_600_000_000L, 3); // microseconds

    private PartnerBatch(Settings settings, PrintStream out) {
        this.settings = settings;
        this.out = out;
    }

    /**
     * Runs the batch.
     *
     * @param options what was set
     * @param out where the progress and the report go
     * @throws Exception if the batch could not be run
     */
    public static void run(Options options, PrintStream out) throws Exception {
        new PartnerBatch(Settings.from(options), out).run();
    }

    private void run() throws Exception {
        if (settings.stub()) {
            StubPartner stub = new StubPartner(settings.traits());
            run(stub, stub);
        } else {
            try (Partner partner = Partner.start(settings.traits());
                    HttpPartner http = new HttpPartner(partner.uri())) {
                run(http, partner);
            }
        }
    }

    private void run(PartnerApi partner, Witness witness) throws Exception {
        long start = System.nanoTime();
        BooleanSupplier over =
                () -> System.nanoTime() - start >= settings.budget().toNanos();
        try (Items items = settings.input().isPresent()
                        ? Items.of(settings.input().get(), over)
                        : Items.numbered(settings.items(), over);
                RetryFile retries = new RetryFile(settings.output().resolve("retry-input.csv"))) {
            out.println(settings.announcement(items.total()));
            Tally tally = new Tally(items, retries);
            Report report = new Report(settings, items, retries, tally, calls, registry, witness, start);
            // @start region=compose
            try (WorkerPool pool = WorkerPool.of("partner", settings.slots(), settings.slots(), FullPolicy.BLOCK)) {
                new HeptadMetrics(pool).bindTo(registry);
                PatientCall call = new PatientCall(
                        partner,
                        tokens(),
                        BlockingStrategy.PARKING,
                        TimeMeter.SYSTEM_NANOTIME,
                        PatientCall.retries(settings.tries(), settings.backoff()),
                        settings.timeout(),
                        settings.deadline(),
                        this::called);
                Sampler sampler = new Sampler(registry, tally::done);
                boolean stopped = false;
                try (sampler;
                        Progress progress =
                                Progress.of(settings.progress(), "partner", items.total(), out, sampler::heap)) {
                    pool.forEachSettled(items, call, tally.andThen(one -> progress.done(tally.done())));
                } catch (InterruptedException ctrlC) {
                    stopped = true; // what was done is worth knowing, and what was not has to be in the retry input
                }
                report.print(out, sampler, stopped);
            }
            // @end
        }
    }

    private void called(long nanos) {
        calls.recordValue(Math.min(nanos / 1_000, calls.getHighestTrackableValue()));
    }

    private @Nullable Bucket tokens() {
        int rate = settings.rate();
        return rate == 0 ? null : PatientCall.tokens(rate, Math.max(1, rate / 10), TimeMeter.SYSTEM_NANOTIME);
    }
}

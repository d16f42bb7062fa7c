package io.heptad.recipes.uploads;

import io.heptad.pipeline.DrainReport;
import io.heptad.pipeline.Pipeline;
import io.heptad.recipes.Option;
import io.heptad.recipes.Options;
import io.heptad.recipes.uploads.Settings.Slow;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Order files come in. Parsing one is work for a processor, validating it needs a connection to the database, and
 * delivering the result is waiting for the network: three stages, each with as many workers as what it uses allows, joined
 * by bounded queues.
 */
public final class Uploads {
    /** What can be set. */
    public static final List<Option> OPTIONS = Settings.OPTIONS;

    /** How long a run that is stopped waits for deliveries that are under way. */
    private static final Duration LAST_DELIVERIES = Duration.ofMillis(300);

    private static final Duration NO_LIMIT = Duration.ofSeconds(Long.MAX_VALUE);

    /** A virtual thread that computes would hold its carrier. */
    private static final ThreadFactory COMPUTING =
            Thread.ofPlatform().daemon().name("parse-", 1).factory();

    private final Settings settings;
    private final PrintStream out;

    private Uploads(Settings settings, PrintStream out) {
        this.settings = settings;
        this.out = out;
    }

    /**
     * Takes the uploads through.
     *
     * @param options what was set
     * @param out where the stages and the accounting go
     * @throws Exception if the uploads could not be read, or the database or the receiver not be opened
     */
    public static void run(Options options, PrintStream out) throws Exception {
        new Uploads(Settings.from(options), out).run();
    }

    private void run() throws Exception {
        List<Path> files = settings.files();
        out.printf(
                Locale.ROOT,
                "uploads: %,d files through parse (%d) -> validate (%d) -> deliver (%d)%n",
                files.size(),
                settings.parsers(),
                settings.connections(),
                settings.deliveries());
        try (Catalogue catalogue = Catalogue.open(settings.connections(), settings.delayOf(Slow.VALIDATE));
                Receiver receiver = Receiver.open(settings.latency(), settings.failing());
                Courier courier = new Courier(receiver.uri())) {
            run(files, catalogue, receiver, courier);
        }
    }

    private void run(List<Path> files, Catalogue catalogue, Receiver receiver, Courier courier) throws Exception {
        long start = System.nanoTime();
        Accounting accounting = new Accounting();
        // @start region=stages
        Pipeline<Path> pipeline = Pipeline.of("uploads", Path.class)
                .then("parse", settings.parsers(), this::parse, options -> options.threads(COMPUTING)) // the processor
                .then("validate", settings.connections(), catalogue::validate) // the database: one connection each
                .then("deliver", settings.deliveries(), order -> deliver(courier, order)) // the network
                .into(accounting::delivered)
                .onFailure(accounting::failed)
                .start();
        // @end
        int put = 0;
        DrainReport end;
        try (StageTable table = StageTable.of(pipeline, out, settings.progress())) {
            table.start();
            try {
                // @start region=source
                for (Path file : files) {
                    pipeline.put(file); // waits while parse is full: the folder is the queue that has no bound
                    put++;
                }
                end = pipeline.close(NO_LIMIT);
                // @end
            } catch (InterruptedException ctrlC) {
                end = pipeline.close(LAST_DELIVERIES); // what is inside is handed back
            }
        }
        accounting.awaitFailures(end.stats().failed());
        accounting.print(
                out,
                end,
                files.size(),
                files.subList(put, files.size()),
                catalogue,
                receiver,
                settings,
                (System.nanoTime() - start) / 1e9);
    }

    private Upload parse(Path file) throws Exception {
        Upload upload = Upload.parse(file);
        spin(settings.delayOf(Slow.PARSE));
        return upload;
    }

    private Courier.Receipt deliver(Courier courier, Order order) throws Exception {
        TimeUnit.NANOSECONDS.sleep(settings.delayOf(Slow.DELIVER).toNanos());
        return courier.deliver(order);
    }

    /** Uses the processor for so long. */
    private static void spin(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - until < 0 && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
    }
}

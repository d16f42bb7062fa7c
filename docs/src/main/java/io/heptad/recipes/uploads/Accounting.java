package io.heptad.recipes.uploads;

import io.heptad.pipeline.DrainReport;
import io.heptad.pipeline.FailedItem;
import io.heptad.pipeline.PipelineStats;
import io.heptad.pipeline.StageResidue;
import io.heptad.pipeline.StageStats;
import io.heptad.recipes.BrokenRunException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** What became of each upload. */
final class Accounting {
    private final Map<String, LongAdder> causes = new ConcurrentSkipListMap<>();
    private final Map<String, String> failed = new ConcurrentSkipListMap<>();
    private final LongAdder delivered = new LongAdder();
    private final LongAdder cents = new LongAdder();

    void delivered(Courier.Receipt receipt) {
        delivered.increment();
        cents.add(receipt.cents());
    }

    void failed(FailedItem item) {
        String why = item.stage() + ": " + RefusedUploadException.reason(item.cause());
        causes.computeIfAbsent(why, none -> new LongAdder()).increment();
        failed.put(name(item.item()), why);
    }

    /** Failures are told after they are counted: waits for those of a run that was ended while some were under way. */
    void awaitFailures(long counted) {
        long until = System.nanoTime() + 200_000_000L;
        while (failed.size() < counted && System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
    }

    /** The name of an upload, wherever it is. */
    static String name(Object item) {
        return switch (item) {
            case Path file -> String.valueOf(file.getFileName());
            case Upload upload -> upload.name();
            case Order order -> order.upload().name();
            default -> item.toString();
        };
    }

    void print(
            PrintStream out,
            DrainReport end,
            int files,
            List<Path> notPut,
            Catalogue catalogue,
            Receiver receiver,
            Settings settings,
            double seconds)
            throws IOException {
        PipelineStats stats = end.stats();
        line(
                out,
                "%n%s %,d of %,d uploads in %.1f s: %,.0f a second",
                end.drained() && notPut.isEmpty() ? "Done:" : "Stopped after",
                stats.out() + stats.failed(),
                files,
                seconds,
                (stats.out() + stats.failed()) / seconds);
        line(out, "  delivered        %,12d   (%,d.%02d in all)", stats.out(), cents.sum() / 100, cents.sum() % 100);
        line(out, "  failed           %,12d", stats.failed());
        causes.forEach((cause, count) -> line(out, "    %-24s %,4d", cause, count.sum()));
        if (end.left() > 0) {
            line(out, "  handed back      %,12d", end.left());
            for (StageResidue stage : end.residue()) {
                line(
                        out,
                        "    %-14s %,6d begun, %,d waiting",
                        stage.stage(),
                        stage.begun().size(),
                        stage.waiting().size());
            }
        }
        if (!notPut.isEmpty()) {
            line(out, "  not put in       %,12d", notPut.size());
        }
        for (StageStats stage : stats.stages()) {
            line(
                    out,
                    "  %-16s in %,d, out %,d, failed %,d; busy %.1f s of %d x %.1f s",
                    stage.name(),
                    stage.in(),
                    stage.out(),
                    stage.failed(),
                    stage.busyTime().toNanos() / 1e9,
                    stage.workers(),
                    seconds);
        }
        line(
                out,
                "  connections      %d of %d in use at most, %d waiting for one; deliveries %d of %d at most",
                catalogue.most(),
                settings.connections(),
                catalogue.mostWaiting(),
                receiver.most(),
                settings.deliveries());
        Path left = write(settings.output(), end, notPut);
        line(out, "  not delivered    %s: %,d rows", left, failed.size() + end.left() + notPut.size());
        out.flush();
        check(end, files, notPut.size(), catalogue, receiver, settings);
    }

    private void check(
            DrainReport end, int files, int notPut, Catalogue catalogue, Receiver receiver, Settings settings) {
        PipelineStats stats = end.stats();
        broken(
                stats.in() != stats.out() + stats.failed() + stats.inFlight() || stats.inFlight() != end.left(),
                "the books do not balance: " + stats);
        broken(stats.in() + notPut != files, "of " + files + " uploads " + (files - stats.in() - notPut) + " are gone");
        broken(
                receiver.accepted() < stats.out(),
                "the receiver has " + receiver.accepted() + " orders, and " + stats.out()
                        + " are said to be delivered");
        broken(
                end.drained() && receiver.accepted() != stats.out(),
                "the receiver has " + receiver.accepted() + " orders, and " + stats.out() + " were delivered");
        broken(catalogue.most() > settings.connections(), catalogue.most() + " connections in use at once");
        broken(receiver.most() > settings.deliveries(), receiver.most() + " deliveries at once");
    }

    private static void broken(boolean so, String what) {
        if (so) {
            throw new BrokenRunException(what);
        }
    }

    /** What did not get there, and why: a row for each. */
    private Path write(Path folder, DrainReport end, List<Path> notPut) throws IOException {
        List<String> rows = new ArrayList<>(List.of("upload,reason"));
        failed.forEach((upload, why) -> rows.add(upload + ",\"" + why + "\""));
        for (StageResidue stage : end.residue()) {
            stage.begun().forEach(item -> rows.add(name(item) + ",\"" + stage.stage() + ": begun, end unknown\""));
            stage.waiting().forEach(item -> rows.add(name(item) + ",\"" + stage.stage() + ": not begun\""));
        }
        notPut.forEach(file -> rows.add(name(file) + ",\"not put in\""));
        Files.createDirectories(folder);
        return Files.write(folder.resolve("not-delivered.csv"), rows);
    }

    private static void line(PrintStream out, String format, Object... values) {
        out.printf(Locale.ROOT, format + "%n", values);
    }
}

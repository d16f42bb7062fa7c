package io.heptad.recipes.durable;

import io.heptad.core.FullPolicy;
import io.heptad.queue.BoundedQueue;
import io.heptad.recipes.BrokenRunException;
import io.heptad.recipes.Option;
import io.heptad.recipes.Options;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Accepts items in a process that is then killed, and rebuilds the queue: once from memory, once from its journal. The
 * one in memory loses all that was accepted and not handled; the durable one loses nothing.
 */
public final class KillAndRebuild {
    /** What can be set. */
    public static final List<Option> OPTIONS = List.of(
            new Option("items", "100", "how many items are accepted before the process is killed"),
            new Option("handled", "40", "how many of them are handled by then, fewer than items"),
            new Option("output", "docs/target/kill-and-rebuild", "the folder of the journal"));

    /** What the callers were told, and what the rebuilt queue still knows. */
    record Aftermath(Set<String> accepted, Set<String> handled, List<String> rebuilt) {
        /** Accepted, not handled, and not in the rebuilt queue. */
        Set<String> lost() {
            Set<String> lost = new LinkedHashSet<>(accepted);
            lost.removeAll(handled);
            rebuilt.forEach(lost::remove);
            return lost;
        }
    }

    private KillAndRebuild() {}

    /**
     * Runs both.
     *
     * @param options what was set
     * @param out where the figures go
     * @throws Exception if a process could not be started
     */
    public static void run(Options options, PrintStream out) throws Exception {
        int items = options.count("items", 1, 100_000);
        int handled = options.count("handled", 0, 100_000);
        if (handled >= items) {
            throw options.refused("handled", "must be fewer than items (" + items + ")");
        }
        Path folder = options.path("output").orElseThrow();
        Files.createDirectories(folder);
        out.printf(Locale.ROOT, "kill-and-rebuild: %,d items accepted, %,d handled, then killed%n", items, handled);
        Aftermath memory = inMemory(items, handled);
        say(out, "in memory", memory);
        Aftermath durable = durable(folder.resolve("journal.log"), items, handled);
        say(out, "from the journal", durable);
        if (!durable.lost().isEmpty()) {
            throw new BrokenRunException("the durable queue lost " + durable.lost());
        }
    }

    private static void say(PrintStream out, String what, Aftermath after) {
        out.printf(
                Locale.ROOT,
                "  %-18s accepted %,d, handled %,d, rebuilt %,d: lost %,d%n",
                what,
                after.accepted.size(),
                after.handled.size(),
                after.rebuilt.size(),
                after.lost().size());
    }

    static Aftermath inMemory(int items, int handled) throws IOException, InterruptedException {
        Set<String> accepted = new LinkedHashSet<>();
        Set<String> done = new LinkedHashSet<>();
        kill("memory", Path.of("none"), items, handled, accepted, done);
        List<String> rebuilt = new ArrayList<>();
        try (BoundedQueue<String> queue = BoundedQueue.of(items, FullPolicy.REJECT)) {
            rebuilt.addAll(queue.closeNow()); // a new process, a new queue: there is nothing else to rebuild it from
        }
        return new Aftermath(accepted, done, rebuilt);
    }

    static Aftermath durable(Path journal, int items, int handled) throws IOException, InterruptedException {
        Files.deleteIfExists(journal);
        Set<String> accepted = new LinkedHashSet<>();
        Set<String> done = new LinkedHashSet<>();
        kill("journal", journal, items, handled, accepted, done);
        List<String> rebuilt = new ArrayList<>();
        try (DurableQueue queue = DurableQueue.open(journal, items)) {
            for (int left = queue.depth(); left > 0; left--) {
                rebuilt.add(queue.take().item());
            }
        }
        return new Aftermath(accepted, done, rebuilt);
    }

    /** Runs the process until it is killed, and notes what it says. */
    private static void kill(String kind, Path journal, int items, int handled, Set<String> accepted, Set<String> done)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Intake.class.getName(),
                        kind,
                        journal.toString(),
                        Integer.toString(items),
                        Integer.toString(handled))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int space = line.indexOf(' ');
                (line.startsWith("accepted ") ? accepted : done).add(line.substring(space + 1));
            }
            int code = process.waitFor();
            if (code != Intake.KILLED) {
                throw new BrokenRunException("the process must end killed, but ended with exit code " + code);
            }
        } finally {
            process.destroyForcibly();
        }
    }
}

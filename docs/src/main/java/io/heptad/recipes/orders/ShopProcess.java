package io.heptad.recipes.orders;

import io.heptad.recipes.BrokenRunException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One process of the shop, and what it says. */
final class ShopProcess implements AutoCloseable {
    /** Codes of a process that a person has stopped: Ctrl-C goes to all of a terminal. */
    private static final List<Integer> STOPPED = List.of(128 + 2, 128 + 15);

    /** An action that it took over. */
    record Takeover(Instant at, long fence, String key) {}

    private final String name;
    private final Instant started = Instant.now();
    private final Process process;
    private final Thread reader;
    private final ConcurrentLinkedQueue<Takeover> takeovers = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Instant killed;

    private ShopProcess(String name, Process process, IntConsumer finished) {
        this.name = name;
        this.process = process;
        this.reader = Thread.ofPlatform().daemon().name(name).start(() -> listen(finished));
    }

    static ShopProcess start(Shop.Task task, Path folder, IntConsumer finished) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:FlightRecorderOptions=repository=" + folder.resolve("flight"),
                "-cp",
                System.getProperty("java.class.path"),
                Shop.class.getName()));
        command.addAll(task.arguments());
        return new ShopProcess(
                task.name(),
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start(),
                finished);
    }

    private void listen(IntConsumer finished) {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] word = line.split(" ", 4);
                switch (word[0]) {
                    case "finished" -> finished.accept(Integer.parseInt(word[1]));
                    case "failed" -> failures.add(line);
                    case "takeover" ->
                        takeovers.add(new Takeover(Instant.parse(word[1]), Long.parseLong(word[2]), word[3]));
                    default -> failures.add("said " + line);
                }
            }
        } catch (IOException | RuntimeException broken) {
            failures.add("what it said cannot be read: " + broken);
        }
    }

    /** Waits until it has ended, by itself or killed, and all that it has said is heard. */
    void await() throws InterruptedException {
        int code = process.waitFor();
        reader.join();
        if (killed == null && STOPPED.contains(code)) {
            throw new InterruptedException(name + " was stopped");
        }
        if ((killed == null && code != 0) || !failures.isEmpty()) {
            throw new BrokenRunException(this + " ended with exit code " + code + ", and said "
                    + failures.stream().limit(5).toList());
        }
    }

    /** As kill -9 does: no hook runs, no block is left, nothing is flushed. Returns when it is dead. */
    Instant kill() throws InterruptedException {
        Instant now = Instant.now();
        killed = now;
        process.destroyForcibly();
        Object ignored = process.waitFor();
        return now;
    }

    String name() {
        return name;
    }

    Instant started() {
        return started;
    }

    /** When it was killed, if it was. */
    @Nullable
    Instant killed() {
        return killed;
    }

    Stream<Takeover> takeovers() {
        return takeovers.stream();
    }

    /** It is dead when this returns. */
    @Override
    public void close() {
        Object ignored = process.destroyForcibly()
                .onExit()
                .orTimeout(1, TimeUnit.SECONDS)
                .exceptionally(late -> process)
                .join();
    }

    @Override
    public String toString() {
        return name + " (process " + process.pid() + ")";
    }
}

package io.heptad.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs JMH for real, once, in this JVM. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RoundsTest {
    private static final String CELL = "queue.transfer pairs=1 capacity=16 threads=platform";

    private final Contest contest = Catalog.ofClassPath().contests().stream()
            .filter(each -> each.label().equals(CELL))
            .findAny()
            .orElseThrow();
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @TempDir
    Path directory;

    @Test
    void readsEveryPeerAndWritesWhatJmhMeasured() throws IOException {
        System.setProperty("jmh.ignoreLock", "true");
        Rounds rounds = rounds(contest);
        ContestResult result = rounds.run(contest);
        assertThat(result.failures()).isEmpty();
        assertThat(result.readings()).containsOnlyKeys(contest.peers());
        assertThat(result.ratio("ArrayBlockingQueue", Figure.TIME)).isPositive();
        assertThat(rounds.raw()).hasSameSizeAs(contest.peers());
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("[  1/", "heptad", "ok", "left 0:00");

        new Report(directory, "queue", RunMode.SMOKE, false, Results.STAMP).write(List.of(result), rounds.raw());
        assertThat(Files.readString(directory.resolve("queue-smoke.json")))
                .contains("\"benchmark\" : \"io.heptad.bench.queue.QueueTransfer.transfer\"", "\"peer\" : \"heptad\"");
    }

    @Test
    void reportsAPeerThatFailsAndRunsTheOthers() {
        System.setProperty("jmh.ignoreLock", "true");
        Contest broken = new Contest(
                contest.shape(),
                contest.method(),
                contest.benchmark(),
                contest.mode(),
                contest.compare(),
                contest.cell(),
                List.of("heptad", "nobody"));
        ContestResult result = rounds(broken).run(broken);
        assertThat(result.readings()).containsOnlyKeys("heptad");
        assertThat(result.failures()).singleElement().asString().contains(CELL, "nobody", "peer is nobody");
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("FAILED");
    }

    private Rounds rounds(Contest only) {
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        PrintStream log = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        Progress progress = new Progress(out, RunMode.SMOKE, List.of(List.of(only)));
        progress.shape(only.peers().size());
        return new Rounds(RunMode.SMOKE, only.peers().size(), progress, log);
    }
}

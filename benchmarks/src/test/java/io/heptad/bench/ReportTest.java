package io.heptad.bench;

import static io.heptad.bench.Results.STAMP;
import static io.heptad.bench.Results.contest;
import static io.heptad.bench.Results.reading;
import static io.heptad.bench.Results.result;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmh.annotations.Mode;

class ReportTest {
    private static final List<ContestResult> RESULTS = List.of(
            Results.platform(),
            result(
                    contest("size=1 threads=virtual"),
                    reading("heptad", Double.NaN, 10, 11, 12),
                    reading("slow", Double.NaN, 30, 33, 35)));

    @TempDir
    Path directory;

    @Test
    void judgesInFullModeOnly() {
        assertThat(Table.of("shape", RunMode.FULL, STAMP, RESULTS))
                .contains("slow", "4.00x", "goal >= 3.00: PASS", "goal >= 2.00: MISS")
                .contains("MISS  shape.method time (every cell) >= 2.00 of slow/fast")
                .contains("forks: 10.0 ns, 11.0 ns, 12.0 ns")
                .contains("worst pair of forks 2.92x")
                .contains("absent at size=1: it cannot")
                .contains("commit abc123 | Test VM 25 | 2 CPUs");
        assertThat(Table.of("shape", RunMode.QUICK, STAMP, RESULTS))
                .contains("slow", "4.00x", "Quick mode gives no verdict")
                .doesNotContain("PASS", "MISS");
    }

    @Test
    void showsThePercentilesOfALatency() {
        ContestResult latency = result(
                contest("size=1 threads=platform", Mode.SampleTime),
                reading("heptad", 1, 10_000),
                reading("slow", 1, 20_000));
        assertThat(Table.of("shape", RunMode.QUICK, STAMP, List.of(latency)))
                .contains("p50", "p99", "p99.9", "300.0 us", "600.0 us");
        assertThat(Table.of("shape", RunMode.QUICK, STAMP, RESULTS)).doesNotContain("p99.9");
    }

    @Test
    void saysWhatFailed() {
        ContestResult failed = new ContestResult(contest("size=1"), java.util.Map.of(), List.of("slow lost an item"));
        assertThat(Table.of("shape", RunMode.QUICK, STAMP, List.of(failed))).contains("FAILED:", "slow lost an item");
    }

    @Test
    void writesALineForEachPeerOfEachCell() {
        List<String> lines = Csv.of(RunMode.FULL, STAMP, RESULTS).lines().toList();
        assertThat(lines).hasSize(6).first().isEqualTo(Csv.HEAD);
        assertThat(lines.get(2))
                .startsWith(
                        "shape,method,size=1 threads=platform,slow,40.0000,4.00000,40.0000;40.0000,24.0000,100.000,")
                .contains(",4.00000,4.00000,2.00000;3.00000;1.00000,PASS;PASS;PASS,full,abc123,Test VM 25,2,")
                .endsWith("\"Some, \"\"CPU\"\"\",2026-01-01T00:00:00Z");
    }

    @Test
    void drawsEveryBenchmarkAsPngAndSvg() throws IOException {
        List<Path> charts = Charts.write(directory, "-full", STAMP, RESULTS);
        assertThat(charts)
                .extracting(path -> path.getFileName().toString())
                .containsExactly("shape.method-full.png", "shape.method-full.svg");
        assertThat(ImageIO.read(charts.getFirst().toFile()).getWidth()).isGreaterThan(1000);
        assertThat(Files.readString(charts.getLast())).contains("<svg").hasSizeGreaterThan(5_000);
    }

    @Test
    void drawsLatencyCellByCellAndManyCellsByTheirLastParameter() throws IOException {
        ContestResult latency = result(
                contest("size=1 threads=platform", Mode.SampleTime),
                reading("heptad", 1, 10_000),
                reading("slow", 1, 20_000));
        assertThat(Charts.write(directory, "-full", STAMP, List.of(latency, latency)))
                .extracting(path -> path.getFileName().toString())
                .contains("shape.method-size_1_threads_platform-full.png");
        List<ContestResult> many = java.util.stream.IntStream.rangeClosed(1, 8)
                .mapToObj(i -> result(
                        contest("size=" + i + " threads=" + (i % 2 == 0 ? "platform" : "virtual")),
                        reading("heptad", 1, i),
                        reading("slow", 1, 2 * i)))
                .toList();
        assertThat(Charts.write(directory, "-full", STAMP, many))
                .extracting(path -> path.getFileName().toString())
                .contains("shape.method-platform-full.svg", "shape.method-virtual-full.svg");
    }

    @Test
    void writesEverythingThatBelongsToARun() {
        Report whole = new Report(directory, "shape", RunMode.FULL, false, STAMP);
        assertThat(whole.write(RESULTS, List.of())).contains("SHAPE (full mode");
        assertThat(new Report(directory, "shape", RunMode.FULL, true, STAMP).write(RESULTS, List.of()))
                .isNotEmpty();
        assertThat(directory.toFile().list())
                .contains("shape-full.txt", "shape-full.csv", "shape-full.json", "shape-full-some.txt");
    }

    @Test
    void namesTheCauseThatLiesDeepest() {
        Exception deepest = new IllegalStateException("items were lost");
        Exception jmh = new RuntimeException("Benchmark error");
        jmh.addSuppressed(new AssertionError("a consumer failed", deepest));
        assertThat(Rounds.reason(new RuntimeException("wrapped", jmh))).contains("items were lost");
    }
}

package io.heptad.recipes.partner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.heptad.recipes.BadOptionException;
import io.heptad.recipes.Options;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole recipe, small: the real pool, the real partner, the real report. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PartnerBatchTest {
    @TempDir
    Path folder;

    @Test
    void reportsEveryItemAndNeverHasMoreThanTwentyInFlight() throws Exception {
        String said = run("items=300", "partner.failing=10", "seed=7");
        Set<String> injected = injected(300, "partner.failing=10", "seed=7");

        assertThat(injected).hasSizeBetween(10, 60);
        assertThat(said).contains("Done: 300 of 300 items").contains("peak in flight: 20 (");
        assertThat(number(said, "  succeeded +([\\d,]+)")).isEqualTo(300 - injected.size());
        assertThat(number(said, "  failed +([\\d,]+)")).isEqualTo(injected.size());
        assertThat(number(said, "    HTTP 500 +([\\d,]+)")).isEqualTo(injected.size());
        assertThat(number(said, "(\\d+) over 20 at a time")).isZero();
        assertThat(number(said, "Micrometer +succeeded ([\\d,]+)")).isEqualTo(300 - injected.size());
        assertThat(number(said, "Micrometer +succeeded [\\d,]+, failed ([\\d,]+)"))
                .isEqualTo(injected.size());
        assertThat(number(said, "active at most (\\d+) of 20")).isLessThanOrEqualTo(20);
        assertThat(rows())
                .containsExactlyInAnyOrderElementsOf(
                        injected.stream().map(item -> item + ",\"HTTP 500\"").toList());
        assertThat(folder.resolve("latency.png")).isNotEmptyFile();
        assertThat(folder.resolve("timeline.png")).isNotEmptyFile();
        await().untilAsserted(() -> assertThat(PartnerTest.threadNames()).isEmpty());
    }

    @Test
    void theRetryInputIsTheInputOfTheNextPassAndNothingIsLeftOnceTheFaultIsGone() throws Exception {
        run("items=200", "partner.failing=10");
        List<String> failed = rows();
        assertThat(failed).isNotEmpty();

        String again = run("input=" + folder.resolve("retry-input.csv"), "partner.failing=0");

        assertThat(number(again, "  succeeded +([\\d,]+)")).isEqualTo(failed.size());
        assertThat(number(again, "  failed +([\\d,]+)")).isZero();
        assertThat(rows()).isEmpty();
    }

    @Test
    void aReplyThatBreaksOffIsTriedAgainInItsSlot() throws Exception {
        String said = run("items=100", "partner.failing=0", "partner.hangups=20", "tries=10", "backoff=5ms");

        assertThat(number(said, "  succeeded +([\\d,]+)")).isEqualTo(100);
        assertThat(number(said, "(\\d+) cut off")).isPositive();
        assertThat(number(said, "peak in flight: (\\d+)")).isLessThanOrEqualTo(20);
    }

    @Test
    void aBudgetThatIsSpentLeavesTheRestInTheRetryInput() throws Exception {
        String said = run("items=1000", "partner.failing=0", "budget=0ms", "progress=none");

        assertThat(said).contains("Out of time after 0 of 1,000 items");
        assertThat(rows()).hasSize(1_000).allMatch(row -> row.endsWith(",\"not done\""));
    }

    @Test
    void anInterruptEndsItWithTheReportOfWhatWasDone() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        Options options = options("items=5000", "partner.latency=1ms", "rate=200", "partner.failing=20");
        Thread batch = new Thread(() -> {
            try {
                PartnerBatch.run(options, out);
            } catch (Exception broken) {
                broken.printStackTrace(out);
            }
        });
        batch.start();
        await().until(() -> bytes.toString(StandardCharsets.UTF_8).contains("  5%"));
        batch.interrupt();
        batch.join(10_000);
        assertThat(batch.isAlive()).isFalse();

        String said = bytes.toString(StandardCharsets.UTF_8);
        assertThat(said).contains("Stopped after").doesNotContain("Exception");
        long succeeded = number(said, "  succeeded +([\\d,]+)");
        assertThat(succeeded).isPositive();
        assertThat(rows()).hasSize((int) (5_000 - succeeded)).doesNotHaveDuplicates();
        await().untilAsserted(() -> assertThat(PartnerTest.threadNames()).isEmpty());
    }

    @Test
    void aStubOfManyItemsNeedsNoMoreMemoryThanAFew() throws Exception {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        // 150,000 outcomes, kept, would not fit the heap that it gets.
        Process process = new ProcessBuilder(
                        java.toString(),
                        "-Xmx16m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.heptad.recipes.Recipes",
                        "partner-batch",
                        "partner=stub",
                        "items=150000",
                        "output=" + folder)
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said).contains("Done: 150,000 of 150,000 items");
        assertThat(number(said, "  succeeded +([\\d,]+)") + number(said, "  failed +([\\d,]+)"))
                .isEqualTo(150_000);
    }

    @Test
    void refusesWhatCannotBeAndSaysWhichOptionAndWhichValue() {
        assertThat(Stream.of(
                        "items=0",
                        "items=many",
                        "rate=-1",
                        "partner=ftp",
                        "partner.failing=101",
                        "partner.latency=9ms-1ms",
                        "timeout=100ms",
                        "deadline=1s",
                        "backoff.max=1ms",
                        "progress=maybe",
                        "input=" + folder.resolve("none.csv")))
                .allSatisfy(option -> {
                    String[] pair = option.split("=", 2);
                    assertThatExceptionOfType(BadOptionException.class)
                            .isThrownBy(() -> run(option))
                            .withMessageContaining("option " + pair[0] + " ")
                            .withMessageContaining("\"" + pair[1] + "\"");
                });
    }

    /** Quick: a rate that the slots cannot reach, and replies that are just long enough to overlap. */
    private Options options(String... pairs) {
        List<String> all = new ArrayList<>(List.of(
                "rate=5000",
                "partner.latency=15ms-30ms",
                "partner.slow.latency=150ms",
                "backoff=20ms",
                "progress=lines",
                "output=" + folder));
        all.addAll(List.of(pairs));
        return Options.of(PartnerBatch.OPTIONS, all);
    }

    private String run(String... pairs) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PartnerBatch.run(options(pairs), new PrintStream(bytes, true, StandardCharsets.UTF_8));
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** The items that the partner of these options fails, computed without it. */
    private Set<String> injected(int items, String... pairs) {
        Traits traits = Traits.from(options(pairs));
        return IntStream.rangeClosed(1, items)
                .mapToObj(i -> "item-" + i)
                .filter(item -> traits.answer(item, 1) == Traits.Answer.FAILURE)
                .collect(Collectors.toSet());
    }

    private List<String> rows() throws Exception {
        List<String> lines = Files.readAllLines(folder.resolve("retry-input.csv"));
        assertThat(lines.getFirst()).isEqualTo("item,reason");
        return lines.subList(1, lines.size());
    }

    private static long number(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as("%s in%n%s", pattern, text).isTrue();
        return Long.parseLong(matcher.group(1).replace(",", ""));
    }
}

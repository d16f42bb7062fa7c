package io.heptad.recipes.uploads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.heptad.recipes.BadOptionException;
import io.heptad.recipes.Options;
import io.heptad.recipes.Recipes;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole recipe, small: real files, a real database, real sockets, and the accounting. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UploadsTest {
    @TempDir
    Path folder;

    private String run(String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of(options));
        all.add("output=" + folder);
        if (Stream.of(options).noneMatch(option -> option.startsWith("progress"))) {
            all.add("progress=none");
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Uploads.run(Options.of(Uploads.OPTIONS, all), new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8);
    }

    private static long number(String said, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(said);
        assertThat(matcher.find()).as("%s in %s", pattern, said).isTrue();
        return Long.parseLong(matcher.group(1).replace(",", ""));
    }

    @Test
    void everyUploadIsDeliveredOrFailsInItsStageWithItsCause() throws Exception {
        String said = run("items=400", "latency=1ms-5ms", "broken=25", "refused=10", "seed=7");

        long delivered = number(said, "  delivered +([\\d,]+)");
        long failed = number(said, "  failed +([\\d,]+)");
        assertThat(delivered + failed).isEqualTo(400);
        assertThat(failed).isBetween(60L, 220L);
        assertThat(said)
                .contains("Done: 400 of 400 uploads")
                .contains("parse: empty", "parse: quantity", "parse: columns")
                .contains("validate: unknown customer", "validate: blocked customer", "validate: unknown product")
                .contains("deliver: HTTP 500");
        assertThat(Files.readAllLines(folder.resolve("not-delivered.csv"))).hasSize(1 + (int) failed);
    }

    @Test
    void noMoreConnectionsAndDeliveriesThanWorkersAreInUseAndAllOfThemAreUsed() throws Exception {
        String said =
                run("items=400", "latency=20ms-30ms", "connections=3", "deliveries=20", "slow=validate", "slow.by=5ms");

        assertThat(said).contains("connections      3 of 3 in use at most");
        assertThat(number(said, "deliveries (\\d+) of 20 at most")).isLessThanOrEqualTo(20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"parse", "validate", "deliver"})
    void theStageThatIsMadeSlowIsNamed(String slow) throws Exception {
        String said = run(
                "items=300",
                "parsers=2",
                "connections=3",
                "deliveries=6",
                "latency=1ms-2ms",
                "slow=" + slow,
                "slow.by=25ms",
                "progress=lines");

        List<String> lines =
                said.lines().filter(line -> line.contains("bottleneck ")).toList();
        assertThat(lines).isNotEmpty().allSatisfy(line -> assertThat(line).endsWith("bottleneck " + slow));
        assertThat(said).contains("Done: 300 of 300 uploads");
    }

    static Stream<Arguments> judgements() {
        return Stream.of(
                Arguments.of("customer,product,quantity\nc1,p1,2", "ok"),
                Arguments.of("customer,product,quantity\nc1,p1,2\nc1,\"p2\",3", "ok"),
                Arguments.of("customer,product,quantity\nc1,p1,0", "parse: quantity"),
                Arguments.of("customer,product,quantity\nc1,p1,2\nc2,p1,2", "parse: two customers"),
                Arguments.of("customer,quantity,product\nc1,2,p1", "parse: header"),
                Arguments.of("customer,customer,quantity\nc1,2,p1", "parse: header"),
                Arguments.of("", "parse: header"),
                Arguments.of("customer,product,quantity\nc1,\"p1,2", "parse: not CSV"),
                Arguments.of("customer,product,quantity\nc1,p1", "parse: columns"),
                Arguments.of("customer,product,quantity", "parse: empty"),
                Arguments.of("customer,product,quantity\nnobody,p1,2", "validate: unknown customer"));
    }

    @ParameterizedTest
    @MethodSource("judgements")
    void aFolderOfYourOwnIsReadAndEachFileJudged(String text, String judged) throws Exception {
        Path input = Files.createDirectory(folder.resolve("input"));
        Files.writeString(input.resolve("a.csv"), text);
        Files.writeString(input.resolve("notes.txt"), "not an upload");
        String said = run("input=" + input, "latency=1ms", "refused=0");

        assertThat(said).contains("1 of 1 uploads");
        if (judged.equals("ok")) {
            assertThat(number(said, "  delivered +([\\d,]+)")).isOne();
        } else {
            assertThat(said).contains("    " + judged);
            assertThat(Files.readAllLines(folder.resolve("not-delivered.csv")))
                    .containsExactly("upload,reason", "a.csv,\"" + judged + "\"");
        }
    }

    @Test
    void anEmptyFolderIsNoFault() throws Exception {
        assertThat(run("input=" + Files.createDirectory(folder.resolve("none"))))
                .contains("Done: 0 of 0 uploads");
    }

    @Test
    void refusesAFolderThatIsNotThere() {
        assertThatExceptionOfType(BadOptionException.class)
                .isThrownBy(() -> run("input=" + folder.resolve("gone")))
                .withMessageContaining("option input must be a folder that is there");
    }

    @Test
    void theTableNamesTheStagesAndMarksTheBottleneck() throws Exception {
        String said = run("items=200", "latency=5ms-10ms", "deliveries=2", "progress=table");

        assertThat(said).contains("workers", "blocked", "oldest", "in ", " = out ");
        assertThat(said).containsPattern("deliver +2 .*<- bottleneck");
        assertThat(said).contains("\033[5F"); // drawn over itself: a head, three stages, a sum
    }

    @Test
    void aSignalEndsItWithinASecondWithTheAccountingOfWhatWasDone() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Recipes.class.getName(),
                        "uploads",
                        "items=3000",
                        "rows=3",
                        "deliveries=20",
                        "latency=50ms-150ms",
                        "progress=lines",
                        "output=" + folder)
                .redirectErrorStream(true)
                .start();
        StringBuilder said = new StringBuilder();
        long signalled = 0;
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                said.append(line).append('\n');
                if (signalled == 0 && line.contains(" s  out ")) {
                    signalled = System.nanoTime();
                    process.toHandle().destroy(); // destroy() of the process itself would close its output
                }
            }
        }
        int code = process.waitFor();
        Duration took = Duration.ofNanos(System.nanoTime() - signalled);

        assertThat(code).as(said::toString).isEqualTo(128 + 15);
        assertThat(said.toString())
                .contains("Stopped after ", "  delivered ", "  handed back ", "  not put in ", "  not delivered ")
                .doesNotContain("without a report", "Exception");
        assertThat(took).isLessThan(Duration.ofMillis(1_500)); // a second, and the end of the process itself
        List<String> rows = Files.readAllLines(folder.resolve("not-delivered.csv"));
        long delivered = number(said.toString(), "  delivered +([\\d,]+)");
        assertThat(rows.size() - 1 + delivered).isEqualTo(3_000);
    }
}

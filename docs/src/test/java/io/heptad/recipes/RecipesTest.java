package io.heptad.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RecipesTest {
    /** Small enough for every build; what is not said here is as a person gets it. */
    private static final Map<Recipe, List<String>> SMALL = Map.of(
            Recipe.PARTNER_BATCH,
            List.of("items=100", "rate=2000", "partner.latency=10ms-20ms", "partner.slow.latency=50ms"),
            Recipe.TRUST_BOUNDARY,
            List.of("refusals=100", "clients=8", "capacity=10"),
            Recipe.SILENT_GROWTH,
            List.of("minutes=2"),
            Recipe.KILL_AND_REBUILD,
            List.of("items=20", "handled=5"),
            Recipe.LAUNCH_FIRST,
            List.of("crowd=500"),
            Recipe.READINESS,
            List.of("early=8", "line=5"),
            Recipe.UPLOADS,
            List.of("items=200", "latency=5ms-15ms"),
            Recipe.ROOMS,
            List.of("rooms=8", "live=3", "commands=20"),
            Recipe.ORDERS,
            List.of("items=20", "latency=1ms-5ms", "lease=1s"),
            Recipe.DOCUMENT_APPROVAL,
            List.of("items=10", "within=1s"));

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void everyRecipeRunsToItsEnd(Recipe recipe) {
        List<String> arguments = new ArrayList<>(List.of(recipe.title()));
        arguments.addAll(SMALL.get(recipe));
        if (recipe.options().stream().anyMatch(option -> option.name().equals("output"))) {
            arguments.add("output=" + folder);
        }

        assertThat(run(arguments)).as(() -> out + "\n" + err).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith(recipe.title() + ": ");
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void aSignalEndsItWithinASecondWithTheReportOfWhatWasDone() throws Exception {
        // The signal of a kill rather than that of Ctrl-C: a build that runs in the background has its children ignore
        // the latter. Both end in the same hook.
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Recipes.class.getName(),
                        "partner-batch",
                        "items=4000",
                        "rate=400",
                        "partner.latency=1ms-5ms",
                        "progress=lines",
                        "output=" + folder)
                .redirectErrorStream(true)
                .start();
        StringBuilder said = new StringBuilder();
        long signalled = 0;
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                said.append(line).append('\n');
                if (signalled == 0 && line.contains(" of 4,000 ")) {
                    signalled = System.nanoTime();
                    process.toHandle().destroy(); // destroy() of the process itself would close its output
                }
            }
        }
        int code = process.waitFor();
        Duration took = Duration.ofNanos(System.nanoTime() - signalled);

        assertThat(code).as(said::toString).isEqualTo(128 + 15);
        assertThat(said.toString())
                .contains("Stopped after ", "  not done ", "peak in flight: ", "  Micrometer ", "  heap ")
                .doesNotContain("without a report", "Exception");
        assertThat(took).isLessThan(Duration.ofMillis(1_500)); // a second, and the end of the process itself
        assertThat(folder.resolve("retry-input.csv")).isNotEmptyFile();
    }

    @Test
    void anUnknownNameListsTheKnownOnesAndFails() {
        assertThat(run(List.of("partner-bacth"))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("There is no recipe \"partner-bacth\"")
                .contains(Stream.of(Recipe.values()).map(Recipe::title).toList())
                .contains(Stream.of(Recipe.values()).map(Recipe::line).toList());
    }

    @Test
    void anOptionThatARecipeDoesNotHaveIsRefusedWithThoseThatItHas() {
        assertThat(run(List.of("launch-first", "rate=5", "items="))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualToIgnoringNewLines("launch-first: there is no option rate here (its value was \"5\"); there is"
                        + " calls, length, crowd, slots");
    }

    @Test
    void aValueThatCannotBeIsRefusedWithItsOption() {
        assertThat(run(List.of("launch-first", "calls=ten"))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualToIgnoringNewLines(
                        "launch-first: option calls must be a whole number from 1 to 1000000, but is \"ten\"");
    }

    @Test
    void theBuildHandsOverEveryOptionOfEveryRecipeAndNoOther() throws Exception {
        String pom = Files.readString(Path.of("pom.xml"));
        Set<String> handed = Pattern.compile("<argument>([a-z.]+)=\\$\\{([a-z.]+)}</argument>")
                .matcher(pom)
                .results()
                .peek(match -> assertThat(match.group(1)).isEqualTo(match.group(2)))
                .map(match -> match.group(1))
                .collect(Collectors.toSet());
        Set<String> declared = Pattern.compile("<([a-z.]+)/>")
                .matcher(pom.substring(pom.indexOf("<heap>"), pom.indexOf("</properties>", pom.indexOf("<heap>"))))
                .results()
                .map((MatchResult match) -> match.group(1))
                .collect(Collectors.toSet());

        assertThat(handed).isEqualTo(optionNames());
        assertThat(declared).isEqualTo(optionNames());
    }

    @Test
    void thePageNamesEveryRecipeAndEveryOptionWithItsDefaultAndItsMeaning() throws Exception {
        String page = Files.readString(Path.of("recipes.md"));
        for (Recipe recipe : Recipe.values()) {
            assertThat(page).contains("\n## " + recipe.title() + "\n");
            String section = page.substring(page.indexOf("\n## " + recipe.title() + "\n") + 1);
            section = section.contains("\n## ") ? section.substring(0, section.indexOf("\n## ")) : section;
            for (Option option : recipe.options()) {
                String fallback = option.fallback().isEmpty() ? "" : "`" + option.fallback() + "`";
                assertThat(section)
                        .contains("| `" + option.name() + "` | " + fallback + " | " + option.meaning() + " |");
            }
        }
    }

    @Test
    void readsTimesInTheUnitsThatPeopleType() {
        Options options = Options.of(
                List.of(new Option("a", "250ms", ""), new Option("b", "", ""), new Option("c", "1ms-2s", "")),
                List.of("b=2m"));

        assertThat(options.duration("a")).isEqualTo(Duration.ofMillis(250));
        assertThat(options.duration("b")).isEqualTo(Duration.ofMinutes(2));
        assertThat(options.durations("c")).containsExactly(Duration.ofMillis(1), Duration.ofSeconds(2));
        assertThat(options.isGiven("a")).isFalse();
        assertThat(options.isGiven("b")).isTrue();
    }

    @Test
    void anOptionWithoutAValueIsRefused() {
        assertThatExceptionOfType(BadOptionException.class)
                .isThrownBy(() -> Options.of(List.of(), List.of("items")))
                .withMessageContaining("\"items\"");
    }

    private static Set<String> optionNames() {
        return Stream.of(Recipe.values())
                .flatMap(recipe -> recipe.options().stream())
                .map(Option::name)
                .collect(Collectors.toSet());
    }

    private int run(List<String> arguments) {
        return Recipes.run(
                arguments,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }
}

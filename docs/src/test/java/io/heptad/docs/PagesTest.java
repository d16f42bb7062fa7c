package io.heptad.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.docs.Page.Block;
import io.heptad.recipes.Recipe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the pages say is so: code is compiled, links lead somewhere, commands exist, tables match what is there. */
class PagesTest {
    private static final List<Pattern> COMMANDS = Stream.of(
                    "mvn (clean )?verify",
                    "mvn -Pbench( -Dbench=[a-z,]+)?( -Dbench\\.mode=(smoke|quick|full))?",
                    "mvn -Pstress( -Dstress=[a-z,]+)?( -Dstress\\.mode=(quick|full))?",
                    "mvn -Pdemo( -Drecipe=[a-z-]+)?( -D[a-z.]+=\\S+)*",
                    "mvn -Pformat -pl :heptad-format",
                    "mvn deploy -DaltDeploymentRepository=\\S+",
                    "\\.ci/(run|published|install)")
            .map(Pattern::compile)
            .toList();

    static List<Page> pages() {
        return Page.all();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyCodeBlockIsARegionOfCompiledSource(Page page) {
        assertThat(page.blocks())
                .filteredOn(block -> block.language().matches("java|xml"))
                .allSatisfy(block -> {
                    assertThat(block.source())
                            .as("%s:%d needs a comment <!-- file#region --> right before it", page, block.line())
                            .matches("\\S+/src/(main|test|it|contract)/\\S+#\\S+");
                    String[] source = block.source().split("#");
                    assertThat(block.text())
                            .as("%s:%d", page, block.line())
                            .isEqualTo(Page.region(Page.ROOT.resolve(source[0]), source[1]));
                });
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyLinkLeadsSomewhere(Page page) {
        assertThat(page.links())
                .filteredOn(link -> !link.matches("(https?|mailto):.*"))
                .allSatisfy(link -> {
                    String file = link.replaceFirst("#.*", "");
                    Path target = file.isEmpty()
                            ? page.path()
                            : page.path().resolveSibling(file).normalize();
                    assertThat(target).as("%s: %s", page, link).exists();
                    if (link.contains("#") && target.toString().endsWith(".md")) {
                        assertThat(Page.of(target).anchors())
                                .as("%s: %s", page, link)
                                .contains(link.replaceFirst(".*#", ""));
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyCommandIsOneThatTheBuildKnows(Page page) {
        assertThat(page.blocks())
                .filteredOn(block -> block.language().matches("bash|sh|shell|console"))
                .flatMap(block -> block.text().lines().toList())
                .allSatisfy(line -> assertThat(COMMANDS)
                        .as("%s: %s", page, line)
                        .anySatisfy(known ->
                                assertThat(line.replaceFirst(" +#.*", "")).matches(known)));
    }

    @Test
    void theReadmeSaysTwoCommandsAndEightLines() throws IOException {
        List<Block> blocks = Page.of("README.md").blocks();

        assertThat(blocks)
                .filteredOn(block -> block.language().equals("bash"))
                .extracting(block -> block.text()
                        .lines()
                        .map(line -> line.replaceFirst(" +#.*", ""))
                        .toList())
                .containsExactly(List.of("mvn verify", "mvn -Pdemo"));
        assertThat(blocks)
                .filteredOn(block -> block.language().equals("java"))
                .extracting(block -> block.text().lines().count())
                .containsExactly(8L);
        assertThat(Files.readString(Page.ROOT.resolve(".ci/run"))).contains("mvn -B verify");
    }

    /** Without the plugin the consumer is not built, and nothing says so: a merge lost it once. */
    @Test
    void theConsumerIsBuiltAndRunByTheBuild() throws IOException {
        assertThat(Files.readString(Page.ROOT.resolve("docs/pom.xml")))
                .contains("<artifactId>maven-failsafe-plugin</artifactId>", "<goal>integration-test</goal>");
    }

    @Test
    void theIndexListsSevenPatternsAndIsTrueAboutEach() {
        List<List<String>> patterns = Page.of("docs/README.md").table("pattern");

        assertThat(patterns).hasSize(7).allSatisfy(row -> {
            assertThat(row).hasSize(6);
            String module = plain(row.get(1));
            List<String> recipes = names(row.get(3));
            String status = row.get(5);
            boolean now = status.equals("now");
            List<Boolean> there = names(row.get(2)).stream()
                    .map(type -> isThere(module + "." + type))
                    .toList();
            if (status.equals("in part")) {
                assertThat(there).as("%s", row).contains(true);
            } else {
                assertThat(there).as("%s", row).containsOnly(now);
            }
            if (now) {
                assertThat(row.get(4)).as("page of %s", row).contains(".md)");
                assertThat(recipes).as("recipes of %s", row).isNotEmpty();
            }
            assertThat(recipes)
                    .allSatisfy(recipe ->
                            assertThat(Recipe.named(recipe)).as(recipe).isPresent());
        });
        assertThat(Page.of("README.md").table("pattern"))
                .extracting(row -> names(row.get(1)))
                .containsExactlyElementsOf(
                        patterns.stream().map(row -> names(row.get(2))).toList());
    }

    @Test
    void everyDecisionIsInTheIndexOfDecisions() throws IOException {
        List<String> listed = Page.of("docs/adr/README.md").links();
        try (Stream<Path> pages = Files.list(Page.ROOT.resolve("docs/adr"))) {
            assertThat(pages.map(page -> page.getFileName().toString()).filter(name -> !name.equals("README.md")))
                    .allSatisfy(name -> assertThat(listed).contains(name));
        }
    }

    @Test
    void everyReportedFailureHasItsRow() {
        List<String> rows = failureCases().stream().map(List::getFirst).toList();

        assertThat(rows).doesNotHaveDuplicates();
        assertThat(rows)
                .containsAll(Stream.of(IntStream.rangeClosed(1, 88), IntStream.of(91), IntStream.rangeClosed(94, 98))
                        .flatMap(IntStream::boxed)
                        .map(number -> "G" + number)
                        .toList());
    }

    @Test
    void everyTestNamedForAFailureExists() {
        assertThat(failureCases()).allSatisfy(row -> {
            List<String> tests = names(row.getLast());
            assertThat(tests.isEmpty())
                    .as("%s: a test, or why not", row)
                    .isEqualTo(row.getLast().matches("(not here|later): .+"));
            assertThat(tests)
                    .allSatisfy(test -> assertThat(Tests.has(test))
                            .as("%s: %s", row.getFirst(), test)
                            .isTrue());
        });
    }

    @Test
    void whatIsNotATestIsNotTakenForOne() {
        assertThat(List.of("PagesTest", "PagesTest#everyTestNamedForAFailureExists", "Granting#RunAgainstRun"))
                .allMatch(Tests::has);
        assertThat(List.of("Page", "PagesTest#failureCases", "PagesTest#names", "Granting#Granting", "PagesTest#gone"))
                .noneMatch(Tests::has);
    }

    @Test
    void everyPageIsInTheIndex() throws IOException {
        List<String> listed = Page.of("docs/README.md").links();
        try (Stream<Path> pages = Files.list(Page.ROOT.resolve("docs"))) {
            assertThat(pages.map(page -> Files.isDirectory(page) ? page.resolve("README.md") : page)
                            .filter(page -> page.toString().endsWith(".md") && Files.exists(page))
                            .map(page ->
                                    Page.ROOT.resolve("docs").relativize(page).toString())
                            .filter(page -> !page.equals("README.md")))
                    .allSatisfy(page -> assertThat(listed).contains(page));
        }
    }

    private static List<List<String>> failureCases() {
        return Page.of("docs/failure-cases.md").lines().stream()
                .filter(line -> line.startsWith("| G"))
                .map(line -> Stream.of(line.substring(1, line.lastIndexOf('|')).split("(?<!\\\\)\\|"))
                        .map(String::strip)
                        .toList())
                .toList();
    }

    /** The words in backticks. */
    private static List<String> names(String cell) {
        return Pattern.compile("`([^`]+)`")
                .matcher(cell)
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }

    private static String plain(String cell) {
        return names(cell).getFirst();
    }

    private static boolean isThere(String type) {
        try {
            Class.forName(type, false, PagesTest.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException notYet) {
            return false;
        }
    }
}

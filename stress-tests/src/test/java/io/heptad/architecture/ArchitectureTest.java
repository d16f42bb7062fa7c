package io.heptad.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules of the house hold for what is published, and each of them can fail. */
class ArchitectureTest {
    private static House published;

    @BeforeAll
    static void readWhatWasBuilt() throws IOException {
        published = House.at(Path.of("..").toRealPath(), list("public-types.txt"), list("exceptions.txt"));
    }

    @Test
    void looksAtAllSeven() {
        assertThat(published.modules())
                .extracting(House.Module::name)
                .containsExactlyElementsOf(House.FOLDERS.keySet());
    }

    @ParameterizedTest
    @EnumSource
    void theLibraryKeeps(Rule rule) {
        assertThat(rule.violations(published))
                .as("%s, because %s", rule, rule.reason)
                .isEmpty();
    }

    @Test
    void aSoundHouseBreaksNoRule(@TempDir Path root) throws IOException {
        House sound = Breach.none().build(root);

        assertThat(Stream.of(Rule.values()).flatMap(rule -> rule.violations(sound).stream()))
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource
    void isFoundByItsRuleAndNoOther(Breach breach, @TempDir Path root) throws IOException {
        House house = breach.build(root);

        assertThat(Stream.of(Rule.values())
                        .filter(rule -> !rule.violations(house).isEmpty()))
                .containsExactly(breach.rule());
        assertThat(breach.rule().violations(house))
                .anySatisfy(found -> assertThat(found).startsWith(breach.place()));
    }

    static List<Breach> isFoundByItsRuleAndNoOther() {
        return Breach.ALL;
    }

    @Test
    void everyRuleHasABreach() {
        assertThat(Breach.ALL).extracting(Breach::rule).contains(Rule.values());
    }

    @Test
    void anExceptionLetsOnePlacePassAndNoOther(@TempDir Path root) throws IOException {
        Breach breach = Breach.ALL.stream()
                .filter(each -> each.rule() == Rule.NO_SLEEP)
                .findFirst()
                .orElseThrow();

        House excepted =
                breach.excepting("NO_SLEEP | " + breach.place() + " | a reason").build(root.resolve("a"));
        House another = breach.excepting("NO_SLEEP | " + breach.place() + "er | a reason")
                .build(root.resolve("b"));

        assertThat(Rule.NO_SLEEP.violations(excepted)).isEmpty();
        assertThat(Rule.EXCEPTIONS_IN_USE.violations(excepted)).isEmpty();
        assertThat(Rule.NO_SLEEP.violations(another)).hasSize(1);
    }

    private static List<String> list(String name) throws IOException {
        return Files.readAllLines(Path.of("src/test/resources/io/heptad/architecture", name));
    }
}

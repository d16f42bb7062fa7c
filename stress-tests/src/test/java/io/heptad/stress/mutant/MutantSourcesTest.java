package io.heptad.stress.mutant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MutantSourcesTest {
    @TempDir
    Path root;

    @BeforeEach
    void aShippedClassAndItsScenario() throws IOException {
        write("thing/src/main/java/io/heptad/thing/Thing.java", """
                package io.heptad.thing;

                public final class Thing {
                    void enter() {
                        lock();
                        io.heptad.thing.Other.touch();
                    }
                }
                """);
        write("thing/src/main/java/io/heptad/thing/package-info.java", "package io.heptad.thing;\n");
        write("stress-tests/src/main/java/io/heptad/stress/thing/Things.java", """
                package io.heptad.stress.thing;

                import io.heptad.thing.Thing;
                import org.openjdk.jcstress.annotations.Outcome;

                public class Things {
                    private Things() {}

                    /** Says why. */
                    @Quick
                    @Outcome(id = "1")
                    public static class First {
                        private final Thing thing = new Thing();

                        public void one() {
                            thing.enter();
                        }
                    }

                    @Outcome(id = "2")
                    public static class Second {}
                }
                """);
    }

    private void write(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private void mutant(String search, String scenario) throws IOException {
        write("stress-tests/src/mutants/thing/NoLock.mutant", """
                guard: the lock
                source: thing/src/main/java/io/heptad/thing
                scenario: %s
                tier: quick

                file: Thing.java
                <<<<
                %s
                ====
                >>>>
                """.formatted(scenario, search));
    }

    private String written(String file) throws IOException {
        return Files.readString(root.resolve("out/io/heptad/mutant/thing/nolock/" + file));
    }

    @Test
    void copiesTheShippedSourceWithoutTheGuard() throws IOException {
        mutant("        lock();", "thing/Things#First");
        assertThat(MutantSources.writeAll(root, root.resolve("out"))).isEqualTo(1);
        assertThat(written("Thing.java"))
                .startsWith("package io.heptad.mutant.thing.nolock;")
                .contains("io.heptad.mutant.thing.nolock.Other.touch()")
                .doesNotContain("lock();");
        assertThat(root.resolve("out/io/heptad/mutant/thing/nolock/package-info.java"))
                .doesNotExist();
    }

    @Test
    void makesAControlOfTheScenarioThatMustNoticeIt() throws IOException {
        mutant("        lock();", "thing/Things#First");
        MutantSources.writeAll(root, root.resolve("out"));
        assertThat(written("Control.java"))
                .contains("import io.heptad.mutant.thing.nolock.Thing;")
                .contains("@Outcome(id = \"1\")")
                .contains("ACCEPTABLE_INTERESTING")
                .contains("@io.heptad.stress.Quick")
                .contains("public class Control {")
                .contains("thing.enter();")
                .doesNotContain("Second");
    }

    @Test
    void makesNoControlWhereAnotherToolMeetsTheMutant() throws IOException {
        mutant("        lock();", "none");
        MutantSources.writeAll(root, root.resolve("out"));
        assertThat(root.resolve("out/io/heptad/mutant/thing/nolock/Control.java"))
                .doesNotExist();
    }

    @Test
    void aPatchWhoseTextIsGoneStopsTheBuild() throws IOException {
        mutant("        tryLock();", "thing/Things#First");
        assertThatThrownBy(() -> MutantSources.writeAll(root, root.resolve("out")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("NoLock.mutant")
                .hasMessageContaining("does not occur");
    }

    @Test
    void aPatchWhoseTextOccursTwiceStopsTheBuild() throws IOException {
        mutant("()", "thing/Things#First");
        assertThatThrownBy(() -> MutantSources.writeAll(root, root.resolve("out")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("occurs more often");
    }

    @Test
    void aScenarioThatIsGoneStopsTheBuild() throws IOException {
        mutant("        lock();", "thing/Things#Third");
        assertThatThrownBy(() -> MutantSources.writeAll(root, root.resolve("out")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no scenario Third");
    }

    @Test
    void whatIsThereAlreadyIsNotWrittenAgainSoThatItIsNotCompiledAgain() throws IOException {
        mutant("        lock();", "thing/Things#First");
        MutantSources.writeAll(root, root.resolve("out"));
        Path copy = root.resolve("out/io/heptad/mutant/thing/nolock/Thing.java");
        FileTime before = FileTime.from(Instant.parse("2020-01-01T00:00:00Z"));
        Files.setLastModifiedTime(copy, before);

        MutantSources.writeAll(root, root.resolve("out"));
        assertThat(Files.getLastModifiedTime(copy)).isEqualTo(before);

        mutant("        lock();\n        io.heptad.thing.Other.touch();", "thing/Things#First");
        MutantSources.writeAll(root, root.resolve("out"));
        assertThat(Files.getLastModifiedTime(copy)).isNotEqualTo(before);
        assertThat(written("Thing.java")).doesNotContain("touch");
    }

    @Test
    void whatNobodyAsksForAnyMoreIsDeleted() throws IOException {
        mutant("        lock();", "thing/Things#First");
        MutantSources.writeAll(root, root.resolve("out"));
        mutant("        lock();", "none");
        MutantSources.writeAll(root, root.resolve("out"));
        assertThat(root.resolve("out/io/heptad/mutant/thing/nolock/Control.java"))
                .doesNotExist();
        assertThat(root.resolve("out/io/heptad/mutant/thing/nolock/Thing.java")).exists();
    }
}

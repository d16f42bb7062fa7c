package io.heptad.stress.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
    private static final Row GOOD = new Row("queue", "jcstress", 30, 1_234_567, 9, 9, List.of(), 61.4, "a/index.html");
    private static final Row BAD =
            new Row("pool", "fray", 4, -1, 0, 0, List.of(new Failure("pool", "x", "seen <1> & more")), 9, "");

    @Test
    void theTableShowsTestsSamplesControlsAndFailures() {
        assertThat(Report.table(List.of(GOOD, BAD)))
                .containsPattern("queue +jcstress +30 +1,234,567 +9/9 +0 +61")
                .containsPattern("pool +fray +4 +- +- +1 +9");
    }

    @Test
    void theVerdictCountsEverything() {
        assertThat(Report.verdict(List.of(GOOD), 65))
                .isEqualTo("PASSED: 30 tests, 1,234,567 samples, 9 of 9 controls caught, 0 failures, 65 s");
        assertThat(Report.verdict(List.of(GOOD, BAD), 65))
                .startsWith("FAILED: 34 tests")
                .contains("1 failures");
    }

    @Test
    void thePageLinksTheDetailsAndEscapesTheReasons(@TempDir Path directory) throws IOException {
        Path page = directory.resolve("index.html");
        Report.write(page, List.of(GOOD, BAD), "FAILED", "mode quick");
        assertThat(Files.readString(page))
                .contains("<a href=\"a/index.html\">jcstress</a>")
                .contains("9 of 9")
                .contains("x: seen &lt;1&gt; &amp; more");
    }
}

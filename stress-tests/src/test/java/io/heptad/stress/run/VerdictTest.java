package io.heptad.stress.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** On result files that jcstress wrote when it ran {@code io.heptad.stress.self.Samples}. */
class VerdictTest {
    private static final String SELF = "io.heptad.stress.self.Samples.";

    private static List<Observation> recorded() throws Exception {
        return Recording.read(resource("self.bin.gz"));
    }

    static Path resource(String name) throws URISyntaxException {
        return Path.of(Objects.requireNonNull(VerdictTest.class.getResource("/recorded/" + name))
                .toURI());
    }

    private static Observation observed(String test) throws Exception {
        return recorded().stream()
                .filter(one -> one.test().equals(SELF + test))
                .findFirst()
                .orElseThrow();
    }

    private static Observation asControl(Observation one) {
        return new Observation("io.heptad.mutant.self.x.Control", one.status(), one.outcomes(), one.messages());
    }

    @Test
    void passesWhatIsAcceptable() throws Exception {
        assertThat(Verdict.judge(Set.of(SELF + "Passes"), recorded())).isEmpty();
        assertThat(observed("Passes").samples()).isPositive();
    }

    @Test
    void failsAForbiddenResultAndSaysWhichAndHowOften() throws Exception {
        assertThat(Verdict.judge(Set.of(SELF + "LosesAnUpdate"), recorded()))
                .singleElement()
                .extracting(Failure::reason)
                .asString()
                .matches("FORBIDDEN \\(1, 1\\) seen [0-9]+ times");
    }

    @Test
    void failsAHardErrorAndQuotesIt() throws Exception {
        assertThat(Verdict.judge(Set.of(SELF + "ThrowsInAnActor"), recorded()))
                .singleElement()
                .extracting(Failure::reason)
                .asString()
                .startsWith("hard error ")
                .contains("ArrayIndexOutOfBounds");
    }

    @Test
    void failsATestThatWasAskedForAndDidNotRun() throws Exception {
        assertThat(Verdict.judge(Set.of(SELF + "Passes", SELF + "Forgotten"), recorded()))
                .containsExactly(new Failure("self", SELF + "Forgotten", "did not run"));
        assertThat(Verdict.judge(Set.of(SELF + "Passes"), List.of()))
                .containsExactly(new Failure("self", SELF + "Passes", "did not run"));
    }

    @Test
    void passesAControlThatWasNoticed() throws Exception {
        Observation control = asControl(observed("NoticesALostUpdate"));
        assertThat(Verdict.judge(Set.of(control.test()), List.of(control))).isEmpty();
        assertThat(Verdict.caught(List.of(control))).isTrue();
    }

    @Test
    void failsAControlThatWasNotNoticed() throws Exception {
        Observation control = asControl(observed("Passes"));
        assertThat(Verdict.judge(Set.of(control.test()), List.of(control)))
                .containsExactly(new Failure("self", control.test(), "control not caught: its guard is not tested"));
    }

    @Test
    void aControlNeedsToBeNoticedUnderOneJvmConfigurationOnly() throws Exception {
        Observation missed = asControl(observed("Passes"));
        Observation noticed = asControl(observed("NoticesALostUpdate"));
        assertThat(Verdict.judge(Set.of(missed.test()), List.of(missed, noticed)))
                .isEmpty();
    }

    @Test
    void failsAForbiddenResultUnderAnyJvmConfiguration() throws Exception {
        Observation good = observed("Passes");
        Observation bad = observed("LosesAnUpdate");
        Observation sameTest = new Observation(good.test(), bad.status(), bad.outcomes(), bad.messages());
        assertThat(Verdict.judge(Set.of(good.test()), List.of(good, sameTest))).hasSize(1);
    }

    @Test
    void readsTheShapeFromThePackage() {
        assertThat(Observation.shapeOf("io.heptad.stress.queue.Handing.PutAgainstTake"))
                .isEqualTo("queue");
        assertThat(Observation.shapeOf("io.heptad.mutant.pool.x.Control")).isEqualTo("pool");
    }
}

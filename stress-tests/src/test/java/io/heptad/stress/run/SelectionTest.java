package io.heptad.stress.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SelectionTest {
    /** What fits ten minutes on two cores. */
    private static final int QUICK_MOST = 105;

    @Test
    void anUnknownShapeListsTheKnownOnes() {
        assertThatThrownBy(() -> Selection.parse("core,quue", "quick"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"quue\"")
                .hasMessageContaining("known: all, actor, core");
    }

    @Test
    void anUnknownModeListsTheKnownOnes() {
        assertThatThrownBy(() -> Selection.parse("all", "fast"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("stress.mode is \"fast\"; known: quick, full");
    }

    @Test
    void theTestsOfTheRunnerAreNeverPartOfARun() {
        assertThat(Selection.known()).doesNotContain("self");
        assertThat(Selection.parse("all", "full").jcstress(1, 4)).noneMatch(test -> test.contains(".self."));
    }

    @Test
    void processesThatDieAreSelectedByTheirNamesAndHaveNoRaces() {
        assertThat(Selection.parse("crash", "quick").shapes()).containsExactly("crash");
        assertThat(Selection.parse("crash,instances", "full").raced()).isEmpty();
        assertThat(Selection.parse("all", "quick").shapes()).doesNotContain("crash", "instances");
        assertThat(Selection.parse("all", "full").shapes()).contains("crash", "instances");
    }

    @Test
    void quickModeFitsItsTimeAndHasSomeForEachShape() {
        Selection quick = Selection.parse("all", "quick");
        assertThat(quick.jcstress(1, 4)).hasSizeLessThanOrEqualTo(QUICK_MOST);
        for (String shape : quick.raced()) {
            assertThat(quick.jcstress(1, 4)).as(shape).anyMatch(test -> test.contains(".stress." + shape + "."));
        }
    }

    @Test
    void fullModeRunsWhatQuickModeRunsAndMore() {
        assertThat(Selection.parse("all", "full").jcstress(1, 4))
                .containsAll(Selection.parse("all", "quick").jcstress(1, 4));
    }
}

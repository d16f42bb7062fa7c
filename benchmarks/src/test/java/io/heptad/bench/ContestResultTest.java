package io.heptad.bench;

import static io.heptad.bench.Results.contest;
import static io.heptad.bench.Results.reading;
import static io.heptad.bench.Results.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class ContestResultTest {
    @Test
    void givesThePeersTimeOverOurs() {
        assertThat(Results.platform().ratio("slow", Figure.TIME)).isEqualTo(4);
        assertThat(Results.platform().ratio("fast", Figure.TIME)).isEqualTo(1.5);
        assertThat(Results.platform().ratio("slow", Figure.HELD)).isEqualTo(2);
        assertThat(Results.platform().ratio("slow", Figure.ALLOCATED)).isEqualTo(1);
    }

    @Test
    void hasNoRatioToWhatWasNotMeasured() {
        assertThat(Results.platform().ratio("fast", Figure.HELD)).isNaN();
        assertThat(Results.platform().ratio("unknown", Figure.TIME)).isNaN();
        assertThat(result(contest("size=1"), reading("slow", 1, 1)).ratio("slow", Figure.TIME))
                .isNaN();
    }

    @Test
    void callsNothingAgainstNothingEven() {
        ContestResult both = result(contest("size=1"), reading("heptad", 0, 1), reading("slow", 0, 1));
        assertThat(both.ratio("slow", Figure.HELD)).isEqualTo(1);
    }

    @Test
    void takesTheWorstOfTheForksThatRanSideBySide() {
        ContestResult drifting = result(
                contest("size=1 threads=virtual"), reading("heptad", 1, 10, 40, 20), reading("slow", 1, 30, 60, 50));
        assertThat(drifting.worstForkRatio("slow")).isEqualTo(1.5);
        assertThat(drifting.ratio("slow", Figure.TIME)).isCloseTo(2, within(1e-9));
    }

    @Test
    void hasNoWorstForkWhereAForkIsMissing() {
        ContestResult torn = result(contest("size=1"), reading("heptad", 1, 10, 40), reading("slow", 1, 30));
        assertThat(torn.worstForkRatio("slow")).isNaN();
    }

    @Test
    void judgesEveryGoalThatHoldsInTheCell() {
        List<ContestResult.Verdict> verdicts = Results.platform().verdicts();
        assertThat(verdicts)
                .extracting(
                        ContestResult.Verdict::peer, verdict -> verdict.goal().atLeast(), ContestResult.Verdict::passes)
                .containsExactly(
                        org.assertj.core.api.Assertions.tuple("slow", 2.0, true),
                        org.assertj.core.api.Assertions.tuple("slow", 3.0, true),
                        org.assertj.core.api.Assertions.tuple("slow", 1.0, true),
                        org.assertj.core.api.Assertions.tuple("fast", 2.0, false));
    }

    @Test
    void judgesCellsWithLongForksOnTheWorst() {
        ContestResult drifting = result(
                contest("size=2 threads=virtual"),
                reading("heptad", 1, 10, 10, 10),
                reading("slow", 1, 90, 90, 19),
                reading("fast", 1, 20, 20, 20));
        assertThat(drifting.ratio("slow", Figure.TIME)).isGreaterThan(2);
        assertThat(drifting.verdicts().getFirst())
                .matches(verdict -> verdict.worstFork() && !verdict.passes() && verdict.ratio() == 1.9);
    }

    @Test
    void judgesWhatIsPrinted() {
        ContestResult close =
                result(contest("size=2 threads=platform"), reading("heptad", 1, 1000), reading("slow", 1, 1996));
        ContestResult less =
                result(contest("size=2 threads=platform"), reading("heptad", 1, 1000), reading("slow", 1, 1994));
        assertThat(close.verdicts().getFirst().passes()).isTrue();
        assertThat(less.verdicts().getFirst().passes()).isFalse();
    }

    @Test
    void passesNothingThatWasNotMeasured() {
        ContestResult alone = result(contest("size=1 threads=platform"), reading("heptad", 50, 10, 10));
        assertThat(alone.verdicts()).hasSize(4).noneMatch(ContestResult.Verdict::passes);
    }
}

package io.heptad.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CatalogTest {
    private final Catalog catalog = Catalog.ofClassPath();

    @Test
    void findsTheShapesByTheirPackages() {
        assertThat(catalog.shapes()).contains("actor", "core", "futures", "gate", "pipeline", "pool", "queue", "sync");
    }

    @Test
    void hasOursInEveryContest() {
        assertThat(catalog.contests())
                .allSatisfy(contest -> assertThat(contest.peers()).contains(Contest.OURS));
    }

    @Test
    void namesNoMethodTwiceInAShape() {
        assertThat(catalog.contests().stream().map(Contest::label)).doesNotHaveDuplicates();
    }

    @Test
    void namesOnlyPeersAndParametersThatExist() {
        assertThat(catalog.contests()).allSatisfy(contest -> {
            List<String> known = catalog.contests().stream()
                    .filter(other -> other.name().equals(contest.name()))
                    .flatMap(other -> other.peers().stream())
                    .toList();
            Stream<String> named = Arrays.stream(contest.compare().goals()).flatMap(goal -> Arrays.stream(goal.of()));
            assertThat(named).isSubsetOf(known);
            // Each throws where a pattern names a parameter that is none.
            assertThat(contest.goals("heptad")).isEmpty();
            assertThat(contest.longForks() && contest.singleShot()).isFalse();
        });
    }

    @Test
    void hasACellInEachQuickPattern() {
        assertThat(catalog.contests())
                .allSatisfy(contest -> assertThat(contest.compare().quick())
                        .allMatch(pattern -> catalog.contests().stream()
                                .filter(other -> other.name().equals(contest.name()))
                                .anyMatch(other -> other.cell().matches(pattern))));
    }

    @Test
    void leavesOutThePeersThatCannot() {
        assertThat(catalog.contests())
                .filteredOn(contest -> contest.label().equals("queue.transfer pairs=4 capacity=16 threads=virtual"))
                .singleElement()
                .satisfies(contest -> assertThat(contest.peers())
                        .contains("ArrayBlockingQueue")
                        .doesNotContain("JCTools", "Disruptor"));
    }

    @Test
    void takesFewCellsInQuickModeAndAllInFullMode() {
        assertThat(catalog.select("queue", RunMode.QUICK, ".*").get("queue")).allMatch(Contest::quick);
        assertThat(catalog.select("queue", RunMode.FULL, ".*").get("queue"))
                .anyMatch(contest -> !contest.quick())
                .hasSizeGreaterThan(12);
    }

    @Test
    void includesACellOfFullModeInQuickModeWhenNamed() {
        assertThat(catalog.select("all", RunMode.QUICK, "pairs=2 capacity=16 threads=virtual"))
                .containsOnlyKeys("queue");
    }

    @Test
    void listsTheKnownShapesForAnUnknownOne() {
        assertThatThrownBy(() -> catalog.select("queue,quue", RunMode.QUICK, ".*"))
                .isInstanceOf(UsageException.class)
                .hasMessageContainingAll("queue,quue", "futures", "pool");
        assertThatThrownBy(() -> RunMode.named("quack"))
                .isInstanceOf(UsageException.class)
                .hasMessageContainingAll("quack", "smoke", "quick", "full");
        assertThatThrownBy(() -> catalog.select("queue", RunMode.QUICK, "nothing like this"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("queue.transfer pairs=1");
        assertThatThrownBy(() -> catalog.select("queue", RunMode.QUICK, "("))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("no regular expression");
    }

    @Test
    void staysWithinTheTimeItPromises() {
        double quick = catalog.select("all", RunMode.QUICK, ".*").values().stream()
                .mapToDouble(contests -> Progress.seconds(RunMode.QUICK, contests))
                .sum();
        assertThat(quick).isLessThan(8 * 60 - 90); // the build takes its share
        assertThat(minutes("queue")).isLessThan(31);
        assertThat(minutes("pool")).isLessThan(13);
        assertThat(minutes("futures")).isLessThan(11);
        assertThat(minutes("gate")).isLessThan(12);
        assertThat(minutes("pipeline")).isLessThan(13);
        assertThat(minutes("actor")).isLessThan(13);
        assertThat(minutes("sync")).isLessThan(10);
    }

    private double minutes(String shape) {
        return Progress.seconds(
                        RunMode.FULL, catalog.select(shape, RunMode.FULL, ".*").get(shape))
                / 60;
    }
}

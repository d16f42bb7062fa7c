package io.heptad.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** What came out of a contest: a reading for each peer that ran, and why the others did not. */
record ContestResult(Contest contest, Map<String, Reading> readings, List<String> failures) {
    ContestResult {
        readings = new LinkedHashMap<>(readings);
        failures = List.copyOf(failures);
    }

    /** Of one goal against one peer; the ratio is judged as it is printed, with two decimals. */
    record Verdict(Compare.Goal goal, String peer, Contest contest, double ratio, boolean worstFork) {
        boolean passes() {
            return Math.round(ratio * 100) >= Math.round(goal.atLeast() * 100);
        }
    }

    Optional<Reading> ours() {
        return Optional.ofNullable(readings.get(Contest.OURS));
    }

    /** The peer's figure over ours: 2 says that ours needs half. NaN where either was not measured. */
    double ratio(String peer, Figure figure) {
        Reading theirs = readings.get(peer);
        Reading ours = readings.get(Contest.OURS);
        if (theirs == null || ours == null) {
            return Double.NaN;
        }
        return quotient(theirs.figure(figure), ours.figure(figure));
    }

    /**
     * The smallest ratio of a pair of forks. The n-th forks of all peers ran one after the other, so a machine that was
     * slow for a while was slow for both of a pair.
     */
    double worstForkRatio(String peer) {
        Reading theirs = readings.get(peer);
        Reading ours = readings.get(Contest.OURS);
        if (theirs == null
                || ours == null
                || theirs.forks().size() != ours.forks().size()) {
            return Double.NaN;
        }
        return IntStream.range(0, ours.forks().size())
                .mapToDouble(
                        fork -> quotient(theirs.forks().get(fork), ours.forks().get(fork)))
                .min()
                .orElse(Double.NaN);
    }

    /** One for each goal and peer; a ratio that could not be measured passes nothing. */
    List<Verdict> verdicts() {
        List<Verdict> verdicts = new ArrayList<>();
        for (String peer : contest.peers()) {
            for (Compare.Goal goal : contest.goals(peer)) {
                boolean worst = contest.longForks() && goal.figure() == Figure.TIME;
                double ratio = worst ? worstForkRatio(peer) : ratio(peer, goal.figure());
                verdicts.add(new Verdict(goal, peer, contest, ratio, worst));
            }
        }
        return verdicts;
    }

    private static double quotient(double theirs, double ours) {
        if (ours == 0 && theirs == 0) {
            return 1;
        }
        return theirs / ours;
    }
}

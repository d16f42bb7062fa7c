package io.heptad.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The results of one shape as text that needs no other explanation. */
final class Table {
    private static final String RULE = "=".repeat(110);

    private final String shape;
    private final RunMode mode;
    private final List<ContestResult> results;
    private final List<String> lines = new ArrayList<>();

    private Table(String shape, RunMode mode, List<ContestResult> results) {
        this.shape = shape;
        this.mode = mode;
        this.results = results;
    }

    static String of(String shape, RunMode mode, Stamp stamp, List<ContestResult> results) {
        return new Table(shape, mode, results).render(stamp);
    }

    private String render(Stamp stamp) {
        lines.add(RULE);
        lines.add(shape.toUpperCase(Locale.ROOT) + " (" + mode.lowerCase() + " mode: " + mode.meaning + ")");
        lines.add(stamp.toString());
        lines.add(RULE);
        String before = "";
        for (ContestResult result : results) {
            if (!result.contest().name().equals(before)) {
                before = result.contest().name();
                lines.add("");
                lines.add(before + ": " + result.contest().compare().work());
            }
            cell(result);
        }
        leftOut();
        lines.add("");
        lines.add(
                "How to read it: a ratio is the peer's figure divided by that of heptad, in this one run. 3.00x: heptad");
        lines.add(
                "needs a third of the peer's time; 0.50x: twice as much. +- is half of JMH's 99.9 % confidence interval;");
        lines.add("ratios closer to 1 than that say nothing. B/op: bytes allocated for one operation.");
        if (mode == RunMode.FULL) {
            goals();
        } else if (mode == RunMode.QUICK) {
            lines.add("Quick mode gives no verdict; -Dbench.mode=full does.");
        }
        failures();
        return String.join(System.lineSeparator(), lines) + System.lineSeparator();
    }

    private void cell(ContestResult result) {
        Contest contest = result.contest();
        Figure figure = contest.compare().figure();
        lines.add("");
        lines.add("  "
                + (contest.cell().label().isEmpty()
                        ? "one cell"
                        : contest.cell().label()));
        String operation = contest.compare().operation();
        StringBuilder head = new StringBuilder(String.format(Locale.ROOT, "    %-24s", "peer"));
        if (figure == Figure.HELD) {
            head.append(String.format(Locale.ROOT, " %14s", "held B/" + operation));
        } else {
            head.append(String.format(Locale.ROOT, " %14s %8s %12s", "time/" + operation, "+-", "B/" + operation));
        }
        if (contest.latency()) {
            head.append(String.format(Locale.ROOT, " %11s %11s %11s", "p50", "p99", "p99.9"));
        }
        lines.add(head.append(String.format(Locale.ROOT, "  %8s", "ratio")).toString());
        for (Reading reading : result.readings().values()) {
            row(result, reading, figure);
        }
    }

    private void row(ContestResult result, Reading reading, Figure figure) {
        Contest contest = result.contest();
        StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "    %-24s", reading.peer()));
        if (figure == Figure.HELD) {
            row.append(String.format(Locale.ROOT, " %14s", number(reading.held())));
        } else {
            row.append(String.format(
                    Locale.ROOT,
                    " %14s %8s %12s",
                    Reading.duration(reading.time()),
                    error(reading),
                    number(reading.allocated())));
        }
        if (contest.latency()) {
            var latency = reading.latency();
            row.append(String.format(
                    Locale.ROOT,
                    " %11s %11s %11s",
                    Reading.duration(latency.p50()),
                    Reading.duration(latency.p99()),
                    Reading.duration(latency.p999())));
        }
        boolean ours = reading.peer().equals(Contest.OURS);
        row.append(String.format(Locale.ROOT, "  %8s", ours ? "" : ratio(result.ratio(reading.peer(), figure))));
        if (mode == RunMode.FULL) {
            String verdicts = result.verdicts().stream()
                    .filter(verdict -> verdict.peer().equals(reading.peer()))
                    .map(Table::verdict)
                    .collect(Collectors.joining("; "));
            row.append(verdicts.isEmpty() ? "" : "  " + verdicts);
        }
        lines.add(row.toString().stripTrailing());
        if (mode == RunMode.FULL && contest.longForks()) {
            lines.add("      forks: "
                    + reading.forks().stream().map(Reading::duration).collect(Collectors.joining(", "))
                    + (ours ? "" : "; worst pair of forks " + ratio(result.worstForkRatio(reading.peer()))));
        }
    }

    private static String verdict(ContestResult.Verdict verdict) {
        String what = switch (verdict.goal().figure()) {
            case TIME -> "goal";
            case ALLOCATED -> "B goal";
            case HELD -> "held goal";
        };
        return String.format(
                Locale.ROOT,
                "%s >= %.2f: %s%s",
                what,
                verdict.goal().atLeast(),
                verdict.passes() ? "PASS" : "MISS",
                verdict.goal().figure() == Figure.TIME && !verdict.worstFork()
                        ? ""
                        : " (" + ratio(verdict.ratio()) + (verdict.worstFork() ? ", worst fork)" : ")"));
    }

    private void leftOut() {
        Set<String> reasons = new LinkedHashSet<>();
        for (ContestResult result : results) {
            Arrays.stream(result.contest().compare().without())
                    .filter(without -> result.contest().cell().matches(without.where()))
                    .forEach(without -> reasons.add("  " + String.join(", ", without.peer())
                            + (without.where().isEmpty() ? "" : " at " + without.where()) + ": " + without.because()));
        }
        if (!reasons.isEmpty()) {
            lines.add("");
            lines.add("Left out:");
            lines.addAll(reasons);
        }
    }

    /** Each goal once, with the cell and the peer where it was closest to missing or missed by most. */
    private void goals() {
        Map<Compare.Goal, List<ContestResult.Verdict>> byGoal = results.stream()
                .flatMap(result -> result.verdicts().stream())
                .collect(Collectors.groupingBy(ContestResult.Verdict::goal, LinkedHashMap::new, Collectors.toList()));
        lines.add("");
        lines.add(byGoal.isEmpty() ? "No goals in these cells." : "Goals, each with its worst case:");
        byGoal.forEach((goal, verdicts) -> {
            var worst = verdicts.stream()
                    .min(Comparator.comparingDouble(
                            verdict -> Double.isNaN(verdict.ratio()) ? Double.NEGATIVE_INFINITY : verdict.ratio()))
                    .orElseThrow();
            String cell = worst.contest().cell().label();
            long passed =
                    verdicts.stream().filter(ContestResult.Verdict::passes).count();
            lines.add(String.format(
                    Locale.ROOT,
                    "  %s  %s %s %s >= %.2f of %s: %d of %d; worst %s against %s%s",
                    passed == verdicts.size() ? "PASS" : "MISS",
                    worst.contest().name(),
                    goal.figure().name().toLowerCase(Locale.ROOT),
                    goal.where().isEmpty() ? "(every cell)" : "(" + goal.where() + ")",
                    goal.atLeast(),
                    String.join("/", goal.of()),
                    passed,
                    verdicts.size(),
                    ratio(worst.ratio()),
                    worst.peer(),
                    cell.isEmpty() ? "" : " at " + cell));
        });
    }

    private void failures() {
        List<String> failures =
                results.stream().flatMap(result -> result.failures().stream()).toList();
        if (!failures.isEmpty()) {
            lines.add("");
            lines.add("FAILED:");
            failures.forEach(failure -> lines.add("  " + failure));
        }
    }

    static String ratio(double ratio) {
        return Double.isNaN(ratio) ? "-" : String.format(Locale.ROOT, "%.2fx", ratio);
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%,.1f", value);
    }

    private static String error(Reading reading) {
        double share = reading.error() / reading.time();
        return Double.isNaN(share) ? "-" : String.format(Locale.ROOT, "%.0f %%", share * 100);
    }
}

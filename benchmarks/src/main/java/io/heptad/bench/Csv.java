package io.heptad.bench;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The results as comma-separated values, one line for each peer and cell. */
final class Csv {
    static final String HEAD = "shape,benchmark,cell,peer,time_ns,error_ns,forks_ns,allocated_bytes,held_bytes,p50_ns,"
            + "p99_ns,p999_ns,samples,ratio,worst_fork_ratio,goal,verdict,mode,commit,jdk,cpus,cpu,date";

    private Csv() {}

    static String of(RunMode mode, Stamp stamp, List<ContestResult> results) {
        return Stream.concat(
                        Stream.of(HEAD),
                        results.stream()
                                .flatMap(result -> result.readings().values().stream()
                                        .map(reading -> line(mode, stamp, result, reading))))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static String line(RunMode mode, Stamp stamp, ContestResult result, Reading reading) {
        Contest contest = result.contest();
        String peer = reading.peer();
        boolean ours = peer.equals(Contest.OURS);
        List<ContestResult.Verdict> verdicts = mode == RunMode.FULL
                ? result.verdicts().stream()
                        .filter(verdict -> verdict.peer().equals(peer))
                        .toList()
                : List.of();
        var latency = reading.latency();
        return Stream.of(
                        contest.shape(),
                        contest.method(),
                        contest.cell().label(),
                        peer,
                        number(reading.time()),
                        number(reading.error()),
                        reading.forks().stream().map(Csv::number).collect(Collectors.joining(";")),
                        number(reading.allocated()),
                        number(reading.held()),
                        number(latency.p50()),
                        number(latency.p99()),
                        number(latency.p999()),
                        latency.samples() == 0 ? "" : Long.toString(latency.samples()),
                        ours ? "" : number(result.ratio(peer, contest.compare().figure())),
                        ours ? "" : number(result.worstForkRatio(peer)),
                        verdicts.stream()
                                .map(verdict -> number(verdict.goal().atLeast()))
                                .collect(Collectors.joining(";")),
                        verdicts.stream()
                                .map(verdict -> verdict.passes() ? "PASS" : "MISS")
                                .collect(Collectors.joining(";")),
                        mode.lowerCase(),
                        stamp.commit(),
                        stamp.jdk(),
                        Integer.toString(stamp.cpus()),
                        stamp.cpu(),
                        stamp.date())
                .map(Csv::quoted)
                .collect(Collectors.joining(","));
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%.6g", value);
    }

    static String quoted(String field) {
        return field.matches("[^,\"\n]*") ? field : "\"" + field.replace("\"", "\"\"") + "\"";
    }
}

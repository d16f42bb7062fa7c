package io.heptad.bench;

import java.util.Arrays;
import java.util.List;
import org.openjdk.jmh.annotations.Mode;

/** One benchmark in one cell: what our shape and its peers do side by side. */
record Contest(
        String shape, String method, String benchmark, Mode mode, Compare compare, Cell cell, List<String> peers) {
    /** The value of the parameter {@code peer} that stands for this library. */
    static final String OURS = "heptad";

    /** What {@code bench.include} is matched against. */
    String label() {
        return (name() + " " + cell.label()).strip();
    }

    String name() {
        return shape + "." + method;
    }

    boolean quick() {
        return cell.matchesAny(compare.quick());
    }

    boolean longForks() {
        return cell.matchesAny(compare.longForks());
    }

    boolean singleShot() {
        return mode == Mode.SingleShotTime;
    }

    boolean latency() {
        return mode == Mode.SampleTime;
    }

    /** The goals that hold in this cell for that peer. */
    List<Compare.Goal> goals(String peer) {
        return Arrays.stream(compare.goals())
                .filter(goal -> cell.matches(goal.where()))
                .filter(goal -> List.of(goal.of()).contains(peer))
                .toList();
    }
}

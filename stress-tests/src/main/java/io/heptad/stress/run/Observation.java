package io.heptad.stress.run;

import java.util.List;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.Status;

/** What one jcstress test showed under one JVM configuration. */
record Observation(String test, Status status, List<Seen> outcomes, List<String> messages) {
    record Seen(String id, Expect expect, long count) {}

    static final String CONTROLS = "io.heptad.mutant.";

    long samples() {
        return outcomes.stream().mapToLong(Seen::count).sum();
    }

    boolean hardError() {
        return status != Status.NORMAL;
    }

    List<Seen> forbidden() {
        return outcomes.stream()
                .filter(seen -> seen.count > 0 && seen.expect == Expect.FORBIDDEN)
                .toList();
    }

    boolean interesting() {
        return outcomes.stream().anyMatch(seen -> seen.count > 0 && seen.expect == Expect.ACCEPTABLE_INTERESTING);
    }

    static boolean isControl(String test) {
        return test.startsWith(CONTROLS);
    }

    /** The part of the package name after {@code io.heptad.stress} or {@code io.heptad.mutant}. */
    static String shapeOf(String test) {
        return test.split("\\.", -1)[3];
    }
}

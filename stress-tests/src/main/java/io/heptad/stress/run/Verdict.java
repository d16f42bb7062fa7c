package io.heptad.stress.run;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Judges what jcstress recorded against what it was asked to run: it exits 0 when nothing ran at all. */
final class Verdict {
    private Verdict() {}

    static List<Failure> judge(Collection<String> selected, Collection<Observation> observations) {
        Map<String, List<Observation>> byTest = observations.stream()
                .collect(Collectors.groupingBy(Observation::test, TreeMap::new, Collectors.toList()));
        List<Failure> failures = new ArrayList<>();
        for (String test : selected) {
            String shape = Observation.shapeOf(test);
            List<Observation> seen = byTest.getOrDefault(test, List.of());
            if (seen.stream().noneMatch(o -> o.hardError() || o.samples() > 0)) {
                failures.add(new Failure(shape, test, "did not run"));
                continue;
            }
            for (Observation one : seen) {
                if (one.hardError()) {
                    failures.add(new Failure(
                            shape,
                            test,
                            "hard error " + one.status() + " "
                                    + one.messages().stream().limit(3).collect(Collectors.joining(" | "))));
                }
                for (Observation.Seen outcome : one.forbidden()) {
                    failures.add(new Failure(
                            shape, test, "FORBIDDEN (" + outcome.id() + ") seen " + outcome.count() + " times"));
                }
            }
            if (Observation.isControl(test) && !caught(seen)) {
                failures.add(new Failure(shape, test, "control not caught: its guard is not tested"));
            }
        }
        return failures;
    }

    /** A weakened guard needs to be noticed under one JVM configuration, not under each. */
    static boolean caught(Collection<Observation> ofOneControl) {
        return ofOneControl.stream().anyMatch(Observation::interesting);
    }
}

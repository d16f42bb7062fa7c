package io.heptad.stress.run;

import io.heptad.stress.Quick;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.runners.TestList;

/** What a run covers. */
record Selection(SortedSet<String> shapes, boolean quick) {
    static final List<String> MODES = List.of("quick", "full");

    /** jcstress tests of the runner itself, never part of a run. */
    private static final String SELF = "self";

    /**
     * No shapes but parts of their own: processes that die, on a real database. They take minutes, and quick mode of all is to
     * fit ten.
     */
    private static final Set<String> PROCESSES = Set.of("crash", "instances");

    static Selection parse(String shapes, String mode) {
        if (!MODES.contains(mode)) {
            throw new IllegalArgumentException("stress.mode is \"" + mode + "\"; known: " + String.join(", ", MODES));
        }
        SortedSet<String> known = known();
        SortedSet<String> wanted = new TreeSet<>();
        for (String shape : shapes.split(",", -1)) {
            if (shape.equals("all")) {
                wanted.addAll(known);
                if (mode.equals("quick")) {
                    wanted.removeAll(PROCESSES);
                }
            } else if (known.contains(shape)) {
                wanted.add(shape);
            } else {
                throw new IllegalArgumentException(
                        "stress is \"" + shape + "\"; known: all, " + String.join(", ", known));
            }
        }
        return new Selection(wanted, mode.equals("quick"));
    }

    static SortedSet<String> known() {
        SortedSet<String> shapes = new TreeSet<>();
        TestList.tests().forEach(test -> shapes.add(Observation.shapeOf(test)));
        shapes.remove(SELF);
        shapes.addAll(PROCESSES);
        return shapes;
    }

    /** Those whose races are looked for. */
    SortedSet<String> raced() {
        SortedSet<String> raced = new TreeSet<>(shapes);
        raced.removeAll(PROCESSES);
        return raced;
    }

    /** The jcstress tests with so many actors. */
    List<String> jcstress(int fewestActors, int mostActors) {
        List<String> tests = new ArrayList<>();
        for (String test : new TreeSet<>(TestList.tests())) {
            TestInfo info = TestList.getInfo(test);
            if (shapes.contains(Observation.shapeOf(test))
                    && info.threads() >= fewestActors
                    && info.threads() <= mostActors
                    && (!quick || isQuick(info))) {
                tests.add(test);
            }
        }
        return tests;
    }

    private static boolean isQuick(TestInfo info) {
        try {
            return Class.forName(info.binaryName(), false, Selection.class.getClassLoader())
                    .isAnnotationPresent(Quick.class);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("the test list names a class that is not there: " + info.binaryName(), e);
        }
    }
}

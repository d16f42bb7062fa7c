package io.heptad.stress.run;

import java.util.List;

/** A line of the summary: one tool on one shape. */
record Row(
        String shape,
        String tool,
        int tests,
        long samples,
        int controls,
        int caught,
        List<Failure> failures,
        double seconds,
        String link) {}

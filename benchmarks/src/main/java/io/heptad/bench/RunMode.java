package io.heptad.bench;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** How much is run, and how long. */
enum RunMode {
    /** Everything once, tiny, in this JVM: do the count checks hold? No figure of it means anything. */
    SMOKE("every benchmark once, tiny, to see that it works; the figures mean nothing"),
    /** Less than a minute for each shape: the order of magnitude, no verdict. */
    QUICK("one fork for each peer; shows the regime, judges nothing"),
    /** The run that is published. */
    FULL("several alternating forks for each peer; judged against the goals");

    /** {@code mvn -Pbench} over seven shapes, with the build, has to end within eight minutes. */
    private static final double QUICK_SHAPE_SECONDS = 38;

    /** Launching a JVM, connecting it, setting up, and writing its profile: 165 forks took 480 seconds, of which they ran for 225. */
    static final double START_SECONDS = 1.5;

    /** With the launch: ten seconds for the whole of a long fork. */
    private static final double LONG_FORK_SECONDS = 10 - START_SECONDS;

    final String meaning;

    RunMode(String meaning) {
        this.meaning = meaning;
    }

    static RunMode named(String name) {
        return Arrays.stream(values())
                .filter(mode -> mode.lowerCase().equals(name))
                .findAny()
                .orElseThrow(() -> new UsageException("bench.mode is '" + name + "', but must be one of: "
                        + Arrays.stream(values()).map(RunMode::lowerCase).collect(Collectors.joining(", "))));
    }

    String lowerCase() {
        return name().toLowerCase(Locale.ROOT);
    }

    int forks(Contest contest) {
        return this == FULL ? contest.compare().forks() : 1;
    }

    /** Seconds that one fork warms up and measures; {@code runs} is the number of forks in the shape. */
    double forkSeconds(Contest contest, int runs) {
        return switch (this) {
            case SMOKE -> 0.1;
            case QUICK ->
                contest.singleShot()
                        ? contest.compare().shotSeconds()
                        : Math.clamp(QUICK_SHAPE_SECONDS / runs - START_SECONDS, 0.4, 2);
            case FULL ->
                contest.longForks()
                        ? LONG_FORK_SECONDS
                        : contest.singleShot()
                                ? contest.compare().shotSeconds()
                                : contest.compare().forkSeconds();
        };
    }

    double startSeconds() {
        return this == SMOKE ? 0.05 : START_SECONDS;
    }
}

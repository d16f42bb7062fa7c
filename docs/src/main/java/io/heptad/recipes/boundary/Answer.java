package io.heptad.recipes.boundary;

import java.time.Duration;
import java.util.OptionalLong;

/** An answer at the boundary: 202, or 429 with the whole seconds after which to come back. */
record Answer(int status, OptionalLong retryAfter) {
    static Answer accepted() {
        return new Answer(202, OptionalLong.empty());
    }

    /** Rounds up, and to at least a second: "0" would mean at once, which is what the caller has just tried. */
    static Answer comeBack(Duration wait) {
        return new Answer(
                429, OptionalLong.of(Math.max(1, wait.plusNanos(999_999_999).toSeconds())));
    }
}

package io.heptad.recipes.readiness;

import java.util.OptionalLong;

/** What {@code /health/ready} says: 200, or 503 with a reason and, where it makes sense to come back, when. */
record Answer(int status, OptionalLong retryAfterSeconds, String text) {
    static Answer ready() {
        return new Answer(200, OptionalLong.empty(), "ok");
    }

    static Answer comeBack(String reason) {
        return new Answer(503, OptionalLong.of(1), reason);
    }

    /** A start that has failed does not get better by waiting. */
    static Answer failed(String reason) {
        return new Answer(503, OptionalLong.empty(), reason);
    }
}

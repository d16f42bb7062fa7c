package io.heptad.stress.run;

/** One reason for a red run. */
record Failure(String shape, String test, String reason) {
    @Override
    public String toString() {
        return test + ": " + reason;
    }
}

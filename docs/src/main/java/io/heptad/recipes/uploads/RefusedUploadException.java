package io.heptad.recipes.uploads;

/** An upload that cannot go on, and why: data, not a failure of the run. */
final class RefusedUploadException extends Exception {
    private static final long serialVersionUID = 1L;

    RefusedUploadException(String why) {
        super(why, null, false, false);
    }

    /** What to write down for a failure: the reason of a refused upload, else what it was. */
    static String reason(Throwable cause) {
        return cause instanceof RefusedUploadException refused
                ? String.valueOf(refused.getMessage())
                : cause.getClass().getSimpleName();
    }
}

package io.heptad.future;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * One success was asked for, and every candidate failed; or there was none.
 *
 * <p>The {@linkplain #getCause() cause} is the first candidate's, for logs; {@link #causes()} has them all. None of them
 * was changed: they may have been published elsewhere too.
 */
public final class AllFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** In the order of the candidates; not a List, so that the exception is serializable by its type. */
    private final Throwable[] causes;

    /**
     * A failure made of failures.
     *
     * @param causes why each candidate failed, in the order of the candidates; empty if there was none
     */
    public AllFailedException(List<? extends Throwable> causes) {
        this(List.copyOf(causes).toArray(new Throwable[0]));
    }

    private AllFailedException(Throwable[] causes) {
        super(message(causes), causes.length == 0 ? null : causes[0]);
        this.causes = causes;
    }

    /** Only the kind of the first: with its message too, the text would grow with every level of an any() of any()s. */
    private static String message(Throwable[] causes) {
        return switch (causes.length) {
            case 0 -> "there was no candidate";
            case 1 -> "the only candidate failed: " + causes[0].getClass().getName();
            default ->
                "all " + causes.length + " candidates failed, the first with "
                        + causes[0].getClass().getName();
        };
    }

    /**
     * Why each candidate failed.
     *
     * @return one cause for each, in the order of the candidates; unmodifiable, empty if there was no candidate
     */
    public List<Throwable> causes() {
        return Collections.unmodifiableList(Arrays.asList(causes));
    }
}

package io.heptad.future;

/**
 * What becomes of the members that a combinator no longer needs once its own future is decided: the slower ones of a
 * race, the rest of an {@code all} that has failed, every member of an aggregate that the caller has cancelled.
 */
public enum Losers {
    /** They run on, and nobody waits for them. The default: cancel only what you started. */
    LEAVE,

    /**
     * They are cancelled, with {@code cancel(true)}. Where a member or a timeout decides, that happens before the
     * aggregate's own future completes, so that what depends on it finds their slots free; where the caller decides, by
     * completing or cancelling that future, it happens right after. For members that the caller started for this purpose
     * and shares with nobody.
     *
     * <p>Cancelling a plain {@link java.util.concurrent.CompletableFuture} completes it but stops no code; the future
     * of a worker pool interrupts its task. A stage that shows no future of its own, such as {@link
     * java.util.concurrent.CompletableFuture#minimalCompletionStage() a minimal one}, cannot be cancelled and runs on.
     */
    CANCEL
}

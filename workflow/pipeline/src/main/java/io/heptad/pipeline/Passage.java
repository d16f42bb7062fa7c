package io.heptad.pipeline;

import org.jspecify.annotations.Nullable;

/** How items get through a stage: as they come, in order, or in order by key. */
sealed interface Passage permits FreePassage, OrderedPassage, KeyedPassage {
    /**
     * The next item for this worker, whose hands are marked as taking. Waits for one.
     *
     * @return the item; null at the end
     */
    @Nullable
    Parcel next(Worker worker);

    /**
     * The work on an item has ended: well, and then it goes on in due course; or not, and its place is released.
     *
     * @param output what it gave; null if it did not end well, and the item is settled
     * @return what the worker has to turn to at once, in its hands as taking; null if that is its own choice
     */
    @Nullable
    Parcel ended(Worker worker, Parcel parcel, @Nullable Object output);

    /** The pipeline is halted: whoever waits in here looks again. */
    void wake();

    /** Hands back what is in here and in nobody's hands. After a halt, when no worker is taking or passing. */
    void handBack(Residue residue);
}

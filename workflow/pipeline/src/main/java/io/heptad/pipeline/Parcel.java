package io.heptad.pipeline;

import org.jspecify.annotations.Nullable;

/** An item on its way. One thread at a time owns it; the queues and the locks of the passages hand it on. */
final class Parcel {
    /** What the stage that has it is given. */
    Object item;

    /** When it came to that stage, by the ticker. */
    long entered;

    /** Its number for the journey listener; 0 without one. */
    final long journey;

    /** Its place in an ordered stage. */
    long place;

    /** Its key in a stage ordered by key. */
    @Nullable
    Object key;

    Parcel(Object item, long entered, long journey) {
        this.item = item;
        this.entered = entered;
        this.journey = journey;
    }
}

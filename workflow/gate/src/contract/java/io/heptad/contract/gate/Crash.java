package io.heptad.contract.gate;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The death of one process at a numbered boundary: what passes it throws, and everything that passes any after it. */
public final class Crash implements Provider.Boundary {
    /** What a dead process throws instead of going on. */
    public static final class Dead extends Error {
        private static final long serialVersionUID = 1L;

        Dead(String where) {
            super("dead " + where, null, false, false);
        }
    }

    private final int at;
    private final AtomicInteger passed = new AtomicInteger();
    private volatile @Nullable String where;

    private Crash(int at) {
        this.at = at;
    }

    /** At the n-th boundary, from 1. */
    public static Crash at(int boundary) {
        return new Crash(boundary);
    }

    /** At none: counts them. */
    public static Crash never() {
        return new Crash(Integer.MAX_VALUE);
    }

    @Override
    public void pass(String place) {
        if (where != null) {
            throw new Dead(place);
        }
        if (passed.incrementAndGet() == at) {
            where = place;
        }
        if (where != null) {
            throw new Dead(place);
        }
    }

    /** How many boundaries were passed. */
    public int passed() {
        return passed.get();
    }

    public boolean hasHappened() {
        return where != null;
    }

    @Override
    public String toString() {
        return where == null ? "no crash" : "crash " + at + " (" + where + ")";
    }
}

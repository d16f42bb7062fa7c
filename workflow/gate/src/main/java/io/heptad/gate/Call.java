package io.heptad.gate;

import io.heptad.gate.PhaseStore.ActionRow;
import java.time.Duration;

/** What the one who carries an action out sees of it. */
record Call<I>(Drive<?, ?> drive, I input, ActionRow<?> row) implements Attempt<I> {
    @Override
    public String key() {
        return row.key();
    }

    @Override
    public String id() {
        return row.id();
    }

    @Override
    public int number() {
        return row.attempts() + 1;
    }

    @Override
    public Duration remaining() {
        return drive.remaining();
    }

    @Override
    public String toString() {
        return "attempt " + number() + " of " + key();
    }
}

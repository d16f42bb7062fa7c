package io.heptad.gate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An action that waits for a person: what it is, what was tried, and why nobody tries any more.
 *
 * @param key its key, for {@link Gate#resolve} and {@link Gate#retry}, and for asking the other side
 * @param id the entity, which is locked until somebody decides
 * @param action the name of the action
 * @param undo whether it undoes the action
 * @param event the event that it is for, as text
 * @param firstSentAt when it was first called at the earliest
 * @param attempts how many calls ended without a known outcome
 * @param lastError why it is parked; null if nothing was written down
 */
public record OpenAction(
        String key,
        String id,
        String action,
        boolean undo,
        String event,
        Instant firstSentAt,
        int attempts,
        @Nullable String lastError) {}

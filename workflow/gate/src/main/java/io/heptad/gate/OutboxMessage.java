package io.heptad.gate;

import java.util.Objects;

/**
 * Something to tell others, written in the same commit as the phase it tells of: either both are there or neither.
 *
 * {@snippet file="io/heptad/gate/GateSnippetsTest.java" region="outbox-message"}
 *
 * <p>It leaves at least once: whoever receives it leaves out those whose id it has seen.
 *
 * @param id names the message for whoever leaves out repeats; not blank. Make it from the entity's id and version, so that
 *     the same commit makes the same message
 * @param orderKey messages with equal keys leave in the order in which they were committed; not blank
 * @param destination where to, in the words of whoever publishes it; not blank
 * @param type what the payload is; not blank
 * @param payload the content, as text
 */
public record OutboxMessage(String id, String orderKey, String destination, String type, String payload) {
    /** Refuses nulls and blanks; the payload may be empty. */
    public OutboxMessage {
        Checks.notBlank("id", id);
        Checks.notBlank("orderKey", orderKey);
        Checks.notBlank("destination", destination);
        Checks.notBlank("type", type);
        Objects.requireNonNull(payload, "payload");
    }
}

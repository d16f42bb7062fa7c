package io.heptad.gate;

/**
 * An id came again with something else: the event id of another event, or the id of an entity that began with another
 * phase. Nothing was done. Whoever makes the ids has made one twice, or has changed what it sends.
 */
public final class KeyReusedException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** The id that came twice. */
    private final String key;

    KeyReusedException(String gate, String what, String key, Object first, Object now) {
        super(gate + ": " + what + " " + key + " came with " + first + " before, and now with " + now);
        this.key = key;
    }

    /**
     * The id that came twice.
     *
     * @return the event id, or the id of the entity
     */
    public String key() {
        return key;
    }
}

package io.heptad.gate;

import java.util.NoSuchElementException;

/** There is no entity of this id: {@link Gate#create} makes one. */
public final class NoSuchEntityException extends NoSuchElementException {
    private static final long serialVersionUID = 1L;

    /** Who is not there. */
    private final String id;

    NoSuchEntityException(String gate, String id) {
        super(gate + " has no " + id);
        this.id = id;
    }

    /**
     * The id.
     *
     * @return the id that was asked for
     */
    public String id() {
        return id;
    }
}

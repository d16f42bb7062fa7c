package io.heptad.gate.jdbc;

import java.sql.SQLException;
import java.util.Objects;

/**
 * The database did not do what it was asked, or nobody knows whether it did: it is away, it refused, or the connection broke.
 * A transaction that ends so is there as a whole or not at all; look again before you decide that it is not.
 */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What the database said. */
    private final SQLException said;

    /**
     * A failure of the database.
     *
     * @param what what it was asked, for the message
     * @param cause what it said
     */
    public StoreException(String what, SQLException cause) {
        super(
                Objects.requireNonNull(what, "what") + " failed, SQL state " + cause.getSQLState() + ": "
                        + cause.getMessage(),
                cause);
        this.said = cause;
    }

    /** What the database said. */
    SQLException said() {
        return said;
    }
}

package io.heptad.gate;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Something that is stored cannot be read by this code: its type is not known here, its version is newer than what is known
 * here, or its bytes make no sense. It stays as it is; an instance that can read it goes on with it.
 */
public final class UnreadableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What is stored. */
    private final String type;

    /** And of which version it is. */
    private final int version;

    /**
     * A refusal to read.
     *
     * @param type the stored type
     * @param version its stored version
     * @param why what cannot be read and why, for the message
     * @param cause what reading it threw, if anything
     */
    public UnreadableException(String type, int version, String why, @Nullable Throwable cause) {
        super(Objects.requireNonNull(why, "why"), cause);
        this.type = Objects.requireNonNull(type, "type");
        this.version = version;
    }

    /**
     * The stored type.
     *
     * @return its name
     */
    public String type() {
        return type;
    }

    /**
     * The stored version of that type.
     *
     * @return the version
     */
    public int version() {
        return version;
    }
}

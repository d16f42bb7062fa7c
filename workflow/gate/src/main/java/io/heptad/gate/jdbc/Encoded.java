package io.heptad.gate.jdbc;

import java.util.Arrays;
import java.util.Objects;

/**
 * A value as it is stored: what it is, in which version of that type's form, and its bytes.
 *
 * <p>Immutable: the bytes are copied on the way in and out.
 */
public final class Encoded {
    /** So many bytes at most: what is larger belongs elsewhere, and its address here. */
    static final int BYTES_MAX = 1 << 20;

    static final int TYPE_MAX = 200;

    private final String type;
    private final int version;
    private final byte[] bytes;

    private Encoded(String type, int version, byte[] bytes) {
        this.type = type;
        this.version = version;
        this.bytes = bytes;
    }

    /**
     * A value as it is stored.
     *
     * @param type what it is, in a word that outlives the class: 1 to 200 characters, no blank
     * @param version of the form of the bytes, at least 1
     * @param bytes at most 1 MiB
     * @return the value
     * @throws IllegalArgumentException if one of them is out of range
     */
    public static Encoded of(String type, int version, byte[] bytes) {
        Text.name("type", type, TYPE_MAX);
        if (version < 1) {
            throw new IllegalArgumentException("version must be at least 1, but is " + version);
        }
        if (bytes.length > BYTES_MAX) {
            throw new IllegalArgumentException(
                    "bytes of " + type + " must be at most " + BYTES_MAX + ", but are " + bytes.length);
        }
        return new Encoded(type, version, bytes.clone());
    }

    /** As it comes out of the database, where another version may have been less strict. */
    static Encoded stored(String type, int version, byte[] bytes) {
        return new Encoded(type, version, bytes);
    }

    /** For the driver, which does not change them. */
    byte[] shared() {
        return bytes;
    }

    /**
     * What it is.
     *
     * @return the type
     */
    public String type() {
        return type;
    }

    /**
     * In which form the bytes are.
     *
     * @return the version
     */
    public int version() {
        return version;
    }

    /**
     * The bytes.
     *
     * @return a copy
     */
    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Encoded that
                && type.equals(that.type)
                && version == that.version
                && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Objects.hash(type, version, Arrays.hashCode(bytes));
    }

    @Override
    public String toString() {
        return type + " v" + version + ", " + bytes.length + " bytes";
    }
}

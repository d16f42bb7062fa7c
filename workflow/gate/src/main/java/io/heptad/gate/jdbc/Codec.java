package io.heptad.gate.jdbc;

import io.heptad.gate.UnreadableException;

/**
 * Turns what a gate handles (phases, events, the inputs and results of its actions) into bytes and back. A role: implement it,
 * or list your types in a {@linkplain #builder builder} and bring a function that writes and one that reads.
 *
 * {@snippet file="io/heptad/gate/jdbc/JdbcSnippetsTest.java" region="codec"}
 *
 * <p><b>Types change, rows stay.</b> What is written today is read by the code of next year, and during a rolling release
 * also by the code of last week. So each value is stored with the name of its type and a version. A change that old bytes
 * survive (one more optional field) needs no new version. For any other, count the version up and say how the older one is
 * read. Old code that meets the newer version refuses it with an {@link UnreadableException} and leaves it to new code.
 *
 * <p>Values must survive the way there and back as an equal value: a repeated event is recognised with {@code equals}.
 *
 * <p>Called by many threads at once, inside of transactions: it must not wait, and must not call the store.
 */
public interface Codec {
    /**
     * Writes a value.
     *
     * @param value a phase, an event, an input or a result
     * @return how it is stored
     * @throws IllegalArgumentException if this codec does not know the type of the value
     */
    Encoded encode(Object value);

    /**
     * Reads a value.
     *
     * @param encoded how it is stored
     * @return the value
     * @throws UnreadableException if the type or its version is not known here, or the bytes cannot be read
     */
    Object decode(Encoded encoded);

    /**
     * Lists types for a codec.
     *
     * @param write turns a value into bytes, such as {@code ObjectMapper::writeValueAsBytes}
     * @param read turns bytes back, such as {@code ObjectMapper::readValue}
     * @return a builder without types
     */
    static CodecBuilder builder(Write write, Read read) {
        return new CodecBuilder(write, read);
    }

    /** Turns a value into bytes. */
    @FunctionalInterface
    interface Write {
        /**
         * Writes.
         *
         * @param value the value
         * @return its bytes
         * @throws Exception the value cannot be written
         */
        byte[] write(Object value) throws Exception;
    }

    /** Turns bytes into a value. */
    @FunctionalInterface
    interface Read {
        /**
         * Reads.
         *
         * @param bytes what was written
         * @param type what is wanted
         * @return a value of that type
         * @throws Exception the bytes cannot be read
         */
        Object read(byte[] bytes, Class<?> type) throws Exception;
    }

    /** Turns the bytes of an older version into a value of today. */
    @FunctionalInterface
    interface Upgrade {
        /**
         * Reads.
         *
         * @param bytes what the older version has written
         * @return a value of today's type
         * @throws Exception the bytes cannot be read
         */
        Object read(byte[] bytes) throws Exception;
    }
}

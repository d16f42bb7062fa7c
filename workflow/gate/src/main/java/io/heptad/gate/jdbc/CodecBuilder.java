package io.heptad.gate.jdbc;

import io.heptad.gate.UnreadableException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lists the types that a {@link Codec} knows: under which name and version each is stored.
 *
 * <p>Not for use by several threads at once; the codec it makes is.
 */
public final class CodecBuilder {
    private record Known(String name, int version, Class<?> type) {}

    private record Old(String name, int version) {}

    private final Codec.Write write;
    private final Codec.Read read;
    private final Map<Class<?>, Known> byType = new HashMap<>();
    private final Map<String, Known> byName = new HashMap<>();
    private final Map<Old, Codec.Upgrade> older = new HashMap<>();

    CodecBuilder(Codec.Write write, Codec.Read read) {
        this.write = Objects.requireNonNull(write, "write");
        this.read = Objects.requireNonNull(read, "read");
    }

    /**
     * A type, and the version in which it is written.
     *
     * @param name the word under which it is stored; do not change it when the class is renamed or moved
     * @param version at least 1
     * @param type the very class of the values; a sealed interface is listed by its members
     * @return this
     * @throws IllegalArgumentException if the name or the type is listed already, or the name is blank or too long
     */
    public CodecBuilder type(String name, int version, Class<?> type) {
        Text.name("name", name, Encoded.TYPE_MAX);
        Objects.requireNonNull(type, "type");
        if (version < 1) {
            throw new IllegalArgumentException("version must be at least 1, but is " + version);
        }
        if (byName.containsKey(name) || byType.containsKey(type)) {
            throw new IllegalArgumentException(
                    "name and type must be listed once, but " + name + " or " + type.getName() + " is listed already");
        }
        Known known = new Known(name, version, type);
        byName.put(name, known);
        byType.put(type, known);
        return this;
    }

    /**
     * How an older version of a type is read.
     *
     * @param name the word under which the type is stored; also one that is listed no more, whose values become others
     * @param version that older version
     * @param upgrade makes a value of today from its bytes
     * @return this
     * @throws IllegalArgumentException if that version is listed already
     */
    public CodecBuilder older(String name, int version, Codec.Upgrade upgrade) {
        Text.name("name", name, Encoded.TYPE_MAX);
        Objects.requireNonNull(upgrade, "upgrade");
        if (older.putIfAbsent(new Old(name, version), upgrade) != null) {
            throw new IllegalArgumentException(
                    "version must be listed once, but " + version + " of " + name + " is listed already");
        }
        return this;
    }

    /**
     * The codec.
     *
     * @return a codec for what is listed now
     * @throws IllegalArgumentException if an older version is not older than what is written
     */
    public Codec build() {
        older.keySet().forEach(old -> {
            Known known = byName.get(old.name);
            if (known != null && old.version >= known.version) {
                throw new IllegalArgumentException(
                        "version of older " + old.name + " must be below " + known.version + ", but is " + old.version);
            }
        });
        return new Listed(write, read, Map.copyOf(byType), Map.copyOf(byName), Map.copyOf(older));
    }

    private record Listed(
            Codec.Write write,
            Codec.Read read,
            Map<Class<?>, Known> byType,
            Map<String, Known> byName,
            Map<Old, Codec.Upgrade> older)
            implements Codec {
        @Override
        public Encoded encode(Object value) {
            Known known = byType.get(value.getClass());
            if (known == null) {
                throw new IllegalArgumentException("value must be of a type that the codec lists, but is of "
                        + value.getClass().getName());
            }
            try {
                return Encoded.of(known.name, known.version, write.write(value));
            } catch (IllegalArgumentException refused) {
                throw refused;
            } catch (Exception failed) {
                throw new IllegalArgumentException("value of " + known.name + " cannot be written: " + failed, failed);
            }
        }

        @Override
        public Object decode(Encoded encoded) {
            Known known = byName.get(encoded.type());
            Codec.Upgrade upgrade = older.get(new Old(encoded.type(), encoded.version()));
            if (upgrade == null && (known == null || known.version != encoded.version())) {
                throw unreadable(encoded, known, null);
            }
            try {
                return Objects.requireNonNull(
                        upgrade != null || known == null
                                ? Objects.requireNonNull(upgrade).read(encoded.bytes())
                                : read.read(encoded.bytes(), known.type),
                        "what was read");
            } catch (Exception failed) {
                throw unreadable(encoded, known, failed);
            }
        }

        private static UnreadableException unreadable(
                Encoded encoded, @Nullable Known known, @Nullable Exception failed) {
            String why = failed != null
                    ? "its bytes gave " + failed
                    : known == null
                            ? "no such type is known here"
                            : "the version written here is " + known.version
                                    + (encoded.version() > known.version
                                            ? ""
                                            : ", and nobody said how the older is read");
            return new UnreadableException(
                    encoded.type(),
                    encoded.version(),
                    "type " + encoded.type() + " of version " + encoded.version() + " cannot be read: " + why,
                    failed);
        }

        @Override
        public String toString() {
            return "Codec of " + byName.keySet();
        }
    }
}

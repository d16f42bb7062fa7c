package io.heptad.gate.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.gate.UnreadableException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A codec from a list of types, and what it refuses. */
class CodecTest {
    private static CodecBuilder texts() {
        return Codec.builder(value -> ((String) value).getBytes(UTF_8), (bytes, type) -> new String(bytes, UTF_8));
    }

    private static Encoded encoded(String type, int version) {
        return Encoded.of(type, version, "tea".getBytes(UTF_8));
    }

    @Test
    void writesATypeUnderItsNameAndVersionAndReadsItBack() {
        Codec codec = texts().type("text", 3, String.class).build();
        assertThat(codec.encode("tea")).isEqualTo(encoded("text", 3));
        assertThat(codec.decode(encoded("text", 3))).isEqualTo("tea");
        assertThat(codec).hasToString("Codec of [text]");
    }

    @Test
    void readsAnOlderVersionAsItWasTold() {
        Codec codec = texts().type("text", 3, String.class)
                .older("text", 1, bytes -> "older " + new String(bytes, UTF_8))
                .older("word", 7, bytes -> "word " + new String(bytes, UTF_8))
                .build();
        assertThat(codec.decode(encoded("text", 1))).isEqualTo("older tea");
        assertThat(codec.decode(encoded("word", 7)))
                .as("a type that is written no more")
                .isEqualTo("word tea");
    }

    @Test
    void refusesWhatItCannotReadAndSaysWhy() {
        Codec codec = texts().type("text", 3, String.class)
                .older("word", 1, bytes -> "word")
                .build();
        refuses(codec, "text", 4, "the version written here is 3");
        refuses(codec, "text", 2, "nobody said how the older is read");
        refuses(codec, "word", 2, "no such type is known here");
        refuses(codec, "cup", 1, "no such type is known here");
    }

    private static void refuses(Codec codec, String type, int version, String why) {
        assertThatThrownBy(() -> codec.decode(encoded(type, version)))
                .isInstanceOfSatisfying(UnreadableException.class, thrown -> {
                    assertThat(thrown.type()).isEqualTo(type);
                    assertThat(thrown.version()).isEqualTo(version);
                })
                .hasMessageContaining("type " + type + " of version " + version)
                .hasMessageContaining(why);
    }

    @Test
    void bytesThatMakeNoSenseAreUnreadable() {
        Codec broken = Codec.builder(value -> new byte[0], (bytes, type) -> {
                    throw new IOException("torn");
                })
                .type("text", 1, String.class)
                .build();
        assertThatThrownBy(() -> broken.decode(encoded("text", 1)))
                .isInstanceOf(UnreadableException.class)
                .hasRootCauseMessage("torn");
        Codec nothing = Codec.builder(value -> new byte[0], (bytes, type) -> null)
                .type("text", 1, String.class)
                .build();
        assertThatThrownBy(() -> nothing.decode(encoded("text", 1))).isInstanceOf(UnreadableException.class);
    }

    @Test
    void refusesAValueWhoseTypeIsNotListed() {
        Codec codec = texts().type("text", 1, CharSequence.class).build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.encode("tea"))
                .as("the very class")
                .withMessageContaining("java.lang.String");
        Codec broken = Codec.builder(
                        value -> {
                            throw new IOException("full");
                        },
                        (bytes, type) -> "")
                .type("text", 1, String.class)
                .build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> broken.encode("tea"))
                .withMessageContaining("text")
                .withRootCauseInstanceOf(IOException.class);
    }

    @Test
    void refusesAListThatContradictsItself() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> texts().type("text", 1, String.class).type("text", 1, Integer.class))
                .withMessageContaining("text");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> texts().type("text", 1, String.class).type("word", 1, String.class));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> texts().type("text", 0, String.class))
                .withMessageContaining("version")
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> texts().type(" ", 1, String.class))
                .withMessageContaining("name");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> texts().older("text", 1, bytes -> "").older("text", 1, bytes -> ""));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> texts().type("text", 2, String.class)
                        .older("text", 2, bytes -> "")
                        .build())
                .withMessageContaining("below 2");
        assertThatNullPointerException().isThrownBy(() -> Codec.builder(null, (bytes, type) -> ""));
    }

    @Test
    void whatIsEncodedCannotBeChangedFromOutside() {
        byte[] bytes = "tea".getBytes(UTF_8);
        Encoded encoded = Encoded.of("text", 1, bytes);
        bytes[0] = 'p';
        encoded.bytes()[0] = 'p';
        assertThat(encoded.bytes()).isEqualTo("tea".getBytes(UTF_8));
        assertThat(encoded).hasToString("text v1, 3 bytes").hasSameHashCodeAs(encoded("text", 1));
        assertThat(encoded)
                .isNotEqualTo(encoded("text", 2))
                .isNotEqualTo(encoded("word", 1))
                .isNotEqualTo("text");
    }

    @Test
    void refusesWhatNoRowTakes() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Encoded.of("text", 1, new byte[(1 << 20) + 1]))
                .withMessageContaining("1048576")
                .withMessageContaining("1048577");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Encoded.of("text", 0, new byte[0]))
                .withMessageContaining("version");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Encoded.of("x".repeat(201), 1, new byte[0]))
                .withMessageContaining("type")
                .withMessageContaining("201");
    }
}

package io.heptad.future;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class OutcomeTest {
    private final IOException checked = new IOException("checked");
    private final IllegalStateException unchecked = new IllegalStateException("unchecked");

    @Test
    void givesItsValueOrThrowsItsCause() {
        assertThat(new Outcome.Success<>("x").orElseThrow()).isEqualTo("x");
        assertThat(new Outcome.Success<>(null).orElseThrow()).isNull();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> new Outcome.Failure<>(unchecked).orElseThrow())
                .isSameAs(unchecked);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> new Outcome.Failure<>(new AssertionError("error")).orElseThrow());
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> new Outcome.Failure<>(checked).orElseThrow())
                .withCause(checked);
    }

    @Test
    void mapsAValueAndKeepsAFailure() {
        assertThat(new Outcome.Success<>("abc").map(String::length)).isEqualTo(new Outcome.Success<>(3));
        assertThat(new Outcome.Failure<String>(checked).map(String::length)).isEqualTo(new Outcome.Failure<>(checked));
        assertThat(new Outcome.Success<>("abc").map(value -> {
                    throw unchecked;
                }))
                .isEqualTo(new Outcome.Failure<>(unchecked));
    }

    @Test
    void aFailureHasACause() {
        assertThatNullPointerException()
                .isThrownBy(() -> new Outcome.Failure<>(null))
                .withMessage("cause");
        assertThat(new Outcome.Failure<>(checked).isSuccess()).isFalse();
    }

    @Test
    void anExceptionOverSeveralFailuresKeepsThemAllAndNobodyCanChangeThem() {
        AllFailedException both = new AllFailedException(List.of(checked, unchecked));
        assertThat(both.causes()).containsExactly(checked, unchecked);
        assertThat(both).hasCause(checked).hasMessage("all 2 candidates failed, the first with java.io.IOException");
        assertThat(new AllFailedException(List.of(checked))).hasMessageContaining("only candidate");
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> both.causes().set(0, unchecked));
    }
}

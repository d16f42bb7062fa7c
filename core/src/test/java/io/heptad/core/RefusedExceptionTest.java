package io.heptad.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class RefusedExceptionTest {
    @Test
    void fullSaysHowFullAndWhenToComeBack() {
        FullException full = new FullException("letters", 10, 9, Duration.ofSeconds(3));

        assertThat(full)
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("letters is full: depth 9 of capacity 10; try again in PT3S");
        assertThat(full.shape()).isEqualTo("letters");
        assertThat(full.capacity()).isEqualTo(10);
        assertThat(full.depth()).isEqualTo(9);
        assertThat(full.retryAfter()).contains(Duration.ofSeconds(3));
    }

    @Test
    void fullSaysNothingAboutATimeItDoesNotKnow() {
        FullException full = new FullException("letters", 10, 10, null);

        assertThat(full).hasMessage("letters is full: depth 10 of capacity 10");
        assertThat(full.retryAfter()).isEmpty();
    }

    @Test
    void closedAndBusyNameTheShape() {
        assertThat(new ClosedException("letters")).hasMessage("letters is closed");
        assertThat(new ClosedException("letters").shape()).isEqualTo("letters");
        assertThat(new BusyException("orders", "the charge of order 7"))
                .hasMessage("orders is busy: the charge of order 7");
        assertThat(new BusyException("orders", "a charge").shape()).isEqualTo("orders");
    }

    @Test
    void refuseNulls() {
        assertThatNullPointerException().isThrownBy(() -> new FullException(null, 1, 1, null));
        assertThatNullPointerException().isThrownBy(() -> new ClosedException(null));
        assertThatNullPointerException().isThrownBy(() -> new BusyException(null, "x"));
        assertThatNullPointerException().isThrownBy(() -> new BusyException("x", null));
    }

    @Test
    void surviveSerialization() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(new FullException("letters", 10, 9, Duration.ofSeconds(3)));
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            FullException copy = (FullException) in.readObject();
            assertThat(copy.shape()).isEqualTo("letters");
            assertThat(copy.retryAfter()).contains(Duration.ofSeconds(3));
        }
    }
}

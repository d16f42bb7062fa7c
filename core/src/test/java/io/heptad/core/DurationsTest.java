package io.heptad.core;

import static io.heptad.core.Durations.saturatedNanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DurationsTest {
    @Test
    void isExactWhereItFits() {
        assertThat(saturatedNanos(Duration.ZERO)).isZero();
        assertThat(saturatedNanos(Duration.ofNanos(1))).isEqualTo(1);
        assertThat(saturatedNanos(Duration.ofNanos(-1))).isEqualTo(-1);
        assertThat(saturatedNanos(Duration.ofMillis(-1_500))).isEqualTo(-1_500_000_000L);
        assertThat(saturatedNanos(Duration.ofNanos(Long.MAX_VALUE - 1))).isEqualTo(Long.MAX_VALUE - 1);
        assertThat(saturatedNanos(Duration.ofNanos(Long.MIN_VALUE + 1))).isEqualTo(Long.MIN_VALUE + 1);
    }

    @Test
    void isTheNearestWhereItDoesNot() {
        assertThat(saturatedNanos(Duration.ofNanos(Long.MAX_VALUE).plusNanos(1)))
                .isEqualTo(Long.MAX_VALUE);
        assertThat(saturatedNanos(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
        assertThat(saturatedNanos(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)))
                .isEqualTo(Long.MAX_VALUE);
        assertThat(saturatedNanos(Duration.ofNanos(Long.MIN_VALUE).minusNanos(1)))
                .isEqualTo(Long.MIN_VALUE);
        assertThat(saturatedNanos(Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void refusesNull() {
        assertThatNullPointerException().isThrownBy(() -> saturatedNanos(null));
    }
}

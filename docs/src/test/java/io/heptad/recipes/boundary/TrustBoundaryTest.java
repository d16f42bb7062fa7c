package io.heptad.recipes.boundary;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TrustBoundaryTest {
    @Test
    void tenThousandRefusalsParkNoThreadAndHoldNothing() throws Exception {
        try (Intake intake = Intake.open(100)) {
            for (int i = 0; i < 100; i++) {
                assertThat(intake.answer("event")).isEqualTo(Answer.accepted());
            }
            for (int i = 0; i < 10_000; i++) {
                assertThat(intake.answer("event").status()).isEqualTo(429);
            }
            assertThat(intake.queue().depth()).isEqualTo(100);
            assertThat(intake.queue().stats().waitingProducers()).isZero();
            assertThat(intake.queue().stats().rejected()).isEqualTo(10_000);
        }
    }

    @Test
    void aFloodOverHttpGets429AndATimeToComeBack() throws Exception {
        TrustBoundary.Flood flood = TrustBoundary.flood(300, 16, 20, 50);

        assertThat(flood.refused()).isBetween(300L, 316L);
        assertThat(flood.accepted()).isGreaterThanOrEqualTo(20);
        assertThat(flood.retryAfter().getCount()).isEqualTo(flood.refused());
        assertThat(flood.retryAfter().getMin()).isGreaterThanOrEqualTo(1);
        assertThat(flood.deepest()).isEqualTo(20);
        assertThat(flood.waitingProducers()).isZero();
    }

    @Test
    void theTimeToComeBackIsRoundedUpToWholeSeconds() {
        assertThat(Answer.comeBack(Duration.ofMillis(2_001)).retryAfter()).isEqualTo(OptionalLong.of(3));
        assertThat(Answer.comeBack(Duration.ofSeconds(2)).retryAfter()).isEqualTo(OptionalLong.of(2));
        assertThat(Answer.comeBack(Duration.ZERO).retryAfter()).isEqualTo(OptionalLong.of(1));
    }
}

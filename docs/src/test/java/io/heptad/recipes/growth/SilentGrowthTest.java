package io.heptad.recipes.growth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.heptad.recipes.growth.SilentGrowth.Look;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SilentGrowthTest {
    @Test
    void behindALargeBoundEveryItemWaitsLongerWhileNothingFails() throws Exception {
        List<Look> looks = SilentGrowth.watch(1_000_000, 100, 90, Duration.ofMinutes(10));

        assertThat(looks).hasSize(10);
        for (int i = 0; i < looks.size(); i++) {
            Look look = looks.get(i);
            assertThat(look.refused()).isZero();
            assertThat(look.depth()).isCloseTo(600L * (i + 1), within(2L)); // ten more a second than are taken
            assertThat(look.waited().toMillis()).isCloseTo(6_000L * (i + 1), within(100L)); // 0.1 s more every second
        }
    }

    @Test
    void theSlopeOfTheDepthTellsWhereItWillBe() throws Exception {
        Look look =
                SilentGrowth.watch(1_000_000, 100, 90, Duration.ofMinutes(2)).getLast();

        assertThat(look.slope()).isCloseTo(10.0, within(0.1));
        assertThat(look.forecast(Duration.ofMinutes(5))).isCloseTo(look.depth() + 3_000.0, within(30.0));
    }

    @Test
    void behindAChosenBoundTheWaitStaysAndTheRefusalsShow() throws Exception {
        List<Look> looks = SilentGrowth.watch(90, 100, 90, Duration.ofMinutes(10));

        assertThat(looks).allSatisfy(look -> {
            assertThat(look.depth()).isBetween(88L, 90L);
            assertThat(look.waited()).isLessThanOrEqualTo(Duration.ofMillis(1_050));
        });
        assertThat(looks.getLast().slope()).isCloseTo(0, within(0.1));
        assertThat(looks.getLast().refused()).isCloseTo(600L * 10 - 90, within(2L));
    }

    @Test
    void aConsumerThatKeepsUpHoldsNothingBack() throws Exception {
        Look look =
                SilentGrowth.watch(1_000_000, 90, 100, Duration.ofMinutes(2)).getLast();

        assertThat(look.depth()).isLessThanOrEqualTo(1);
        assertThat(look.waited()).isLessThan(Duration.ofMillis(20));
        assertThat(look.slope()).isCloseTo(0, within(0.1));
    }
}

package io.heptad.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TickerTest {
    @Test
    void theSystemTickerIsTheMonotonicClock() {
        Ticker ticker = Ticker.system();
        long before = System.nanoTime();
        long reading = ticker.nanos();
        long after = System.nanoTime();

        assertThat(reading - before).isGreaterThanOrEqualTo(0);
        assertThat(after - reading).isGreaterThanOrEqualTo(0);
    }
}

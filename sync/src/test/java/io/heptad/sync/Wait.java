package io.heptad.sync;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;

/** Waiting for a stated condition. */
final class Wait {
    private Wait() {}

    static void until(BooleanSupplier condition) {
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofSeconds(10))
                .until(condition::getAsBoolean);
    }
}

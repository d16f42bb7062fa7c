package io.heptad.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Waiting for a stated condition, and threads that do. */
final class Wait {
    static final Duration LONG = Duration.ofSeconds(10);

    private Wait() {}

    static ConditionFactory until() {
        return Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(LONG);
    }

    static void untilParked(Thread thread) {
        until().until(() ->
                thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING);
    }

    interface Body {
        Object run() throws Exception;
    }

    /** A call in a thread of its own, and how it ended. */
    static final class Call {
        final Thread thread;
        private final AtomicReference<Object> end = new AtomicReference<>();

        Call(Body body) {
            thread = Thread.ofPlatform().daemon().start(() -> {
                try {
                    end.set(body.run());
                } catch (Throwable failure) {
                    end.set(failure);
                }
            });
        }

        Object end() throws InterruptedException {
            assertThat(thread.join(LONG)).as("the call ended").isTrue();
            return end.get();
        }

        boolean isUnderWay() {
            return end.get() == null;
        }
    }
}

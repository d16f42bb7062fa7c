package io.heptad.stress.sync;

import static io.heptad.stress.OneCarrier.WAITERS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.stress.OneCarrier;
import io.heptad.sync.KeyedLock;
import io.heptad.sync.Signal;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import jdk.jfr.Recording;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every call of a signal and of a keyed lock that may wait, on one carrier. */
class SignalSoakTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final Signal signal = Signal.of(0, WAITERS);
    private final KeyedLock<String> lock = KeyedLock.create();

    /** The first event of its kind pins whoever writes it while the JVM makes its class, which is nobody's wait. */
    @BeforeAll
    static void recordOneWaitOfEach() throws Exception {
        Duration overTheThreshold = Duration.ofMillis(30);
        KeyedLock<String> lock = KeyedLock.create();
        try (Recording recording = new Recording()) {
            recording.start();
            assertThat(Signal.create().acquire(overTheThreshold)).isFalse();
            lock.withLock("key", () -> {
                Thread other = Thread.ofPlatform()
                        .start(() -> assertThatThrownBy(() -> lock.withLock("key", overTheThreshold, () -> "never"))
                                .isInstanceOf(TimeoutException.class));
                other.join();
            });
        }
    }

    private Void releaseOneByOne() {
        for (int i = 0; i < WAITERS; i++) {
            signal.release();
        }
        return null;
    }

    @Test
    void acquiresAreServed() throws Exception {
        assertThat(OneCarrier.soak(
                        signal::waiting,
                        () -> {
                            signal.acquire();
                            return "acquired";
                        },
                        this::releaseOneByOne))
                .containsOnly("acquired");
        assertThat(signal.available()).isZero();
    }

    @Test
    void timedAcquiresAreServed() throws Exception {
        assertThat(OneCarrier.soak(signal::waiting, () -> signal.acquire(LONG), () -> {
                    signal.release(WAITERS);
                    return null;
                }))
                .containsOnly(true);
        assertThat(signal.available()).isZero();
    }

    @Test
    void futuresAreJoined() throws Exception {
        assertThat(OneCarrier.soak(
                        signal::waiting,
                        () -> {
                            signal.acquireAsync().join();
                            return "acquired";
                        },
                        this::releaseOneByOne))
                .containsOnly("acquired");
    }

    @Test
    void theyHandOnePermitOnToOneAnother() throws Exception {
        assertThat(OneCarrier.soak(
                        signal::waiting,
                        () -> {
                            signal.acquire();
                            signal.release();
                            return "passed on";
                        },
                        () -> {
                            signal.release();
                            return null;
                        }))
                .containsOnly("passed on");
        assertThat(signal.available()).isEqualTo(1);
    }

    @Test
    void bodiesGetTheirKey() throws Exception {
        getTheirKey(false);
    }

    @Test
    void bodiesThatWaitForALimitedTimeGetTheirKey() throws Exception {
        getTheirKey(true);
    }

    private void getTheirKey(boolean timed) throws Exception {
        CountDownLatch leave = new CountDownLatch(1);
        CountDownLatch inside = new CountDownLatch(1);
        Thread holder = Thread.startVirtualThread(() -> {
            try {
                lock.withLock("a", () -> {
                    inside.countDown();
                    leave.await();
                });
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        });
        inside.await();
        assertThat(OneCarrier.soak(
                        () -> lock.waiting("a"),
                        () -> timed ? lock.withLock("a", LONG, () -> "ran") : lock.withLock("a", () -> "ran"),
                        () -> {
                            leave.countDown();
                            return null;
                        }))
                .containsOnly("ran");
        holder.join();
        assertThat(lock.keys()).isZero();
    }
}

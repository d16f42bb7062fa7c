package io.heptad.stress.actor;

import static io.heptad.stress.OneCarrier.WAITERS;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.actor.Behavior;
import io.heptad.actor.KeyedActors;
import io.heptad.actor.Reply;
import io.heptad.core.FullPolicy;
import io.heptad.stress.OneCarrier;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Every call of keyed actors that may wait, on one carrier. */
class KeyedActorsSoakTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final CountDownLatch hold = new CountDownLatch(1);
    private final AtomicInteger arrived = new AtomicInteger();

    private KeyedActors<Integer, Reply<? super String>> held(int perKey, int total) {
        return KeyedActors.<Integer, Reply<? super String>>named("k", Integer.class, reply())
                .mailbox(perKey, FullPolicy.BLOCK)
                .totalQueued(total)
                .state(key -> key, (Behavior<Integer, Reply<? super String>>) (key, reply, context) -> {
                    hold.await();
                    reply.ok("done");
                    return key;
                })
                .idleAfter(Duration.ZERO)
                .start();
    }

    @SuppressWarnings("unchecked") // there is no class of a generic type
    private static Class<Reply<? super String>> reply() {
        return (Class<Reply<? super String>>) (Class<?>) Reply.class;
    }

    private Void release() {
        hold.countDown();
        return null;
    }

    @Test
    void sendersToOneKeyAreLetIn() throws Exception {
        try (KeyedActors<Integer, Reply<? super String>> actors = held(1, 10)) {
            assertThat(OneCarrier.soak(
                            arrived::get,
                            () -> {
                                arrived.incrementAndGet();
                                return actors.<String>call(1, reply -> reply, LONG);
                            },
                            this::release))
                    .containsOnly("done");
        }
    }

    @Test
    void sendersToManyKeysAreLetInUnderTheBoundOverAll() throws Exception {
        try (KeyedActors<Integer, Reply<? super String>> actors = held(WAITERS, 1)) {
            assertThat(OneCarrier.soak(
                            arrived::get,
                            () -> {
                                int me = arrived.incrementAndGet();
                                return actors.<String>call(me % 30, reply -> reply, LONG);
                            },
                            this::release))
                    .containsOnly("done");
        }
    }

    @Test
    void handlersOfManyKeysLeaveTheCarrierToEachOther() throws Exception {
        try (KeyedActors<Integer, Reply<? super String>> actors = held(1, WAITERS)) {
            assertThat(OneCarrier.soak(
                            () -> actors.stats().live(),
                            () -> actors.<String>call(arrived.incrementAndGet(), reply -> reply, LONG),
                            this::release))
                    .containsOnly("done");
        }
    }

    @Test
    void theEndIsWaitedFor() throws Exception {
        KeyedActors<Integer, Reply<? super String>> actors = held(1, 1);
        actors.ask(1, (Reply<String> reply) -> reply, LONG);
        assertThat(OneCarrier.soak(
                        arrived::get,
                        () -> {
                            arrived.incrementAndGet();
                            return actors.close(LONG);
                        },
                        this::release))
                .containsOnly(true);
    }
}

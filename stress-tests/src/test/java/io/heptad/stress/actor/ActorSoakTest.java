package io.heptad.stress.actor;

import static io.heptad.stress.OneCarrier.WAITERS;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.actor.Actor;
import io.heptad.actor.Reply;
import io.heptad.core.FullPolicy;
import io.heptad.stress.OneCarrier;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Every call of an actor that may wait, and a handler that does, on one carrier. */
class ActorSoakTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final CountDownLatch hold = new CountDownLatch(1);

    /** An actor that is stuck in its first message until it is released. */
    private Actor<Reply<String>> held(int mailbox) throws InterruptedException {
        Actor<Reply<String>> actor = Actor.of("held", mailbox, FullPolicy.BLOCK, 0, (count, reply, context) -> {
            hold.await();
            reply.ok("answer");
            return count + 1;
        });
        Object first = actor.<String>ask(reply -> reply, LONG);
        while (actor.depth() > 0) {
            Thread.onSpinWait(); // until it is in hand
        }
        return actor;
    }

    private Void release() {
        hold.countDown();
        return null;
    }

    private static final class Nobody implements Reply<String> {
        @Override
        public boolean ok(String value) {
            return false;
        }

        @Override
        public boolean fail(Throwable cause) {
            return false;
        }
    }

    @Test
    void sendersAreLetIn() throws Exception {
        Actor<Reply<String>> actor = held(1);
        actor.send(new Nobody());
        assertThat(OneCarrier.soak(() -> actor.stats().waitingSenders(), () -> actor.send(new Nobody()), this::release))
                .containsOnly(true);
    }

    @Test
    void timedSendersAreLetIn() throws Exception {
        Actor<Reply<String>> actor = held(1);
        actor.send(new Nobody());
        assertThat(OneCarrier.soak(
                        () -> actor.stats().waitingSenders(), () -> actor.send(new Nobody(), LONG), this::release))
                .containsOnly(true);
    }

    @Test
    void callersGetTheirAnswers() throws Exception {
        Actor<Reply<String>> actor = held(WAITERS);
        assertThat(OneCarrier.soak(
                        () -> actor.stats().pendingAsks() - 1,
                        () -> actor.<String>call(reply -> reply, LONG),
                        this::release))
                .containsOnly("answer");
    }

    @Test
    void callersWaitForRoomAndGetTheirAnswers() throws Exception {
        Actor<Reply<String>> actor = held(2);
        assertThat(OneCarrier.soak(
                        () -> actor.stats().pendingAsks() - 1,
                        () -> actor.<String>call(reply -> reply, LONG),
                        this::release))
                .containsOnly("answer");
    }

    @Test
    void asksAreJoined() throws Exception {
        Actor<Reply<String>> actor = held(WAITERS);
        assertThat(OneCarrier.soak(
                        () -> actor.stats().pendingAsks() - 1,
                        () -> actor.<String>ask(reply -> reply, LONG).get(),
                        this::release))
                .containsOnly("answer");
    }

    @Test
    void closeIsWaitedFor() throws Exception {
        Actor<Reply<String>> actor = held(1);
        AtomicInteger arrived = new AtomicInteger();
        assertThat(OneCarrier.soak(
                        arrived::get,
                        () -> {
                            arrived.incrementAndGet();
                            return actor.close(LONG);
                        },
                        this::release))
                .containsOnly(true);
    }
}

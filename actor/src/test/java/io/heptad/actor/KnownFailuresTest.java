package io.heptad.actor;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What went wrong in other actors, named for what goes right here; more of it in the tests of asks, timers and stops. */
@Watched
class KnownFailuresTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private record Ball(int left, Actor<?>[] players, CountDownLatch over) {}

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aMillionTurnsOfPingPongNeverStall(boolean onAPoolOfTwo) throws Exception {
        ExecutorService two = Executors.newFixedThreadPool(2);
        Behavior<String, Ball> play = (state, ball, context) -> {
            if (ball.left() == 0) {
                ball.over().countDown();
            } else {
                @SuppressWarnings("unchecked")
                Actor<Ball> other = (Actor<Ball>) ball.players()[ball.left() % 2];
                other.send(new Ball(ball.left() - 1, ball.players(), ball.over()));
            }
            return state;
        };
        Actor<?>[] players = new Actor<?>[2];
        for (int i = 0; i < 2; i++) {
            var builder =
                    Actor.named("player-" + i, Ball.class).mailbox(10, REJECT).state(() -> "", play);
            players[i] = onAPoolOfTwo ? builder.executor(two).start() : builder.start();
        }
        CountDownLatch over = new CountDownLatch(1);
        @SuppressWarnings("unchecked")
        Actor<Ball> first = (Actor<Ball>) players[0];
        first.send(new Ball(1_000_000, players, over));

        assertThat(over.await(50, TimeUnit.SECONDS)).isTrue();
        two.shutdown();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aMessageToAnIdleActorIsHandledThoughNoOtherFollows(boolean onAPoolOfTwo) throws Exception {
        ExecutorService two = Executors.newFixedThreadPool(2);
        var builder = Actor.named("idle", CompletableFuture.class)
                .mailbox(10, REJECT)
                .state(() -> 0, (Integer count, CompletableFuture done, ActorContext<CompletableFuture> context) -> {
                    @SuppressWarnings("unchecked")
                    boolean ignored = done.complete(count);
                    return count + 1;
                });
        @SuppressWarnings("rawtypes")
        Actor<CompletableFuture> actor = onAPoolOfTwo ? builder.executor(two).start() : builder.start();
        for (int i = 0; i < 100_000; i++) {
            CompletableFuture<Object> done = new CompletableFuture<>();
            actor.send(done);
            assertThat(done.get(SECOND.toMillis(), TimeUnit.MILLISECONDS)).isEqualTo(i);
        }
        two.shutdown();
    }

    @Test
    void theStopHookRunsOnceWhateverStopsItAtTheSameTime() throws Exception {
        for (int round = 0; round < 500; round++) {
            AtomicInteger stopped = new AtomicInteger();
            Actor<String> actor = Actor.named("stopping", String.class)
                    .mailbox(10, BLOCK)
                    .state(() -> 0, (count, word, context) -> {
                        context.stop();
                        return count + 1;
                    })
                    .supervision(Supervision.stop())
                    .onStop(count -> stopped.incrementAndGet())
                    .start();
            actor.offer("stop");
            Call<Object> closer = Call.start(true, () -> actor.close(SECOND));
            Call<Object> taker = Call.start(true, actor::closeNow);
            assertThat(actor.close(Duration.ofSeconds(10))).isTrue();

            assertThat(closer.outcome()).isEqualTo(true);
            assertThat(taker.outcome()).isNotNull();
            assertThat(stopped).hasValue(1);
        }
    }
}

package io.heptad.actor;

import static io.heptad.core.FullPolicy.BLOCK;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.FullException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The traps of the printed actor, each beside the same steps with {@link Actor}. */
@Watched
class NaiveActorTest {
    private static final Duration SOON = Duration.ofSeconds(10);

    private static int handle(String word) {
        if (word.equals("poison")) {
            throw new IllegalStateException("poison");
        }
        return word.length();
    }

    @Test
    void aMessageThatThrowsEndsThePrintedLoopAndItsMailboxFillsInSilence() throws Exception {
        NaiveActor<String> naive = new NaiveActor<>(100, NaiveActorTest::handle);
        naive.send("poison");
        assertThat(naive.loop().join(SOON)).isTrue(); // nobody drains it any more
        for (int i = 0; i < 100; i++) {
            assertThat(naive.offer("a")).isTrue(); // and nothing says so
        }
        assertThat(naive.offer("a")).isFalse();

        Actor<String> actor = Actor.of("words", 100, BLOCK, 0, (sum, word, context) -> sum + handle(word));
        actor.send("poison");
        for (int i = 0; i < 101; i++) {
            actor.send("a");
        }
        assertThat(actor.close(SOON)).isTrue();
        assertThat(actor.stats().handled()).isEqualTo(101);
        assertThat(actor.stats().failed()).isEqualTo(1);
    }

    @Test
    void thePrintedActorHangsWhenItSendsToItsOwnFullMailbox() throws Exception {
        AtomicReference<NaiveActor<String>> self = new AtomicReference<>();
        NaiveActor<String> naive = new NaiveActor<>(1, word -> {
            try {
                self.get().send("b");
                self.get().send("c");
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
        });
        self.set(naive);
        naive.send("a");
        Call.until(() -> naive.loop().getState() == Thread.State.WAITING);
        assertThat(naive.offer("d")).isFalse(); // full, and it will stay so
        naive.loop().interrupt();

        List<Throwable> refused = new CopyOnWriteArrayList<>();
        Actor<String> actor = Actor.of("self", 1, BLOCK, 0, (count, word, context) -> {
            if (word.equals("a")) {
                context.self().send("b");
                try {
                    context.self().send("c");
                } catch (FullException full) {
                    refused.add(full);
                }
            }
            return count + 1;
        });
        actor.send("a");
        Call.until(() -> actor.stats().handled() == 2);
        assertThat(refused).hasSize(1);
    }

    @Test
    void aHandlerThatReturnsBeforeItsWorkIsDoneReopensTheGapAndOneThatWaitsDoesNot() throws Exception {
        record Withdraw(long amount, CompletableFuture<Boolean> reply) {}
        AtomicLong balance = new AtomicLong(100);
        CompletableFuture<Void> checked = new CompletableFuture<>();
        NaiveActor<Withdraw> naive = new NaiveActor<>(10, message -> {
            boolean covered = balance.get() >= message.amount();
            Object later = checked.thenRun(
                    () -> { // it returns here, and the next message comes in between
                        balance.addAndGet(covered ? -message.amount() : 0);
                        message.reply().complete(covered);
                    });
        });
        Withdraw first = new Withdraw(100, new CompletableFuture<>());
        Withdraw second = new Withdraw(100, new CompletableFuture<>());
        naive.send(first);
        naive.send(second);
        Call.until(() -> checked.getNumberOfDependents() == 2);
        checked.complete(null);
        assertThat(first.reply().join()).isTrue();
        assertThat(second.reply().join()).isTrue(); // both, and the balance is below zero
        assertThat(balance).hasValue(-100);
        naive.loop().interrupt();

        record Take(long amount, Reply<Boolean> reply) {}
        CompletableFuture<Void> again = new CompletableFuture<>();
        Actor<Take> actor = Actor.of("account", 10, BLOCK, 100L, (left, message, context) -> {
            boolean covered = left >= message.amount();
            again.join(); // the state comes back when the work is done: there is no way to return it before
            message.reply().ok(covered);
            return covered ? left - message.amount() : left;
        });
        CompletableFuture<Boolean> one = actor.ask(reply -> new Take(100, reply), SOON);
        CompletableFuture<Boolean> two = actor.ask(reply -> new Take(100, reply), SOON);
        again.complete(null);
        assertThat(List.of(one.join(), two.join())).containsExactly(true, false);
    }
}

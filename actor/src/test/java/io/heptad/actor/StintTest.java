package io.heptad.actor;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Actors that tell actors: what is run in the same thread, and that none of it waits for a handler. */
@Watched
class StintTest {
    private static final Duration SOON = Duration.ofSeconds(10);

    private interface Handler {
        void handle(String message) throws Exception;
    }

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<Runnable> line = new ArrayList<>();
    private final Executor inLine = line::add;
    private final ManualAlarm alarms = new ManualAlarm();

    private Actor<String> actor(String name, Executor executor, Handler handler) {
        return Actor.named(name, String.class)
                .mailbox(100, REJECT)
                .state(() -> 0, (Integer count, String message, ActorContext<String> context) -> {
                    handler.handle(message);
                    return count + 1;
                })
                .executor(executor)
                .alarms(alarms)
                .start();
    }

    private static Actor<String> actor(String name, Handler handler) {
        return Actor.of(name, 100, BLOCK, 0, (count, message, context) -> {
            handler.handle(message);
            return count + 1;
        });
    }

    @Test
    void whatAHandlerToldRunsNextInItsThreadAndNeverInsideIt() throws Exception {
        Actor<String> told = actor("told", inLine, message -> events.add("told in " + Thread.currentThread()));
        Actor<String> teller = actor("teller", inLine, message -> {
            events.add("begins");
            told.send("x");
            events.add("ends");
        });
        teller.send("x");
        line.remove(0).run();

        assertThat(events).containsExactly("begins", "ends", "told in " + Thread.currentThread());
        line.remove(0).run();
        assertThat(events).hasSize(3);
        assertThat(line).isEmpty();
    }

    @Test
    void doesNotWaitForTheHandlerThatToldIt() throws Exception {
        CountDownLatch handled = new CountDownLatch(1);
        Actor<String> told = actor("told", inLine, message -> handled.countDown());
        CountDownLatch telling = new CountDownLatch(1);
        Actor<String> teller = actor("teller", inLine, message -> {
            told.send("x");
            telling.countDown();
            handled.await();
            events.add("went on");
        });
        teller.send("x");
        Call<Object> thread = Call.start(false, () -> {
            line.remove(0).run();
            return "ran";
        });
        telling.await();
        line.remove(0).run();

        assertThat(thread.outcome()).isEqualTo("ran");
        assertThat(events).containsExactly("went on");
    }

    @ParameterizedTest
    @ValueSource(strings = {"own", "pool", "forkJoin", "virtual"})
    void aHandlerMayWaitForWhatItToldHoweverOften(String kind) throws Exception {
        ExecutorService service = switch (kind) {
            case "pool" -> Executors.newFixedThreadPool(4);
            case "forkJoin" -> new ForkJoinPool(4, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);
            default -> Executors.newVirtualThreadPerTaskExecutor();
        };
        int rounds = 2_000;
        CountDownLatch done = new CountDownLatch(1);
        AtomicInteger left = new AtomicInteger(rounds);
        AtomicReference<CountDownLatch> effect = new AtomicReference<>();
        AtomicReference<Actor<String>> first = new AtomicReference<>();
        Handler signalling = message -> effect.get().countDown();
        Actor<String> third = kind.equals("own") ? actor("third", signalling) : actor("third", service, signalling);
        Handler waiting = message -> {
            CountDownLatch mine = new CountDownLatch(1);
            effect.set(mine);
            third.send("x");
            mine.await(); // by plain means: nobody knows that this thread waits
            if (left.decrementAndGet() == 0) {
                done.countDown();
            } else {
                first.get().send("x");
            }
        };
        Actor<String> second = kind.equals("own") ? actor("second", waiting) : actor("second", service, waiting);
        Handler passing = message -> second.send("x"); // so that the second one runs in a stint with a cover under way
        first.set(kind.equals("own") ? actor("first", passing) : actor("first", service, passing));
        first.get().send("x");
        done.await();

        assertThat(third.close(SOON)).isTrue();
        assertThat(third.stats().handled()).isEqualTo(rounds);
        service.shutdown();
    }

    @Test
    void oneCoverIsEnoughUntilItHasHadItsTurn() throws Exception {
        AtomicReference<Actor<String>> ping = new AtomicReference<>();
        AtomicInteger left = new AtomicInteger(20);
        Actor<String> pong = actor("pong", inLine, message -> ping.get().send("x"));
        ping.set(actor("ping", inLine, message -> {
            if (left.decrementAndGet() > 0) {
                pong.send("x");
            }
        }));
        ping.get().send("x");
        line.remove(0).run();

        assertThat(left).hasValue(0);
        assertThat(line).hasSize(1);
    }

    @Test
    void aCoverThatHasHadItsTurnIsFollowedByAnother() throws Exception {
        Actor<String> told = actor("told", inLine, message -> events.add("told " + message));
        Actor<String> teller = actor("teller", inLine, message -> {
            told.send("a");
            line.remove(0).run(); // the cover finds it
            told.send("b");
            line.remove(0).run(); // so does the next
            events.add("ends");
        });
        teller.send("x");
        line.remove(0).run();

        assertThat(events).containsExactly("told a", "told b", "ends");
        assertThat(line).isEmpty();
    }

    @Test
    void aSharedExecutorGetsItsThreadBackAfterABatchOfAllTogether() throws Exception {
        AtomicReference<Actor<String>> ping = new AtomicReference<>();
        AtomicInteger handled = new AtomicInteger();
        Actor<String> pong = actor("pong", inLine, message -> {
            handled.incrementAndGet();
            ping.get().send("x");
        });
        ping.set(actor("ping", inLine, message -> {
            handled.incrementAndGet();
            pong.send("x");
        }));
        ping.get().send("x");
        line.remove(0).run();

        assertThat(handled).hasValue(64);
        for (int i = 0; i < 20; i++) {
            line.remove(0).run();
        }
        assertThat(handled).hasValueGreaterThan(2 * 64); // and it goes on
        assertThat(line.size()).isLessThan(5);
    }

    @Test
    void whatIsToldBesideTheFirstIsStartedAsUsual() throws Exception {
        Actor<String> first = actor("first", inLine, message -> events.add("first"));
        Actor<String> second = actor("second", inLine, message -> events.add("second"));
        Actor<String> teller = actor("teller", inLine, message -> {
            first.send("x");
            second.send("x");
        });
        teller.send("x");
        line.remove(0).run();

        assertThat(events).containsExactly("first");
        assertThat(line).hasSize(2);
        line.remove(0).run();
        line.remove(0).run();
        assertThat(events).containsExactly("first", "second");
    }

    @Test
    void anActorOfAnotherExecutorRunsThere() throws Exception {
        List<Runnable> other = new ArrayList<>();
        Actor<String> told = actor("told", other::add, message -> events.add("told"));
        Actor<String> teller = actor("teller", inLine, message -> told.send("x"));
        teller.send("x");
        line.remove(0).run();

        assertThat(events).isEmpty();
        assertThat(line).isEmpty();
        other.remove(0).run();
        assertThat(events).containsExactly("told");
    }

    @Test
    void anExecutorThatRefusesTheCoverIsAskedAgainAndNothingIsLost() throws Exception {
        AtomicInteger refusals = new AtomicInteger();
        Executor executor = work -> {
            if (refusals.getAndDecrement() > 0) {
                throw new RejectedExecutionException("busy");
            }
            line.add(work);
        };
        Actor<String> told = actor("told", executor, message -> events.add("told"));
        Actor<String> teller = actor("teller", executor, message -> {
            refusals.set(2); // the cover, and the start that is tried instead
            told.send("x");
        });
        teller.send("x");
        line.remove(0).run();

        assertThat(events).isEmpty();
        assertThat(alarms.pending()).isEqualTo(1);
        alarms.advance(Duration.ofMillis(1));
        line.remove(0).run();
        assertThat(events).containsExactly("told");
        assertThat(line).isEmpty();
    }

    @Test
    void aThreadShowsTheNameOfTheActorThatWorksInIt() throws Exception {
        CountDownLatch done = new CountDownLatch(200);
        AtomicReference<Actor<String>> ping = new AtomicReference<>();
        Handler seeing = message -> events.add(Thread.currentThread().getName());
        Actor<String> pong = actor("pong", message -> {
            seeing.handle(message);
            done.countDown();
            if (done.getCount() > 0) {
                ping.get().send("x");
            }
        });
        ping.set(actor("ping", message -> {
            seeing.handle(message);
            pong.send("x");
        }));
        ping.get().send("x");
        done.await();

        assertThat(ping.get().close(SOON)).isTrue();
        assertThat(pong.close(SOON)).isTrue();
        for (int i = 0; i < events.size(); i++) {
            assertThat(events.get(i)).isEqualTo(i % 2 == 0 ? "ping" : "pong");
        }
    }

    @Test
    void aThreadThatIsDoneHasNothingToLayDownIn() throws Exception {
        Actor<String> teller = actor("teller", inLine, message -> events.add(String.valueOf(Stint.current() != null)));
        teller.send("x");
        line.remove(0).run();

        assertThat(events).containsExactly("true");
        assertThat(Stint.current()).isNull();
    }

    @Test
    void whatRunsInsideAHandlerLeavesItsThreadAsItWas() throws Exception {
        Actor<String> inside = actor("inside", Runnable::run, message -> events.add("inside"));
        Actor<String> told = actor("told", inLine, message -> events.add("told"));
        Actor<String> teller = actor("teller", inLine, message -> {
            inside.send("x");
            told.send("x");
            events.add("ends");
        });
        teller.send("x");
        line.remove(0).run();

        assertThat(events).containsExactly("inside", "ends", "told");
    }

    @Test
    void threadsThatShareAPlaceInTheTableLayNothingDownForEachOther() throws Exception {
        Actor<String> teller = actor("teller", inLine, message -> {
            Runnable looks = () -> events.add("another's: " + Stint.current());
            Thread same = Thread.ofPlatform().unstarted(looks);
            while ((same.threadId() - Thread.currentThread().threadId()) % 64 != 0) {
                same = Thread.ofPlatform().unstarted(looks);
            }
            same.start();
            same.join();
        });
        teller.send("x");
        line.remove(0).run();

        assertThat(events).containsExactly("another's: null");
    }

    @Test
    void theThreadsOfAnExecutorKeepTheirNames() throws Exception {
        String name = Thread.currentThread().getName();
        Actor<String> named = actor(
                "named", inLine, message -> events.add(Thread.currentThread().getName()));
        named.send("x");
        line.remove(0).run();

        assertThat(events).containsExactly(name);
        assertThat(Thread.currentThread().getName()).isEqualTo(name);
    }

    @Test
    void anInterruptThatAHandlerLeavesIsNotMetByWhatItTold() throws Exception {
        Actor<String> told = actor(
                "told",
                message -> events.add(String.valueOf(Thread.currentThread().isInterrupted())));
        Actor<String> teller = actor("teller", message -> {
            told.send("x");
            Thread.currentThread().interrupt();
        });
        for (int i = 1; i <= 300; i++) {
            int sent = i;
            teller.send("x");
            Call.until(() -> events.size() == sent);
        }

        assertThat(events).containsOnly("false");
    }
}

package io.heptad.actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bad code: handlers, loads, hooks, executors and clocks that throw. It concerns one key, and nothing hangs. */
@Watched
class KeyedFailureTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final Map<String, List<Integer>> store = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> loads = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> stored = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Note> dead = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Throwable> reported = new ConcurrentLinkedQueue<>();
    private final AtomicReference<RuntimeException> loadFails = new AtomicReference<>();
    private final AtomicBoolean loadsNull = new AtomicBoolean();
    private final AtomicBoolean storeFails = new AtomicBoolean();
    private final Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    private KeyedActors<String, Note> rooms;

    private KeyedActors.Builder<String, List<Integer>, Note> builder(FullPolicy whenFull) {
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> reported.add(failure));
        return KeyedActors.named("rooms", String.class, Note.class)
                .mailbox(20, whenFull)
                .totalQueued(100)
                .state(
                        (String key) -> {
                            loads.add(key);
                            RuntimeException failure = loadFails.get();
                            if (failure != null) {
                                throw failure;
                            }
                            return loadsNull.get() ? null : store.getOrDefault(key, List.<Integer>of());
                        },
                        Note::handle)
                .onPassivate((key, state) -> {
                    stored.add(key);
                    if (storeFails.get()) {
                        throw new IllegalStateException("disk full");
                    }
                    store.put(key, state);
                })
                .deadLetters(dead::add);
    }

    private List<Integer> read(String key) throws Exception {
        return rooms.<List<Integer>>call(key, Note.Read::new, LONG);
    }

    @AfterEach
    void end() throws InterruptedException {
        Thread.setDefaultUncaughtExceptionHandler(before);
        if (rooms != null) {
            assertThat(rooms.close(LONG)).isTrue();
        }
    }

    // Handlers

    static Stream<Throwable> aHandlerThatThrowsFailsItsAskAndNothingElse() {
        return Stream.of(
                new IllegalStateException("unchecked"),
                new IOException("checked"),
                new AssertionError("error"),
                new StackOverflowError(),
                new InterruptedException("interrupted"));
    }

    @ParameterizedTest
    @MethodSource
    void aHandlerThatThrowsFailsItsAskAndNothingElse(Throwable how) throws Exception {
        rooms = builder(FullPolicy.BLOCK).start();
        rooms.send("a", new Note.Put(1));
        CompletableFuture<Object> asked = rooms.ask("a", reply -> new Note.Break(how), LONG);
        for (int i = 2; i <= 11; i++) {
            rooms.send("a", new Note.Put(i));
        }

        assertThat(read("a")).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
        assertThat(asked.exceptionNow()).isSameAs(how);
        assertThat(reported).containsExactly(how);
        assertThat(read("b")).isEmpty();
        assertThat(rooms.stats().failed()).isEqualTo(1);
        assertThat(loads).containsExactly("a", "b");
    }

    @Test
    void aHandlerThatOverflowsTheStackOrLosesItsStateIsLikeAnyOtherThatThrows() throws Exception {
        rooms = builder(FullPolicy.BLOCK).start();
        assertThatThrownBy(() -> rooms.call("a", reply -> new Note.Do(KeyedFailureTest::deeper), LONG))
                .isInstanceOf(StackOverflowError.class);
        try (KeyedActors<String, String> odd = KeyedActors.named("odd", String.class, String.class)
                .mailbox(5, FullPolicy.REJECT)
                .totalQueued(5)
                .state(key -> "state", (Behavior<String, String>) (state, message, context) -> null)
                .start()) {
            odd.send("x", "m");
            Note.until().until(() -> odd.stats().failed() == 1);
        }
        assertThat(reported).anySatisfy(failure -> assertThat(failure).hasMessageContaining("behavior returned"));
        assertThat(read("a")).isEmpty();
    }

    @SuppressWarnings("InfiniteRecursion")
    private static void deeper(ActorContext<Note> context) {
        deeper(context);
    }

    @Test
    void anInterruptThatAHandlerLeavesReachesNoOther() throws Exception {
        rooms = builder(FullPolicy.BLOCK).start();
        AtomicBoolean seen = new AtomicBoolean();
        rooms.send("a", new Note.Do(context -> Thread.currentThread().interrupt()));
        rooms.send("a", new Note.Do(context -> seen.set(Thread.currentThread().isInterrupted())));
        read("a");
        assertThat(seen).isFalse();
    }

    @Test
    void aRestartLoadsAgainAndStoresNothing() throws Exception {
        rooms = builder(FullPolicy.BLOCK)
                .supervision(Supervision.restart(2, LONG))
                .start();
        store.put("a", List.of(7));
        rooms.send("a", new Note.Put(8));
        rooms.send("a", new Note.Break(new IllegalStateException("first")));
        rooms.send("a", new Note.Put(9));

        assertThat(read("a")).containsExactly(7, 9);
        assertThat(stored).isEmpty();
        assertThat(loads).containsExactly("a", "a");
        assertThat(rooms.stats().discarded()).isEqualTo(1);
    }

    @Test
    void oneRestartTooManyStopsTheOwnerAndTheNextMessageBeginsAnew() throws Exception {
        rooms = builder(FullPolicy.BLOCK)
                .supervision(Supervision.restart(1, LONG))
                .start();
        Note.Hold held = Note.hold(rooms, "a");
        rooms.send("a", new Note.Break(new IllegalStateException("first")));
        rooms.send("a", new Note.Put(1));
        rooms.send("a", new Note.Break(new IllegalStateException("second")));
        rooms.send("a", new Note.Put(2));
        CompletableFuture<List<Integer>> asked = rooms.ask("a", Note.Read::new, LONG);
        held.release();

        Note.until().until(() -> rooms.stats().keys() == 0);
        assertThat(stored).containsExactly("a");
        assertThat(store.get("a")).as("the state from before").containsExactly(1);
        assertThat(dead).contains(new Note.Put(2));
        assertThat(asked.exceptionNow()).isInstanceOf(ClosedException.class);
        assertThat(read("a")).containsExactly(1);
    }

    @Test
    void supervisionThatStopsStopsOneKeyOnly() throws Exception {
        rooms = builder(FullPolicy.BLOCK).supervision(Supervision.stop()).start();
        rooms.send("b", new Note.Put(1));
        rooms.send("a", new Note.Put(1));
        rooms.send("a", new Note.Break(new IllegalStateException("on purpose")));
        Note.until().until(() -> rooms.stats().keys() == 1);
        assertThat(store.get("a")).containsExactly(1);
        rooms.send("b", new Note.Put(2));
        assertThat(read("b")).containsExactly(1, 2);
        assertThat(loads).containsExactlyInAnyOrder("a", "b");
    }

    // Loads and hooks

    @Test
    void aLoadThatFailsFailsWhatWaitsForItAndTheNextMessageLoadsAgain() throws Exception {
        rooms = builder(FullPolicy.BLOCK).maxLive(1).start();
        Note.Hold held = Note.hold(rooms, "busy");
        loadFails.set(new IllegalStateException("no database"));
        rooms.send("a", new Note.Put(1));
        CompletableFuture<List<Integer>> asked = rooms.ask("a", Note.Read::new, LONG);
        rooms.send("a", new Note.Put(2));
        held.release();

        Note.until().until(asked::isDone);
        assertThat(asked.exceptionNow()).isSameAs(loadFails.get());
        Note.until().until(() -> rooms.stats().keys() == 0);
        assertThat(dead).hasSize(3).startsWith(new Note.Put(1)).endsWith(new Note.Put(2));
        assertThat(rooms.stats().undelivered()).isEqualTo(3);
        assertThat(rooms.stats().loadFailures()).isEqualTo(1);
        assertThat(rooms.stats().live()).as("its place is free again").isZero();
        assertThat(reported).containsExactly(loadFails.get());
        assertThat(stored).as("nothing was loaded, so nothing is stored").containsExactly("busy");

        assertThatThrownBy(() -> read("a")).isSameAs(loadFails.get());
        loadFails.set(null);
        assertThat(read("a")).isEmpty();
        assertThat(loads).containsExactly("busy", "a", "a", "a");
    }

    @Test
    void aLoadThatGivesNullHasFailedAndSaysForWhichKey() throws Exception {
        rooms = builder(FullPolicy.BLOCK).start();
        loadsNull.set(true);
        assertThatThrownBy(() -> read("a"))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("load must return a state, but returned null for rooms[a]");
        Note.until().until(() -> rooms.stats().keys() == 0);
        loadsNull.set(false);
        assertThat(read("a")).isEmpty();
    }

    @Test
    void aLoadThatFailsInARestartStopsTheOwner() throws Exception {
        rooms = builder(FullPolicy.BLOCK)
                .supervision(Supervision.restart(5, LONG))
                .start();
        rooms.send("a", new Note.Put(1));
        rooms.send("a", new Note.Do(context -> {
            loadFails.set(new IllegalStateException("no database"));
            throw new IOException("on purpose");
        }));
        Note.until().until(() -> rooms.stats().keys() == 0);
        assertThat(stored).isEmpty();
        assertThat(reported).hasSize(2);
        loadFails.set(null);
        assertThat(read("a")).isEmpty();
    }

    @Test
    void aHookThatThrowsIsCountedAndReportedAndItsKeyIsFreeAllTheSame() throws Exception {
        rooms = builder(FullPolicy.BLOCK).idleAfter(Duration.ZERO).start();
        storeFails.set(true);
        rooms.send("a", new Note.Put(1));
        Note.until().until(() -> rooms.stats().keys() == 0);
        assertThat(reported)
                .singleElement()
                .satisfies(failure -> assertThat(failure).hasMessage("disk full"));
        storeFails.set(false);
        assertThat(read("a")).as("what was stored before").isEmpty();
        assertThat(rooms.stats().passivated()).isPositive();
    }

    @Test
    void aDeadLetterHookThatThrowsHarmsNobody() throws Exception {
        rooms = builder(FullPolicy.DROP_OLDEST)
                .deadLetters(note -> {
                    throw new IllegalStateException("lost property");
                })
                .start();
        Note.Hold held = Note.hold(rooms, "a");
        for (int i = 0; i < 21; i++) {
            assertThat(rooms.send("a", new Note.Put(i))).isTrue();
        }
        held.release();
        Note.until().until(() -> rooms.depth("a") == 0);
        assertThat(read("a")).hasSize(20);
        assertThat(reported).isNotEmpty();
    }

    @Test
    void aClockThatThrowsCostsAnAgeAndNoMessage() throws Exception {
        rooms = builder(FullPolicy.BLOCK)
                .ticker(() -> {
                    throw new IllegalStateException("no time");
                })
                .maxLive(1)
                .start();
        rooms.send("a", new Note.Put(1));
        rooms.send("b", new Note.Put(2));
        assertThat(read("a")).containsExactly(1);
        assertThat(read("b")).containsExactly(2);
        assertThat(rooms.oldestAge("a")).isZero();
    }

    // Executors

    @Test
    void anExecutorThatRefusesForAWhileIsAskedAgain() throws Exception {
        AtomicInteger refusals = new AtomicInteger(3);
        rooms = builder(FullPolicy.REJECT)
                .executor(task -> {
                    if (refusals.getAndDecrement() > 0) {
                        throw new RejectedExecutionException("busy");
                    }
                    Thread.ofVirtual().start(task);
                })
                .start();
        assertThat(rooms.send("a", new Note.Put(1))).isTrue();
        assertThat(read("a")).containsExactly(1);
        assertThat(loads).containsExactly("a");
        assertThat(reported).hasSize(1);
    }

    @Test
    void anExecutorThatKeepsRefusingFailsWhatWaitsAndStoresWhatIsToBeStored() throws Exception {
        AtomicBoolean refuses = new AtomicBoolean();
        rooms = builder(FullPolicy.REJECT)
                .executor(task -> {
                    if (refuses.get()) {
                        throw new RejectedExecutionException("shut down");
                    }
                    Thread.ofVirtual().start(task);
                })
                .start();
        rooms.send("a", new Note.Put(1));
        assertThat(read("a")).containsExactly(1);
        refuses.set(true);
        rooms.send("a", new Note.Put(2));
        CompletableFuture<List<Integer>> asked = rooms.ask("a", Note.Read::new, LONG);

        Note.until().until(asked::isDone);
        assertThat(asked.exceptionNow()).isInstanceOf(RejectedExecutionException.class);
        assertThat(dead).contains(new Note.Put(2));
        assertThat(rooms.close(LONG)).isTrue();
        assertThat(store.get("a")).containsExactly(1);
    }

    @Test
    void anExecutorThatRunsATaskTwiceMakesNoSecondOwner() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        rooms = builder(FullPolicy.REJECT)
                .executor(task -> {
                    Thread.ofVirtual().start(task);
                    Thread.ofVirtual().start(task);
                })
                .start();
        for (int i = 0; i < 200; i++) {
            int now = i;
            Note.until()
                    .until(() -> rooms.offer("a", new Note.Do(context -> {
                                if (inside.incrementAndGet() > 1) {
                                    overlaps.incrementAndGet();
                                }
                                Thread.yield();
                                inside.decrementAndGet();
                            }))
                            && now >= 0);
        }
        Note.until().until(() -> rooms.stats().handled() == 200);
        assertThat(overlaps).hasValue(0);
    }

    @Test
    void anExecutorThatRunsInTheCallersThreadWorksToo() throws Exception {
        rooms = builder(FullPolicy.REJECT)
                .executor(Runnable::run)
                .maxLive(1)
                .idleAfter(Duration.ZERO)
                .start();
        for (int i = 0; i < 20; i++) {
            rooms.send("a" + i % 3, new Note.Put(i));
        }
        assertThat(rooms.stats().handled()).isEqualTo(20);
        assertThat(rooms.stats().keys()).isZero();
        assertThat(store.get("a0")).containsExactly(0, 3, 6, 9, 12, 15, 18);
    }

    // Handlers that send

    @Test
    void aHandlerDoesNotWaitForItsOwnFullMailbox() throws Exception {
        rooms = builder(FullPolicy.BLOCK).start();
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        Note.Hold held = Note.hold(rooms, "a");
        rooms.send("a", new Note.Do(context -> {
            try {
                for (int i = 0; i <= 20; i++) {
                    rooms.send("a", new Note.Put(i));
                }
            } catch (Throwable refusal) {
                told.complete(refusal);
            }
        }));
        held.release();
        assertThat(told.get()).isInstanceOf(io.heptad.core.FullException.class).hasMessageContaining("does not wait");
        assertThatThrownBy(() -> rooms.call("a", reply -> new Note.Do(context -> reply.ok(read("a"))), LONG))
                .isInstanceOf(ActorDeadlockException.class)
                .satisfies(circle ->
                        assertThat(((ActorDeadlockException) circle).path()).containsExactly("rooms[a]", "rooms[a]"));
        assertThat(read("a")).hasSize(20);
    }

    @Test
    void aHandlerWaitsForAnotherKeysFullMailbox() throws Exception {
        rooms = builder(FullPolicy.BLOCK).start();
        Note.Hold held = Note.hold(rooms, "b");
        for (int i = 0; i < 20; i++) {
            rooms.send("b", new Note.Put(i));
        }
        rooms.send("a", new Note.Do(context -> rooms.send("b", new Note.Put(20))));
        Note.until().until(() -> rooms.stats().waitingSenders() == 1);
        held.release();
        Note.until()
                .until(() ->
                        rooms.stats().waitingSenders() == 0 && rooms.stats().handled() == 23);
        assertThat(read("b")).hasSize(21);
    }

    @Test
    void ownersThatWouldWaitForEachOtherAreFoundAndNamed() throws Exception {
        rooms = builder(FullPolicy.BLOCK).start();
        CountDownLatch both = new CountDownLatch(2);
        ConcurrentLinkedQueue<List<String>> circles = new ConcurrentLinkedQueue<>();
        for (String[] pair : new String[][] {{"a", "b"}, {"b", "a"}}) {
            rooms.send(pair[0], new Note.Do(context -> {
                both.countDown();
                both.await();
                for (int i = 0; i < 20; i++) {
                    rooms.offer(pair[1], new Note.Put(i));
                }
                try {
                    rooms.send(pair[1], new Note.Put(99));
                } catch (ActorDeadlockException circle) {
                    circles.add(circle.path());
                }
            }));
        }
        Note.until().until(() -> rooms.stats().handled() >= 2 && rooms.depth() == 0);
        assertThat(circles).hasSize(1);
        assertThat(circles.peek())
                .isIn(List.of("rooms[a]", "rooms[b]", "rooms[a]"), List.of("rooms[b]", "rooms[a]", "rooms[b]"));
        assertThat(Waits.entered()).isZero();
    }

    @Test
    void aHandlerDoesNotWaitForAKeyThatStandsInLineForItsPlace() throws Exception {
        rooms = builder(FullPolicy.BLOCK).maxLive(1).start();
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        rooms.send("a", new Note.Do(context -> {
            try {
                for (int i = 0; i <= 20; i++) {
                    rooms.send("b", new Note.Put(i));
                }
            } catch (Throwable refusal) {
                told.complete(refusal);
            }
        }));
        assertThat(told.get()).isInstanceOf(io.heptad.core.FullException.class);
        assertThat(read("b")).hasSize(20);
    }

    @Test
    void aHandlerDoesNotWaitForTheBoundOverAllKeys() throws Exception {
        rooms = builder(FullPolicy.BLOCK).start();
        List<Note.Hold> holds = new ArrayList<>();
        for (int key = 0; key < 6; key++) {
            holds.add(Note.hold(rooms, "k" + key));
        }
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        Note.Hold held = Note.hold(rooms, "a");
        rooms.send("a", new Note.Do(context -> {
            try {
                for (int i = 0; i <= 100; i++) {
                    rooms.send("k" + i % 6, new Note.Put(i));
                }
            } catch (Throwable refusal) {
                told.complete(refusal);
            }
        }));
        held.release();
        assertThat(told.get()).isInstanceOf(io.heptad.core.FullException.class).hasMessageContaining("for all keys");
        holds.forEach(Note.Hold::release);
    }
}

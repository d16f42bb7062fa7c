package io.heptad.actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The owner of a key between two steps: when it rests, when it leaves, and whose thread it is in; on a stepped executor. */
@Watched
class KeyedOwnerTest {
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final Duration IDLE = Duration.ofSeconds(10);

    private final Map<String, List<Integer>> store = new ConcurrentHashMap<>();
    private final List<String> loads = new CopyOnWriteArrayList<>();
    private final List<String> stored = new CopyOnWriteArrayList<>();
    private final List<Note> dead = new CopyOnWriteArrayList<>();
    private final List<Note.Hold> holds = new ArrayList<>();
    private final List<Runnable> line = new ArrayList<>();
    private final ManualTime time = new ManualTime();
    private KeyedActors<String, Note> rooms;

    private KeyedActors.Builder<String, List<Integer>, Note> builder(int perKey, int total, FullPolicy whenFull) {
        return KeyedActors.named("rooms", String.class, Note.class)
                .mailbox(perKey, whenFull)
                .totalQueued(total)
                .state(
                        key -> {
                            loads.add(key);
                            return store.getOrDefault(key, List.<Integer>of());
                        },
                        Note::handle)
                .onPassivate((key, state) -> {
                    store.put(key, state);
                    stored.add(key);
                })
                .deadLetters(dead::add)
                .ticker(time)
                .alarms(time);
    }

    private KeyedActors.Builder<String, List<Integer>, Note> on(Executor executor) {
        return builder(1_000, 1_000, FullPolicy.REJECT).executor(executor);
    }

    private KeyOwner<String, ?, Note> owner(String key) {
        return rooms.owners().known(key);
    }

    private Note.Hold hold(String key) throws InterruptedException {
        Note.Hold hold = Note.hold(rooms, key);
        holds.add(hold);
        return hold;
    }

    private void put(String key, int... numbers) throws InterruptedException {
        for (int number : numbers) {
            assertThat(rooms.send(key, new Note.Put(number))).isTrue();
        }
    }

    private void runNext() {
        line.remove(0).run();
    }

    @AfterEach
    void end() throws InterruptedException {
        holds.forEach(Note.Hold::release);
        if (rooms == null) {
            return;
        }
        rooms.close();
        while (!line.isEmpty()) {
            runNext();
        }
        assertThat(rooms.close(LONG)).isTrue();
    }

    // When it leaves

    @Test
    void anOwnerThatIsToldToLeaveStaysIfItWorksOrRestsAgainOrHasNoState() throws Exception {
        rooms = builder(10, 1, FullPolicy.BLOCK).idleAfter(IDLE).start();
        put("rests", 1);
        Note.until().until(() -> owner("rests").resting);
        Note.Hold held = hold("works");
        put("works", 1);
        Sent<Boolean> waits = Sent.waiting(() -> rooms.send("stateless", new Note.Put(1)));

        assertThat(owner("rests").leaveIfIdle())
                .as("it was taken for idle, worked, and rests again")
                .isFalse();
        assertThat(owner("works").leaveIfIdle()).isFalse();
        assertThat(owner("stateless").leaveIfIdle()).isFalse();

        held.release();
        assertThat(waits.value()).isTrue();
        Note.until().until(() -> rooms.stats().handled() == 4);
        assertThat(loads).containsExactlyInAnyOrder("rests", "works", "stateless");
        assertThat(stored).isEmpty();
    }

    @Test
    void anOwnerThatGetsWorkAfterItWasToldToLeaveDoesItFirst() throws Exception {
        rooms = on(line::add).maxLive(1).start();
        put("a", 1);
        runNext();
        put("b", 1);
        assertThat(rooms.stats().waitingOwners()).isEqualTo(1);
        put("a", 2);
        runNext();
        assertThat(stored).as("and then it leaves after all").containsExactly("a");
        assertThat(store.get("a")).containsExactly(1, 2);
        runNext();

        assertThat(loads).containsExactly("a", "b");
        assertThat(rooms.stats().waitingOwners()).isZero();
        assertThat(rooms.stats().live()).isEqualTo(1);
        assertThat(rooms.stats().handled()).isEqualTo(3);
    }

    @Test
    void anOwnerThatStopsWithTheLastMessageOfItsTurnLeavesNoneForItsSuccessor() throws Exception {
        rooms = on(line::add).maxLive(1).start();
        put("a", IntStream.range(0, 63).toArray());
        assertThat(rooms.send("a", new Note.Halt())).isTrue(); // the sixty-fourth
        put("a", 98, 99);
        put("b", 1); // stands in line for its place
        runNext();

        assertThat(dead).containsExactly(new Note.Put(98), new Note.Put(99));
        runNext();
        assertThat(line).isEmpty();
        assertThat(rooms.stats().handled()).isEqualTo(65);
        assertThat(loads).containsExactly("a", "b");
    }

    // When it rests

    @Test
    void anAskThatEndsBehindAnOwnerAtWorkDoesNotMakeItIdle() throws Exception {
        rooms = builder(10, 10, FullPolicy.REJECT).idleAfter(IDLE).start();
        Note.Hold held = hold("a");
        assertThat(rooms.ask("a", Note.Read::new, LONG).cancel(true)).isTrue();
        assertThat(owner("a").resting).isFalse();
        held.release();
        Note.until().until(() -> owner("a").resting);

        time.advance(IDLE);
        Note.until().until(() -> rooms.stats().keys() == 0);
        assertThat(stored).containsExactly("a");
    }

    @Test
    void anOwnerThatWaitsForOneOfTwoTimersDoesNotRest() throws Exception {
        rooms = builder(10, 10, FullPolicy.REJECT).idleAfter(IDLE).start();
        List<Cancellable> timers = new CopyOnWriteArrayList<>();
        rooms.send("a", new Note.Do(context -> {
            timers.add(context.sendAfter(Duration.ofHours(1), new Note.Put(1)));
            timers.add(context.sendAfter(Duration.ofHours(1), new Note.Put(2)));
        }));
        Note.until().until(() -> rooms.stats().handled() == 1 && owner("a").runner() == null);
        assertThat(timers.get(0).cancel()).isTrue();
        assertThat(owner("a").resting).isFalse();
        assertThat(timers.get(1).cancel()).isTrue();
        Note.until().until(() -> owner("a").resting);

        time.advance(IDLE);
        Note.until().until(() -> rooms.stats().keys() == 0);
    }

    @Test
    void anOwnerForWhichATimerIsSetFromOutsideRestsNoMore() throws Exception {
        rooms = on(line::add).idleAfter(IDLE).start();
        AtomicReference<ActorContext<Note>> context = new AtomicReference<>();
        rooms.send("a", new Note.Do(context::set));
        runNext();
        assertThat(owner("a").resting).isTrue();
        Cancellable timer = context.get().sendAfter(Duration.ofHours(1), new Note.Put(1));
        assertThat(owner("a").resting).isFalse();
        time.advance(IDLE);
        assertThat(line).isEmpty();
        assertThat(timer.cancel()).isTrue();

        time.advance(IDLE);
        runNext();
        assertThat(rooms.stats().keys()).isZero();
    }

    @Test
    void anOwnerThatWaitsForATimerWhenAllIsClosedLeavesAllTheSame() throws Exception {
        rooms = on(line::add).start();
        rooms.send("a", new Note.Do(context -> {
            Cancellable ignored = context.sendAfter(Duration.ofHours(1), new Note.Put(1));
            rooms.close();
        }));
        runNext();

        assertThat(rooms.stats().keys()).isZero();
        assertThat(stored).containsExactly("a");
        assertThat(time.pending()).isZero();
    }

    @Test
    void whereNobodyRestsAnOwnerLeavesWhenItsTimerIsTakenBack() throws Exception {
        rooms = builder(10, 10, FullPolicy.REJECT).idleAfter(Duration.ZERO).start();
        AtomicReference<Cancellable> timer = new AtomicReference<>();
        rooms.send("a", new Note.Do(context -> timer.set(context.sendAfter(Duration.ofHours(1), new Note.Put(1)))));
        Note.until().until(() -> rooms.stats().handled() == 1 && owner("a").runner() == null);
        assertThat(rooms.stats().live()).isEqualTo(1);
        assertThat(timer.get().cancel()).isTrue();

        Note.until().until(() -> rooms.stats().keys() == 0);
        assertThat(stored).containsExactly("a");
    }

    @Test
    void whatNoLongerKeepsAnOwnerFromRestingChangesNothingWhereItRestsOrHasNoState() throws Exception {
        rooms = builder(10, 1, FullPolicy.BLOCK).idleAfter(IDLE).start();
        for (String key : List.of("a", "b")) {
            put(key, 1);
            Note.until().until(() -> owner(key).resting);
        }
        Note.Hold held = hold("works");
        put("works", 1);
        Sent<Boolean> waits = Sent.waiting(() -> rooms.send("stateless", new Note.Put(1)));
        for (String key : List.of("a", "works", "stateless")) {
            owner(key).rest();
        }

        assertThat(owner("a").resting).isTrue();
        assertThat(owner("works").resting).isFalse();
        assertThat(owner("stateless").resting).isFalse();
        held.release();
        assertThat(waits.value()).isTrue();
        Note.until().until(() -> owner("works").resting && owner("stateless").resting);
        time.advance(IDLE);
        Note.until().until(() -> rooms.stats().keys() == 0);
        assertThat(stored).containsExactlyInAnyOrder("a", "b", "works", "stateless");
    }

    @Test
    void anOwnerThatNeverHadATimerGetsNoneAfterItsEnd() throws Exception {
        rooms = builder(10, 10, FullPolicy.REJECT).start();
        AtomicReference<ActorContext<Note>> context = new AtomicReference<>();
        rooms.send("a", new Note.Do(context::set));
        assertThat(rooms.close(LONG)).isTrue();

        assertThatThrownBy(() -> context.get().sendAfter(Duration.ofHours(1), new Note.Put(1)))
                .isInstanceOf(ClosedException.class);
        assertThat(time.pending()).isZero();
    }

    // Its turns

    @Test
    void anOwnerGivesASharedThreadBackAfterItsTurnAndIsInNobodysThreadUntilTheNext() throws Exception {
        rooms = on(line::add).start();
        put("a", IntStream.range(0, 100).toArray());
        runNext();
        assertThat(rooms.stats().handled()).isEqualTo(64);
        assertThat(owner("a").runner()).isNull();
        assertThat(rooms.owners().inside()).isNull();
        assertThat(line).hasSize(1);
        runNext();

        assertThat(rooms.stats().handled()).isEqualTo(100);
        assertThat(line).isEmpty();
        assertThat(loads).containsExactly("a");
    }

    @Test
    void aTurnThatTheExecutorWillNotGiveGoesOnWhereItIs() throws Exception {
        AtomicInteger turns = new AtomicInteger(1);
        List<Boolean> mine = new CopyOnWriteArrayList<>();
        rooms = on(work -> {
                    if (turns.getAndDecrement() == 0) {
                        throw new RejectedExecutionException("no second");
                    }
                    line.add(work);
                })
                .start();
        for (int i = 0; i < 100; i++) {
            rooms.send("a", new Note.Do(context -> mine.add(owner("a").runner() == Thread.currentThread())));
        }
        runNext();

        assertThat(mine).hasSize(100).containsOnly(true);
        assertThat(time.pending()).isZero();
        assertThat(owner("a").runner()).isNull();
    }

    @Test
    void aTurnThatAnotherThreadTookIsOverThoughTheExecutorThrows() throws Exception {
        Note.Hold held = new Note.Hold();
        holds.add(held);
        AtomicInteger turns = new AtomicInteger();
        rooms = on(work -> {
                    if (turns.incrementAndGet() == 2) {
                        Thread.ofPlatform().daemon().start(work);
                        awaitUninterruptibly(held);
                        throw new RejectedExecutionException("after the fact");
                    }
                    line.add(work);
                })
                .start();
        put("a", IntStream.range(0, 64).toArray());
        rooms.send("a", held);
        put("a", 99);
        runNext();

        assertThat(rooms.stats().handled()).isEqualTo(64);
        assertThat(rooms.depth("a")).isEqualTo(1);
        held.release();
        Note.until().until(() -> rooms.stats().handled() == 66);
        assertThat(refusals()).isZero();
    }

    private static void awaitUninterruptibly(Note.Hold held) {
        try {
            held.begun().await();
        } catch (InterruptedException hung) {
            throw new AssertionError(hung);
        }
    }

    private double refusals() {
        return rooms.metrics().stream()
                .filter(metric -> metric.name().equals("heptad.keyedactors.refusals"))
                .mapToDouble(metric -> metric.value().getAsDouble())
                .sum();
    }

    @Test
    void workThatWasRunIsNotRefusedThoughTheExecutorThrows() throws Exception {
        rooms = on(work -> {
                    work.run();
                    throw new IllegalStateException("after the fact");
                })
                .start();
        put("a", 1);

        assertThat(rooms.stats().handled()).isEqualTo(1);
        assertThat(refusals()).isZero();
        assertThat(time.pending()).isZero();
    }

    @Test
    void workThatIsRunTwiceIsDoneOnce() throws Exception {
        rooms = on(work -> {
                    work.run();
                    work.run();
                })
                .idleAfter(Duration.ZERO)
                .start();
        put("a", 1);
        put("b", 2);

        assertThat(stored).containsExactly("a", "b");
        assertThat(rooms.stats().live()).isZero();
        assertThat(rooms.stats().keys()).isZero();
        assertThat(rooms.stats().handled()).isEqualTo(2);
    }

    @Test
    void aMessageThatComesWhileItsOwnerLeavesMayStopIt() throws Exception {
        AtomicBoolean first = new AtomicBoolean(true);
        List<Boolean> mine = new ArrayList<>();
        rooms = on(line::add)
                .idleAfter(Duration.ZERO)
                .onPassivate((key, state) -> {
                    stored.add(key);
                    if (first.getAndSet(false)) {
                        assertThat(rooms.offer(key, new Note.Do(context -> {
                                    context.stop(); // which is for the thread of its owner only
                                    mine.add(owner(key).runner() == Thread.currentThread());
                                })))
                                .isTrue();
                    }
                })
                .start();
        put("a", 1);
        runNext();

        assertThat(mine).containsExactly(true);
        assertThat(stored).containsExactly("a", "a");
        assertThat(rooms.stats().keys()).isZero();
        assertThat(line).isEmpty();
    }

    @Test
    void whatADeadLetterHookSendsToAnOwnerThatIsGivenUpIsGivenUpToo() throws Exception {
        rooms = on(work -> {
                    throw new RejectedExecutionException("shut down");
                })
                .deadLetters(note -> {
                    dead.add(note);
                    if (dead.size() == 1) {
                        assertThat(rooms.offer("a", new Note.Put(2))).isTrue();
                    }
                })
                .start();
        put("a", 1);
        time.advance(Duration.ofSeconds(2));

        assertThat(dead).containsExactly(new Note.Put(1), new Note.Put(2));
        assertThat(rooms.stats().keys()).isZero();
        assertThat(rooms.stats().undelivered()).isEqualTo(2);
        assertThat(time.pending()).isZero();
    }

    // Interrupts

    @Test
    void anInterruptOfTheExecutorsThreadIsKeptForItAndNoMessageSeesIt() throws Exception {
        List<Boolean> seen = new CopyOnWriteArrayList<>();
        rooms = on(line::add).start();
        Note sees = new Note.Do(context -> seen.add(Thread.currentThread().isInterrupted()));
        rooms.send("a", sees);
        rooms.send("a", new Note.Do(context -> Thread.currentThread().interrupt()));
        rooms.send("a", sees);
        Thread.currentThread().interrupt(); // from before
        runNext();
        assertThat(Thread.interrupted()).isTrue();

        rooms.send("a", sees);
        runNext();
        assertThat(Thread.interrupted()).isFalse();
        rooms.send("a", new Note.Do(context -> Thread.currentThread().interrupt())); // meanwhile
        rooms.send("a", sees);
        runNext();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(seen).containsExactly(false, false, false, false);
    }

    @Test
    void anInterruptOfTheExecutorsThreadIsNotMetByALoad() throws Exception {
        List<Boolean> seen = new ArrayList<>();
        rooms = KeyedActors.named("rooms", String.class, Note.class)
                .mailbox(10, FullPolicy.REJECT)
                .totalQueued(10)
                .state(
                        key -> {
                            seen.add(Thread.currentThread().isInterrupted());
                            return List.<Integer>of();
                        },
                        Note::handle)
                .executor(line::add)
                .start();
        put("a", 1);
        Thread.currentThread().interrupt();
        runNext();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(seen).containsExactly(false);
    }

    @Test
    void anInterruptThatALoadLeavesIsNotMetByAHandler() throws Exception {
        ConcurrentLinkedQueue<Boolean> seen = new ConcurrentLinkedQueue<>();
        rooms = KeyedActors.named("rooms", String.class, Note.class)
                .mailbox(10, FullPolicy.BLOCK)
                .totalQueued(10)
                .state(
                        key -> {
                            Thread.currentThread().interrupt();
                            return List.<Integer>of();
                        },
                        Note::handle)
                .start();
        rooms.send("a", new Note.Do(context -> seen.add(Thread.currentThread().isInterrupted())));
        Note.until().until(() -> seen.size() == 1);

        assertThat(seen).containsExactly(false);
    }

    // Asks that end by the fate of others

    @Test
    void anAskThatIsDroppedForALaterMessageIsTold() throws Exception {
        rooms = builder(1, 10, FullPolicy.DROP_OLDEST).start();
        hold("a");
        CompletableFuture<List<Integer>> asked = rooms.ask("a", Note.Read::new, LONG);
        put("a", 1);

        assertThat(asked.exceptionNow())
                .isInstanceOf(FullException.class)
                .hasMessageContaining("dropped for a later message");
        assertThat(dead).hasSize(1);
        assertThat(rooms.stats().evicted()).isEqualTo(1);
        assertThat(rooms.stats().pendingAsks()).isZero();
    }

    @Test
    void anAskThatEndsBecauseAnotherFailedIsNoDeadLetter() throws Exception {
        rooms = builder(10, 10, FullPolicy.REJECT).start();
        Note.Hold held = hold("a");
        assertThat(rooms.send("a", new Note.Halt())).isTrue();
        CompletableFuture<List<Integer>> first = rooms.ask("a", Note.Read::new, LONG);
        CompletableFuture<List<Integer>> second = rooms.ask("a", Note.Read::new, LONG);
        CompletableFuture<Boolean> cancelled = first.handle((none, failed) -> second.cancel(true));
        held.release();

        assertThat(cancelled.get()).isTrue();
        Note.until().until(() -> rooms.stats().keys() == 0);
        assertThat(dead).hasSize(1);
        assertThat(rooms.stats().undelivered()).isEqualTo(1);
        assertThat(rooms.stats().expired()).isEqualTo(1);
        assertThat(rooms.depth()).isZero();
    }

    // What breaks outside the handlers

    @Test
    void anOwnerWhoseTurnBreaksOffGoesOnInAnother() throws Exception {
        AtomicBoolean breaks = new AtomicBoolean(true);
        rooms = on(line::add)
                .supervision(Supervision.restart(1, Duration.ofHours(1)))
                .alarms((nanos, then) -> {
                    Runnable back = time.in(nanos, then);
                    return () -> {
                        back.run();
                        if (breaks.getAndSet(false)) {
                            throw new InternalError("pretended");
                        }
                    };
                })
                .start();
        rooms.send("a", new Note.Do(context -> {
            Cancellable ignored = context.sendAfter(Duration.ofHours(1), new Note.Put(0));
            throw new IllegalStateException("and the timer is to be taken back");
        }));
        put("a", 1);
        List<Throwable> reported = new ArrayList<>();
        Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> reported.add(failure));
        try {
            runNext();
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(null);
        }
        assertThat(reported)
                .<Class<?>>extracting(Object::getClass)
                .containsExactly(IllegalStateException.class, InternalError.class);
        assertThat(rooms.depth("a")).isEqualTo(1);
        assertThat(owner("a").runner()).isNull();

        time.advance(Duration.ofMillis(1));
        runNext();
        assertThat(rooms.stats().handled()).isEqualTo(1);
        assertThat(rooms.depth("a")).isZero();
        assertThat(loads).containsExactly("a");
        assertThat(line).isEmpty();
    }

    @Test
    void keysThatAreClosedEndThoughTheAsksOfOneCannotBeClearedAway() throws Exception {
        rooms = on(line::add)
                .alarms((nanos, then) -> {
                    Runnable back = time.in(nanos, then);
                    return () -> {
                        back.run();
                        throw new InternalError("pretended");
                    };
                })
                .start();
        List<CompletableFuture<Object>> asked = new ArrayList<>();
        for (String key : List.of("a", "b", "c")) {
            asked.add(rooms.ask(key, reply -> new Note.Do(context -> {}), LONG)); // without an answer
            runNext();
        }
        rooms.close();
        while (!line.isEmpty()) {
            runNext();
        }

        assertThat(rooms.close(LONG)).isTrue();
        assertThat(asked).allSatisfy(ask -> assertThat(ask.exceptionNow()).isInstanceOf(ClosedException.class));
    }

    /** A key that cannot be looked up once, at a look of one's choice. */
    private static final class Fused {
        private final AtomicInteger fuse;

        Fused(int fuse) {
            this.fuse = new AtomicInteger(fuse);
        }

        @Override
        public int hashCode() {
            if (fuse.decrementAndGet() == 0) {
                throw new IllegalStateException("hash");
            }
            return 7;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    private KeyedActors<Object, Note> fused() {
        return KeyedActors.named("fused", Object.class, Note.class)
                .mailbox(10, FullPolicy.DROP_OLDEST)
                .totalQueued(2)
                .state(key -> List.<Integer>of(), Note::handle)
                .deadLetters(dead::add)
                .ticker(time)
                .alarms(time)
                .start();
    }

    @Test
    void aKeyThatBreaksAtAnyLookCostsNoPlaceAndNoAnswer() throws Exception {
        for (int fuse = 1; fuse <= 12; fuse++) {
            try (KeyedActors<Object, Note> any = fused()) {
                Note.Hold held = new Note.Hold();
                holds.add(held);
                assertThat(any.send("full", held)).isTrue();
                held.begun().await();
                CompletableFuture<List<Integer>> asked = any.ask("full", Note.Read::new, LONG);
                assertThat(any.send("full", new Note.Put(1))).isTrue();
                try {
                    assertThat(any.send(new Fused(fuse), new Note.Put(2))).isTrue();
                } catch (IllegalStateException broken) {
                    assertThat(broken).hasMessage("hash");
                }
                held.release();

                Note.until().until(() -> any.depth() == 0 && asked.isDone());
                assertThat(any.close(LONG)).isTrue();
                KeyedStats stats = any.stats();
                assertThat(stats.handled() + stats.evicted())
                        .as("fuse %d", fuse)
                        .isEqualTo(stats.accepted());
            }
        }
    }

    @Test
    void whatATimerCannotDeliverSinceItsKeyBreaksIsADeadLetter() throws Exception {
        try (KeyedActors<Object, Note> any = fused()) {
            Fused key = new Fused(Integer.MAX_VALUE);
            any.send(key, new Note.Later(Duration.ofSeconds(1), new Note.Put(1)));
            Note.until().until(() -> any.stats().handled() == 1);
            key.fuse.set(1);
            List<Throwable> reported = new ArrayList<>();
            Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> reported.add(failure));
            try {
                time.advance(Duration.ofSeconds(1));
            } finally {
                Thread.currentThread().setUncaughtExceptionHandler(null);
            }

            assertThat(dead).containsExactly(new Note.Put(1));
            assertThat(reported).singleElement().isInstanceOf(IllegalStateException.class);
            assertThat(any.stats().timers()).isZero();
        }
    }

    @Test
    void whatATimerCannotDeliverSinceItsKeyIsFullIsADeadLetter() throws Exception {
        rooms = builder(1, 10, FullPolicy.REJECT).start();
        rooms.send("a", new Note.Later(Duration.ofSeconds(1), new Note.Put(1)));
        Note.until().until(() -> rooms.stats().handled() == 1);
        hold("a");
        put("a", 2);
        time.advance(Duration.ofSeconds(1));

        assertThat(dead).containsExactly(new Note.Put(1));
        assertThat(rooms.stats().rejected()).isEqualTo(1);
    }

    /** A key at one look at which something happens. */
    private static final class Looked {
        private final AtomicInteger looks;
        private final Runnable then;

        Looked(int looks, Runnable then) {
            this.looks = new AtomicInteger(looks);
            this.then = then;
        }

        @Override
        public int hashCode() {
            if (looks.decrementAndGet() == 0) {
                then.run();
            }
            return 7;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    @Test
    void aKeyThatFindsEverythingChangedAtAnyLookIsSentItsMessageOnceAllTheSame() throws Exception {
        for (int look = 1; look <= 8; look++) {
            int now = look;
            try (KeyedActors<Object, Note> any = fused()) {
                Note.Hold held = new Note.Hold();
                holds.add(held);
                assertThat(any.send("full", held)).isTrue();
                held.begun().await();
                assertThat(any.send("full", new Note.Put(1))).isTrue();
                assertThat(any.send("full", new Note.Put(2))).isTrue(); // and that is all that may wait
                List<Integer> seen = new CopyOnWriteArrayList<>();
                Looked key = new Looked(look, () -> {
                    held.release();
                    Call.until(() -> any.depth("full") == 0);
                });
                assertThat(any.send(key, new Note.Do(context -> seen.add(now)))).isTrue();
                held.release();

                Note.until().until(() -> any.depth() == 0 && seen.size() > 0);
                assertThat(any.close(LONG)).isTrue();
                assertThat(seen).containsExactly(look);
                KeyedStats stats = any.stats();
                assertThat(stats.accepted()).isEqualTo(4);
                assertThat(stats.handled() + stats.evicted()).isEqualTo(4);
            }
        }
    }

    @Test
    void aKeyThatIsClosedAtAnyLookIsRefusedOrIn() throws Exception {
        for (int look = 1; look <= 8; look++) {
            try (KeyedActors<Object, Note> any = fused()) {
                Note.Hold held = new Note.Hold();
                holds.add(held);
                assertThat(any.send("full", held)).isTrue();
                held.begun().await();
                assertThat(any.send("full", new Note.Put(1))).isTrue();
                assertThat(any.send("full", new Note.Put(2))).isTrue(); // and that is all that may wait
                Looked key = new Looked(look, any::close);
                boolean in = false;
                try {
                    in = any.send(key, new Note.Put(3));
                } catch (ClosedException closed) {
                    assertThat(any.owners().isClosed()).isTrue();
                }
                held.release();

                assertThat(any.close(LONG)).isTrue();
                KeyedStats stats = any.stats();
                assertThat(stats.accepted()).as("look %d", look).isEqualTo(in ? 4 : 3);
                assertThat(stats.handled() + stats.evicted()).isEqualTo(stats.accepted());
                assertThat(any.depth()).isZero();
            }
        }
    }

    @Test
    void aSenderThatIsLetInWhileItGivesUpIsInAndKeepsItsInterrupt() throws Exception {
        rooms = builder(10, 1, FullPolicy.BLOCK).start();
        Note.Hold held = hold("a");
        put("a", 1); // and that is all that may wait
        Call<Boolean> sender = Call.platform(() -> rooms.send("b", new Note.Put(2)));
        Call.until(() -> rooms.owners().bound.waiting() == 1 && sender.thread().getState() == Thread.State.WAITING);
        KeyOwner<String, ?, Note> b = owner("b");
        b.lock.lock();
        try {
            sender.interrupt();
            Call.until(() -> b.lock.hasQueuedThread(sender.thread()));
            held.release();
            Call.until(() -> rooms.owners().bound.waiting() == 0);
        } finally {
            b.lock.unlock();
        }

        assertThat(sender.outcome()).isEqualTo(true);
        assertThat(sender.interruptedAfter()).isTrue();
        Note.until().until(() -> rooms.stats().handled() == 3);
    }

    @Test
    void aCallThatIsAnsweredAsItIsLetInLeavesNothingOfItsKey() throws Exception {
        rooms = builder(10, 1, FullPolicy.BLOCK).start();
        Note.Hold held = hold("a");
        put("a", 1); // and that is all that may wait
        AtomicReference<Reply<? super String>> kept = new AtomicReference<>();
        Call<Object> call = Call.platform(() -> rooms.call(
                "b",
                (Reply<String> reply) -> {
                    kept.set(reply);
                    return new Note.Put(2);
                },
                LONG));
        Call.until(() -> rooms.owners().bound.waiting() == 1);
        KeyOwner<String, ?, Note> b = owner("b");
        b.lock.lock();
        try {
            held.release();
            Call.until(() -> b.lock.hasQueuedThread(call.thread())); // it is in, and about to wake its owner
            assertThat(kept.get().ok("at once")).isTrue();
        } finally {
            b.lock.unlock();
        }

        assertThat(call.outcome()).isEqualTo("at once");
        Note.until().until(() -> rooms.stats().handled() == 2);
        assertThat(rooms.stats().keys()).isEqualTo(1);
        assertThat(rooms.stats().expired()).isEqualTo(1);
        assertThat(rooms.depth()).isZero();
    }

    @Test
    void whoWasLetInByTheBoundBeforeItGaveUpIsIn() {
        TotalBound bound = new TotalBound(1);
        Sender sender = new Sender(new Mail<>(1, bound), false);
        assertThat(bound.tryTake()).isTrue();
        assertThat(bound.takeOrStand(sender)).isFalse();
        bound.release();

        assertThat(bound.leave(sender, Sender.State.LEFT)).isFalse();
        assertThat(sender.state()).isEqualTo(Sender.State.LET_IN);
        assertThat(bound.waiting()).isZero();
        assertThat(bound.used()).isEqualTo(1);
    }

    @Test
    void whoWaitsForTheBoundWhenItsOwnerStopsIsNoDeadLetter() throws Exception {
        rooms = builder(10, 1, FullPolicy.BLOCK).start();
        Note.Hold stops = new Note.Hold();
        holds.add(stops);
        rooms.send("a", new Note.Do(context -> {
            stops.begun().countDown();
            stops.released().await();
            context.stop();
        }));
        stops.begun().await();
        Note.Hold other = hold("b");
        put("b", 1); // and that is all that may wait
        Sent<Boolean> waits = waitsBehind(0, "a");
        stops.release();
        Note.until().until(() -> stored.contains("a"));
        other.release();

        assertThat(waits.value()).isTrue();
        Note.until().until(() -> rooms.stats().handled() == 4);
        assertThat(dead).isEmpty();
        assertThat(rooms.depth()).isZero();
    }

    @Test
    void whoIsAtTheDoorOfAnOwnerThatStopsIsLetInToTheNext() throws Exception {
        rooms = builder(1, 10, FullPolicy.BLOCK).start();
        Note.Hold held = new Note.Hold();
        holds.add(held);
        rooms.send("a", new Note.Do(context -> {
            held.begun().countDown();
            held.released().await();
            context.stop();
        }));
        held.begun().await();
        put("a", 1);
        Sent<Boolean> waits = Sent.waiting(() -> rooms.send("a", new Note.Put(2)));
        held.release();

        assertThat(waits.value()).isTrue();
        Note.until().until(() -> rooms.stats().handled() == 2);
        assertThat(dead).containsExactly(new Note.Put(1));
        assertThat(loads).containsExactly("a", "a");
    }

    @Test
    void aCallWhoseAnswerComesWhileItIsInterruptedReturnsItAndKeepsTheInterrupt() throws Exception {
        AtomicReference<Reply<? super String>> kept = new AtomicReference<>();
        rooms = builder(10, 10, FullPolicy.BLOCK)
                .alarms((nanos, then) -> {
                    Runnable back = time.in(nanos, then);
                    return () -> {
                        back.run();
                        Reply<? super String> reply = kept.getAndSet(null);
                        if (reply != null) {
                            reply.ok("first"); // inside of the call that gives up
                        }
                    };
                })
                .start();
        CompletableFuture<Object> other = rooms.ask("a", reply -> new Note.Do(context -> {}), Duration.ofHours(1));
        Note.until().until(() -> rooms.stats().handled() == 1);
        time.advance(Duration.ofMillis(200)); // now its alarm is far away, and is taken back with the last ask
        Call<Object> call = Call.platform(
                () -> rooms.call("a", (Reply<String> reply) -> new Note.Do(context -> kept.set(reply)), LONG));
        Call.until(() -> kept.get() != null
                && rooms.stats().pendingAsks() == 2
                && call.thread().getState() == Thread.State.TIMED_WAITING);
        assertThat(other.cancel(true)).isTrue();
        call.interrupt();

        assertThat(call.outcome()).isEqualTo("first");
        assertThat(call.interruptedAfter()).isTrue();
    }

    // Handlers at the door of another key

    /** A handler that sends to another key once it is told to; how that went. */
    private final class Sends {
        private final Note.Hold held = new Note.Hold();
        private final CompletableFuture<Object> outcome = new CompletableFuture<>();

        Sends(String from, String to) throws InterruptedException {
            holds.add(held);
            rooms.send(from, new Note.Do(context -> {
                held.begun().countDown();
                held.released().await();
                try {
                    outcome.complete(rooms.send(to, new Note.Put(0)));
                } catch (FullException full) {
                    outcome.complete(full);
                }
            }));
            held.begun().await();
        }

        void assertRefused() {
            Note.until().until(outcome::isDone);
            assertThat(outcome.join())
                    .isInstanceOfSatisfying(
                            FullException.class,
                            full -> assertThat(full).hasMessageContaining("for all keys, and a handler does not wait"));
        }
    }

    @Test
    void aHandlerDoesNotStandBehindThoseWhoWaitForRoomThatItsOwnMailTakes() throws Exception {
        rooms = builder(1, 1, FullPolicy.BLOCK).start();
        Sends handler = new Sends("a", "b");
        put("a", 1); // and that is all that may wait
        Sent<Boolean> first = Sent.waiting(() -> rooms.send("b", new Note.Put(1)));
        handler.held.release();

        handler.assertRefused();
        assertThat(first.value()).isTrue();
        Note.until().until(() -> rooms.stats().handled() == 3);
        assertThat(rooms.depth()).isZero();
        assertThat(rooms.stats().waitingSenders()).isZero();
    }

    @Test
    void aHandlerAtTheDoorIsRefusedWhenOnlyThoseAreLeftWhoWaitForRoomThatItsOwnMailTakes() throws Exception {
        rooms = builder(2, 2, FullPolicy.BLOCK).start();
        Note.Hold held = hold("b");
        put("b", 1);
        Sends handler = new Sends("a", "b");
        put("a", 1); // and that is all that may wait
        List<Sent<Boolean>> waiting = new ArrayList<>();
        for (String key : List.of("a", "b", "b")) { // the room of the one that b handles next goes to a
            int before = waiting.size();
            waiting.add(Sent.of(() -> rooms.send(key, new Note.Put(2))));
            Note.until().until(() -> rooms.stats().waitingSenders() == before + 1);
        }
        handler.held.release();
        Note.until().until(() -> rooms.stats().waitingSenders() == 4);
        assertThat(handler.outcome).isNotDone();
        held.release();

        handler.assertRefused();
        for (Sent<Boolean> sender : waiting) {
            assertThat(sender.value()).isTrue();
        }
        Note.until().until(() -> rooms.stats().handled() == 7);
        assertThat(rooms.depth()).isZero();
        assertThat(rooms.stats().waitingSenders()).isZero();
    }

    @Test
    void aHandlerAtTheDoorIsRefusedWhereItsTurnComesAndAllKeysTogetherAreFull() throws Exception {
        rooms = builder(1, 2, FullPolicy.BLOCK).start();
        Note.Hold held = hold("b");
        put("b", 1);
        Sends handler = new Sends("a", "b");
        Note.Hold other = hold("c");
        put("c", 1); // and that is all that may wait
        handler.held.release();
        Note.until().until(() -> rooms.stats().waitingSenders() == 1);
        held.release();

        handler.assertRefused();
        Note.until().until(() -> rooms.depth() == 1);
        other.release();
        Note.until().until(() -> rooms.stats().handled() == 5);
        assertThat(rooms.depth()).isZero();
    }

    @Test
    void aHandlerAtTheDoorOfAKeyThatHasSomethingToHandleIsLetIn() throws Exception {
        rooms = builder(1, 10, FullPolicy.BLOCK).start();
        Note.Hold held = hold("b");
        put("b", 1);
        Sends handler = new Sends("a", "b");
        handler.held.release();
        Note.until().until(() -> rooms.stats().waitingSenders() == 1);
        held.release();

        Note.until().until(handler.outcome::isDone);
        assertThat(handler.outcome.join()).isEqualTo(true);
        Note.until().until(() -> rooms.stats().handled() == 4);
    }

    @Test
    void aHandlerAtTheDoorIsRefusedWhenThePlaceOfOneThatGivesUpIsOfNoUseToIt() throws Exception {
        rooms = builder(2, 2, FullPolicy.BLOCK).start();
        hold("b");
        hold("c");
        Sends handler = new Sends("a", "b");
        put("b", 1);
        put("c", 1); // and that is all that may wait
        Sent<Boolean> other = Sent.waiting(() -> rooms.send("b", new Note.Put(2)));
        handler.held.release();
        Note.until().until(() -> rooms.stats().waitingSenders() == 2);
        other.interrupt();

        handler.assertRefused();
        assertThat(other.failure()).isInstanceOf(InterruptedException.class);
        assertThat(rooms.stats().waitingSenders()).isZero();
    }

    @Test
    void aHandlerAtTheDoorOfAKeyThatComesToStandInLineIsRefused() throws Exception {
        rooms = builder(1, 10, FullPolicy.BLOCK).start();
        hold("b");
        put("b", 1);
        Sends handler = new Sends("a", "b");
        handler.held.release();
        Note.until().until(() -> rooms.stats().waitingSenders() == 1);
        owner("b").refuseInsiders();
        assertThat(rooms.stats().waitingSenders()).as("it has its place").isEqualTo(1);
        owner("b").inLine = true;
        owner("b").refuseInsiders();
        owner("b").inLine = false;

        handler.assertRefused();
    }

    // Lines that one leaves anywhere

    @Test
    void whoGivesUpTheOnlyPlaceOfItsKeyLeavesItToTheFirstAtTheDoor() throws Exception {
        rooms = builder(1, 1, FullPolicy.BLOCK).start();
        Note.Hold held = hold("full");
        put("full", 1);
        Sent<Boolean> first = waitsBehind(0, "b"); // for the bound over all keys
        Sent<Boolean> second = waitsBehind(1, "b"); // at the door of its key
        first.interrupt();
        assertThat(first.failure()).isInstanceOf(InterruptedException.class);
        held.release();

        assertThat(second.value()).isTrue();
        Note.until().until(() -> rooms.stats().handled() == 3);
    }

    @Test
    void ownersLeaveInTheOrderInWhichTheyBecameIdleWhicheverOfThemWorkedAgain() throws Exception {
        for (int again = 0; again < 3; again++) {
            rooms = on(line::add).idleAfter(IDLE).start();
            List<String> order = new ArrayList<>(List.of("a", "b", "c"));
            for (String key : order) {
                put(key, 1);
                runNext();
                time.advance(Duration.ofSeconds(1));
            }
            String last = order.remove(again);
            order.add(last);
            put(last, 2);
            runNext();

            time.advance(IDLE.multipliedBy(2));
            assertThat(line).hasSize(3);
            while (!line.isEmpty()) {
                runNext();
            }
            assertThat(stored).containsExactlyElementsOf(order);
            assertThat(rooms.stats().keys()).isZero();
            assertThat(time.pending()).isZero();
            stored.clear();
            rooms.close();
        }
    }

    @Test
    void whoeverLeavesTheLineForAllKeysLeavesTheOthersInIt() throws Exception {
        for (int leaves = 0; leaves < 3; leaves++) {
            rooms = builder(1, 1, FullPolicy.BLOCK).start();
            Note.Hold held = hold("full");
            put("full", 1);
            List<Sent<Boolean>> waiting = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                waiting.add(waitsBehind(i, "k" + i));
            }
            Sent<Boolean> left = waiting.remove(leaves);
            left.interrupt();
            assertThat(left.failure()).isInstanceOf(InterruptedException.class);
            waiting.add(waitsBehind(2, "k3"));
            held.release();

            for (Sent<Boolean> sender : waiting) {
                assertThat(sender.value()).isTrue();
            }
            Note.until().until(() -> rooms.stats().handled() == 5);
            assertThat(rooms.stats().waitingSenders()).isZero();
            assertThat(rooms.depth()).isZero();
            assertThat(rooms.close(LONG)).isTrue();
        }
    }

    private Sent<Boolean> waitsBehind(int others, String key) {
        Sent<Boolean> sent = Sent.of(() -> rooms.send(key, new Note.Put(1)));
        Note.until().until(() -> rooms.stats().waitingSenders() == others + 1);
        return sent;
    }

    @Test
    void anAskThatEndsAnywhereInTheLineOfItsKeyLeavesTheOthersInTheirOrder() throws Exception {
        for (int ends = 0; ends < 3; ends++) {
            rooms = builder(10, 10, FullPolicy.REJECT).start();
            List<Integer> order = new CopyOnWriteArrayList<>();
            Note.Hold held = hold("a");
            List<CompletableFuture<Object>> asks = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int number = i;
                asks.add(rooms.ask("a", reply -> new Note.Do(context -> reply.ok(order.add(number))), LONG));
            }
            assertThat(asks.remove(ends).cancel(true)).isTrue();
            asks.add(rooms.ask("a", reply -> new Note.Do(context -> reply.ok(order.add(3))), LONG));
            assertThat(rooms.position("a", asks.get(2))).hasValue(3);
            held.release();

            for (CompletableFuture<Object> ask : asks) {
                assertThat(ask.get()).isEqualTo(true);
            }
            int gone = ends;
            assertThat(order)
                    .containsExactlyElementsOf(IntStream.range(0, 4)
                            .filter(number -> number != gone)
                            .boxed()
                            .toList());
            assertThat(rooms.close(LONG)).isTrue();
        }
    }
}

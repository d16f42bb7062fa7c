package io.heptad.actor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Seeded;
import io.heptad.contract.Watched;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When owners go, and that they never overlap. */
@Watched
class KeyedPassivationTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final Map<String, List<Integer>> store = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> loads = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> stored = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Note> dead = new ConcurrentLinkedQueue<>();
    private final List<Note.Hold> holds = new ArrayList<>();
    private final ManualTime time = new ManualTime();
    private KeyedActors<String, Note> rooms;

    private KeyedActors.Builder<String, List<Integer>, Note> builder() {
        return KeyedActors.named("rooms", String.class, Note.class)
                .mailbox(100, FullPolicy.BLOCK)
                .totalQueued(1_000)
                .state(
                        key -> {
                            loads.add(key);
                            return store.getOrDefault(key, List.of());
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

    private Note.Hold hold(String key) throws InterruptedException {
        Note.Hold hold = Note.hold(rooms, key);
        holds.add(hold);
        return hold;
    }

    private void put(String key, int number) throws InterruptedException {
        assertThat(rooms.send(key, new Note.Put(number))).isTrue();
    }

    /** Puts something down, and waits until the owner is idle again. */
    private void visit(String key, int number) throws Exception {
        long handled = rooms.stats().handled();
        put(key, number);
        Note.until()
                .until(() -> rooms.stats().handled() > handled
                        && rooms.owners().known(key) != null
                        && rooms.owners().known(key).resting);
    }

    @AfterEach
    void end() throws InterruptedException {
        holds.forEach(Note.Hold::release);
        if (rooms != null) {
            assertThat(rooms.close(LONG)).isTrue();
            assertThat(time.pending()).as("alarms left behind").isZero();
        }
    }

    // By time

    @Test
    void anOwnerThatHasBeenIdleForSoLongHandsItsStateOverAndLeavesNothing() throws Exception {
        rooms = builder().idleAfter(Duration.ofSeconds(10)).start();
        visit("a", 1);
        time.advance(Duration.ofSeconds(9));
        assertThat(rooms.stats().live()).isEqualTo(1);
        assertThat(stored).isEmpty();

        time.advance(Duration.ofSeconds(1));

        Note.until().until(() -> rooms.stats().keys() == 0);
        assertThat(stored).containsExactly("a");
        assertThat(rooms.stats().live()).isZero();
        assertThat(time.pending()).isZero();
        visit("a", 2);
        assertThat(loads).containsExactly("a", "a");
        assertThat(rooms.close(LONG)).isTrue();
        assertThat(store.get("a")).containsExactly(1, 2);
    }

    @Test
    void aMessageBeginsTheTimeAnew() throws Exception {
        rooms = builder().idleAfter(Duration.ofSeconds(10)).start();
        visit("a", 1);
        visit("b", 1);
        time.advance(Duration.ofSeconds(6));
        visit("a", 2);
        time.advance(Duration.ofSeconds(6));

        Note.until().until(() -> rooms.stats().keys() == 1);
        assertThat(stored).containsExactly("b");
        assertThat(time.pending()).as("one alarm for all").isEqualTo(1);
        time.advance(Duration.ofSeconds(3));
        assertThat(rooms.stats().live()).isEqualTo(1);
        time.advance(Duration.ofSeconds(1));
        Note.until().until(() -> rooms.stats().keys() == 0);
    }

    @Test
    void anOwnerThatWorksIsNotIdleHoweverLongItTakes() throws Exception {
        rooms = builder().idleAfter(Duration.ofSeconds(1)).start();
        visit("other", 1);
        Note.Hold held = hold("a");
        time.advance(Duration.ofMinutes(1));
        Note.until().until(() -> rooms.stats().keys() == 1);
        assertThat(stored).containsExactly("other");
        held.release();
        Note.until().until(() -> rooms.owners().known("a").resting);
        assertThat(rooms.stats().live()).isEqualTo(1);
    }

    @Test
    void withNoIdleTimeAnOwnerGoesAsSoonAsNothingWaits() throws Exception {
        rooms = builder().idleAfter(Duration.ZERO).start();
        Note.Hold held = hold("a");
        put("a", 1);
        put("a", 2);
        held.release();
        Note.until().until(() -> rooms.stats().keys() == 0);
        assertThat(loads).containsExactly("a");
        assertThat(store.get("a")).containsExactly(1, 2);
    }

    @Test
    void withoutALimitOwnersStayUntilTheEnd() throws Exception {
        rooms = builder().start();
        for (int i = 0; i < 50; i++) {
            put("k" + i, i);
        }
        Note.until().until(() -> rooms.stats().handled() == 50);
        time.advance(Duration.ofDays(1));
        assertThat(rooms.stats().live()).isEqualTo(50);
        assertThat(rooms.close(LONG)).isTrue();
        assertThat(rooms.stats().live()).isZero();
        assertThat(stored).hasSize(50);
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aHundredThousandKeysUsedOnceLeaveNothingBehind() throws Exception {
        AtomicInteger kept = new AtomicInteger();
        try (KeyedActors<Integer, Integer> devices = KeyedActors.named("devices", Integer.class, Integer.class)
                .mailbox(4, FullPolicy.BLOCK)
                .totalQueued(1_000)
                .state(key -> 0, (Behavior<Integer, Integer>) (sum, more, context) -> sum + more)
                .idleAfter(Duration.ofMillis(1))
                .onPassivate((key, sum) -> kept.addAndGet(sum))
                .start()) {
            for (int i = 0; i < 100_000; i++) {
                devices.send(i, 1);
            }
            Note.until()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> devices.stats().keys() == 0);
            KeyedStats stats = devices.stats();
            assertThat(stats.live()).isZero();
            assertThat(stats.depth()).isZero();
            assertThat(stats.loaded()).isEqualTo(100_000);
            assertThat(stats.passivated()).isEqualTo(100_000);
            assertThat(kept).hasValue(100_000);
        }
    }

    // One owner at any instant

    @Test
    void aMessageThatComesWhileTheStateIsStoredIsHandledByTheNextOwnerAfterThat() throws Exception {
        CountDownLatch storing = new CountDownLatch(1);
        CountDownLatch mayStore = new CountDownLatch(1);
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<Boolean> loadedAfter = new AtomicReference<>();
        rooms = KeyedActors.named("rooms", String.class, Note.class)
                .mailbox(10, FullPolicy.REJECT)
                .totalQueued(10)
                .state(
                        key -> {
                            loads.add(key);
                            if (loads.size() == 2) {
                                loadedAfter.set(done.get());
                            }
                            return store.getOrDefault(key, List.of());
                        },
                        Note::handle)
                .idleAfter(Duration.ZERO)
                .onPassivate((key, state) -> {
                    storing.countDown();
                    try {
                        mayStore.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    store.put(key, state);
                    done.set(true);
                })
                .start();
        put("a", 1);
        storing.await();
        put("a", 2);
        put("a", 3);
        assertThat(rooms.depth("a")).isEqualTo(2);
        assertThat(loads).containsExactly("a");

        mayStore.countDown();

        Note.until().until(() -> rooms.stats().keys() == 0);
        assertThat(loadedAfter).hasValue(true);
        assertThat(store.get("a")).containsExactly(1, 2, 3);
        assertThat(loads).containsExactly("a", "a");
    }

    @Test
    void ownersOfOneKeyNeverOverlapAndLoseNothingHoweverTheyComeAndGo() {
        Seeded.run(random -> {
            int keys = 1 + random.nextInt(6);
            int maxLive = 1 + random.nextInt(keys);
            Duration idle = random.nextBoolean() ? Duration.ZERO : Duration.ofNanos(random.nextInt(200_000));
            int[] table = new int[keys];
            AtomicBoolean[] owned =
                    IntStream.range(0, keys).mapToObj(i -> new AtomicBoolean()).toArray(AtomicBoolean[]::new);
            AtomicInteger overlaps = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            AtomicInteger now = new AtomicInteger();
            KeyedActors<Integer, Integer> sums = KeyedActors.named("sums", Integer.class, Integer.class)
                    .mailbox(1 + random.nextInt(8), FullPolicy.BLOCK)
                    .totalQueued(1 + random.nextInt(12))
                    .state(
                            key -> {
                                if (!owned[key].compareAndSet(false, true)) {
                                    overlaps.incrementAndGet();
                                }
                                most.accumulateAndGet(now.incrementAndGet(), Math::max);
                                return table[key];
                            },
                            (Behavior<Integer, Integer>) (sum, more, context) -> sum + more)
                    .maxLive(maxLive)
                    .idleAfter(idle)
                    .onPassivate((key, sum) -> {
                        table[key] = sum;
                        now.decrementAndGet();
                        if (!owned[key].compareAndSet(true, false)) {
                            overlaps.incrementAndGet();
                        }
                    })
                    .start();
            List<Sent<Boolean>> senders = new ArrayList<>();
            for (int sender = 0; sender < 4; sender++) {
                var mine = random.split();
                senders.add(Sent.of(() -> {
                    for (int i = 0; i < 3_000; i++) {
                        sums.send(mine.nextInt(keys), 1);
                    }
                    return true;
                }));
            }
            for (Sent<Boolean> sender : senders) {
                sender.value();
            }
            assertThat(sums.close(LONG)).isTrue();
            assertThat(overlaps).hasValue(0);
            assertThat(most.get()).isLessThanOrEqualTo(maxLive);
            assertThat(IntStream.of(table).sum()).isEqualTo(12_000);
            assertThat(sums.stats().loaded()).isEqualTo(sums.stats().passivated());
        });
    }

    // By number

    @Test
    void oneMoreThanMayLiveSendsTheIdlestAway() throws Exception {
        rooms = builder().maxLive(2).start();
        visit("a", 1);
        visit("b", 1);
        visit("a", 2);

        visit("c", 1);

        assertThat(stored).containsExactly("b");
        assertThat(rooms.stats().live()).isEqualTo(2);
        visit("b", 2);
        assertThat(stored).containsExactly("b", "a");
        assertThat(rooms.close(LONG)).isTrue();
        assertThat(store.get("b")).containsExactly(1, 2);
    }

    @Test
    void ifNoneIsIdleKeysStandInLineWithTheirMessages() throws Exception {
        rooms = builder().maxLive(1).start();
        Note.Hold held = hold("a");
        put("b", 1);
        put("c", 1);
        put("b", 2);
        assertThat(rooms.stats().waitingOwners()).isEqualTo(2);
        assertThat(rooms.stats().live()).isEqualTo(1);
        assertThat(rooms.depth("b")).isEqualTo(2);
        assertThat(loads).containsExactly("a");

        held.release();

        Note.until().until(() -> rooms.stats().handled() == 4);
        assertThat(loads).containsExactly("a", "b", "c");
        Note.until().until(() -> stored.size() == 2);
        assertThat(stored).containsExactly("a", "b");
        assertThat(rooms.stats().live()).isEqualTo(1);
    }

    @Test
    void anOwnerThatIsNeverIdleGivesWayAfterItsTurn() throws Exception {
        rooms = builder().maxLive(1).start();
        Note.Hold held = hold("busy");
        for (int i = 0; i < 100; i++) {
            put("busy", i);
        }
        CountDownLatch handled = new CountDownLatch(1);
        AtomicInteger waitedThen = new AtomicInteger();
        rooms.send("other", new Note.Do(context -> {
            waitedThen.set(rooms.depth("busy"));
            handled.countDown();
        }));

        held.release();

        handled.await();
        assertThat(waitedThen)
                .as("of 100 and the one that held it, 64 had their turn")
                .hasValue(100 - 63);
        Note.until().until(() -> rooms.depth("busy") == 0);
        assertThat(rooms.close(LONG)).isTrue();
        assertThat(store.get("busy")).isEqualTo(IntStream.range(0, 100).boxed().toList());
        assertThat(loads).containsExactly("busy", "other", "busy");
    }

    @Test
    void askThatEndsWhileItsKeyStandsInLineLeavesNothing() throws Exception {
        rooms = builder().maxLive(1).start();
        Note.Hold held = hold("a");
        var ask = rooms.ask("b", Note.Read::new, LONG);
        assertThat(rooms.stats().waitingOwners()).isEqualTo(1);

        ask.cancel(false);

        assertThat(rooms.depth()).isZero();
        held.release();
        Note.until().until(() -> rooms.stats().keys() <= 1 && rooms.stats().waitingOwners() == 0);
        assertThat(loads).as("nothing to load for").containsExactly("a");
    }

    @Test
    void whoWaitsForThePlaceOfAnIdleOwnerThatGetsWorkJustThenGetsAnother() throws Exception {
        // The idle owner is chosen, then gets a message before it is told: it stays, and the next idlest goes.
        rooms = builder().maxLive(2).start();
        Semaphore steps = new Semaphore(0);
        List<Sent<Boolean>> senders = new ArrayList<>();
        for (int sender = 0; sender < 3; sender++) {
            String key = "k" + sender;
            senders.add(Sent.of(() -> {
                for (int i = 0; i < 2_000; i++) {
                    rooms.send(key, new Note.Do(context -> steps.release()));
                }
                return true;
            }));
        }
        for (Sent<Boolean> sender : senders) {
            sender.value();
        }
        steps.acquire(6_000);
        Note.until().until(() -> rooms.stats().waitingOwners() == 0);
        assertThat(rooms.stats().live()).isLessThanOrEqualTo(2);
    }

    // By its own will, and not

    @Test
    void anOwnerThatWaitsForItsTimerIsNotIdle() throws Exception {
        rooms = builder().idleAfter(Duration.ofSeconds(1)).start();
        rooms.send("a", new Note.Later(Duration.ofSeconds(5), new Note.Put(5)));
        Note.until().until(() -> rooms.stats().handled() == 1);
        time.advance(Duration.ofSeconds(4));
        assertThat(rooms.stats().live()).isEqualTo(1);
        assertThat(rooms.stats().timers()).isEqualTo(1);

        time.advance(Duration.ofSeconds(1));
        Note.until().until(() -> rooms.stats().handled() == 2 && rooms.owners().known("a").resting);
        time.advance(Duration.ofSeconds(1));

        Note.until().until(() -> rooms.stats().keys() == 0);
        assertThat(store.get("a")).containsExactly(5);
        assertThat(time.pending()).isZero();
    }

    @Test
    void aTimerThatIsTakenBackLetsItsOwnerRest() throws Exception {
        rooms = builder().idleAfter(Duration.ofSeconds(1)).start();
        AtomicReference<Cancellable> timer = new AtomicReference<>();
        rooms.send("a", new Note.Do(context -> timer.set(context.sendAfter(Duration.ofHours(1), new Note.Put(1)))));
        Note.until()
                .until(() -> rooms.stats().handled() == 1
                        && rooms.owners().known("a").runner() == null);
        time.advance(Duration.ofMinutes(1));
        assertThat(rooms.stats().live()).isEqualTo(1);

        assertThat(timer.get().cancel()).isTrue();
        time.advance(Duration.ofSeconds(1));

        Note.until().until(() -> rooms.stats().keys() == 0);
        assertThat(timer.get().cancel()).isFalse();
    }

    @Test
    void anOwnerThatStopsStoresItsStateAndLeavesWhatWaitsToTheDeadLetters() throws Exception {
        rooms = builder().start();
        rooms.send("a", new Note.Later(Duration.ofSeconds(1), new Note.Put(9)));
        Note.Hold held = hold("a");
        put("a", 1);
        rooms.send("a", new Note.Halt());
        put("a", 2);
        var asked = rooms.ask("a", Note.Read::new, LONG);
        put("a", 3);
        held.release();

        Note.until().until(() -> rooms.stats().keys() == 0);
        assertThat(store.get("a")).containsExactly(1);
        assertThat(dead.stream().filter(note -> note instanceof Note.Put))
                .containsExactly(new Note.Put(2), new Note.Put(3));
        assertThat(asked.exceptionNow()).hasMessage("rooms[a] is closed");
        assertThat(rooms.stats().undelivered()).isEqualTo(3);
        assertThat(rooms.stats().timers()).as("its timer went with it").isZero();
        assertThat(rooms.<List<Integer>>call("a", Note.Read::new, LONG)).containsExactly(1);
        assertThat(loads).containsExactly("a", "a");
    }
}

package io.heptad.contract.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.heptad.contract.Watched;
import io.heptad.core.BusyException;
import io.heptad.gate.Committed;
import io.heptad.gate.Declined;
import io.heptad.gate.OutboxMessage;
import io.heptad.gate.PhaseStore;
import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.gate.PhaseStore.Answered;
import io.heptad.gate.PhaseStore.ArmedTimer;
import io.heptad.gate.PhaseStore.Claim;
import io.heptad.gate.PhaseStore.State;
import io.heptad.gate.PhaseStore.Transaction;
import io.heptad.gate.PhaseStore.Unit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a gate relies on, asked of every store. A store extends this class and says in {@link #store} how to make an empty
 * one and in {@link #advance} how its clock is moved. Phases and events are strings here.
 */
@Watched
public abstract class PhaseStoreContract {
    protected static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private PhaseStore<String, String> store;

    /** An empty store, whose clock stands unless it is moved. */
    protected abstract PhaseStore<String, String> store();

    /** Moves the clock of that store. */
    protected abstract void advance(Duration by);

    @BeforeEach
    void makeTheStore() {
        store = store();
    }

    private <T extends @Nullable Object> T transact(String id, Unit<String, String, T> unit) {
        try {
            return store.transact(id, PATIENCE, unit);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private <T> Optional<T> look(String id, Unit<String, String, Optional<T>> unit) {
        return transact(id, unit);
    }

    private boolean did(String id, Unit<String, String, Boolean> unit) {
        return transact(id, unit);
    }

    private Committed<String, String> create(String id) {
        return transact(id, tx -> append(tx, id, "placed", null));
    }

    private Committed<String, String> append(String id, String phase, String event) {
        return transact(id, tx -> append(tx, id, phase, event));
    }

    private static Committed<String, String> append(
            Transaction<String, String> tx, String id, String phase, @Nullable String event) {
        long version = tx.current().map(Committed::version).orElse(0L) + 1;
        Committed<String, String> next = new Committed<>(id, version, phase, event, tx.now());
        tx.append(next);
        return next;
    }

    private static ActionRow<String> row(Transaction<String, String> tx, String key, String id, String action) {
        return row(tx, key, id, action, false, null);
    }

    private static ActionRow<String> row(
            Transaction<String, String> tx,
            String key,
            String id,
            String action,
            boolean undo,
            @Nullable String undoes) {
        return new ActionRow<>(
                key,
                id,
                action,
                undo,
                undoes,
                tx.current().orElseThrow().version(),
                State.OPEN,
                1,
                tx.now().plus(LEASE),
                "event of " + key,
                "asked",
                "event",
                "request",
                null,
                tx.now(),
                0,
                null);
    }

    private void open(String id, String key) {
        transact(id, tx -> {
            tx.open(row(tx, key, id, "charge"));
            return true;
        });
    }

    private void opened(String id, String key) {
        create(id);
        open(id, key);
    }

    private boolean close(String id, String key, long fence, State state, @Nullable String result) {
        return transact(id, tx -> tx.close(key, fence, state, result, null));
    }

    private ActionRow<String> unfinished(String key) {
        return store.unfinished(key).orElseThrow();
    }

    private static FutureTask<Void> start(Work work) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            work.run();
            return null;
        });
        Thread.ofVirtual().start(task);
        return task;
    }

    private interface Work {
        void run() throws Exception;
    }

    private static void join(List<FutureTask<Void>> tasks) throws InterruptedException, ExecutionException {
        for (FutureTask<Void> task : tasks) {
            task.get();
        }
    }

    // ---- transactions

    @Test
    void hasNothingOfAnUnknownEntity() {
        assertThat(store.current("A")).isEmpty();
        assertThat(store.history("A")).isEmpty();
        assertThat(store.actions("A")).isEmpty();
        assertThat(store.answered("A", "e1")).isEmpty();
        transact("A", tx -> {
            assertThat(tx.current()).isEmpty();
            assertThat(tx.first()).isEmpty();
            assertThat(tx.unfinished()).isEmpty();
            assertThat(tx.answered("e1")).isEmpty();
            assertThat(tx.undoable("charge")).isEmpty();
            assertThat(tx.declined("charge", false)).isZero();
            return true;
        });
        assertThat(store.current("A")).as("looking makes nothing").isEmpty();
    }

    @Test
    void writesNothingAboutAnUnknownEntity() {
        assertThatIllegalStateException()
                .isThrownBy(() -> transact("A", tx -> tx.close("k", 1, State.DONE, null, null)));
        assertThatIllegalStateException()
                .isThrownBy(() -> transact("A", tx -> {
                    tx.arm(tx.now(), "late");
                    return true;
                }));
    }

    @Test
    void makesAnEntityWithItsFirstPhase() {
        Committed<String, String> first = create("A");

        assertThat(first.version()).isEqualTo(1);
        assertThat(store.current("A")).contains(first);
        assertThat(store.history("A")).containsExactly(first);
        assertThat(look("A", Transaction::first)).contains(first);
    }

    @Test
    void keepsThePhasesInTheirOrder() {
        List<Committed<String, String>> all =
                List.of(create("A"), append("A", "paid", "pay"), append("A", "packed", "pack"));
        create("B");

        assertThat(store.history("A")).isEqualTo(all);
        assertThat(store.current("A")).contains(all.getLast());
        assertThat(look("A", Transaction::first)).contains(all.getFirst());
    }

    @Test
    void writesAllOfATransactionOrNothing() throws InterruptedException {
        create("A");

        assertThatThrownBy(() -> transact("A", tx -> {
                    append(tx, "A", "paid", "pay");
                    tx.answer("e1", new Answered<>("pay", tx.current().orElseThrow()));
                    tx.open(row(tx, "k1", "A", "charge"));
                    tx.arm(tx.now(), "late");
                    tx.add(new OutboxMessage("m1", "A", "mail", "paid", "text"));
                    throw new IllegalStateException("cut");
                }))
                .hasMessage("cut");

        assertThat(store.current("A")).map(Committed::phase).contains("placed");
        assertThat(store.history("A")).hasSize(1);
        assertThat(store.answered("A", "e1")).isEmpty();
        assertThat(store.unfinished("k1")).isEmpty();
        assertThat(store.actions("A")).isEmpty();
        assertThat(store.outbox(10)).isEmpty();
        advance(LEASE);
        assertThat(store.claim(10, LEASE)).isEmpty();
        assertThat(store.claimTimers(10, LEASE)).isEmpty();
        assertThat(append("A", "paid", "pay").version()).isEqualTo(2);
    }

    @Test
    void aFirstPhaseThatWasCutLeavesNoEntity() {
        assertThatThrownBy(() -> transact("A", tx -> {
                    append(tx, "A", "placed", null);
                    throw new IllegalStateException("cut");
                }))
                .hasMessage("cut");

        assertThat(store.current("A")).isEmpty();
        assertThat(create("A").version()).isEqualTo(1);
    }

    @Test
    void showsNothingBeforeTheCommit() {
        create("A");
        transact("A", tx -> {
            append(tx, "A", "paid", "pay");
            tx.open(row(tx, "k1", "A", "charge"));
            tx.add(new OutboxMessage("m1", "A", "mail", "paid", "text"));
            assertThat(store.current("A")).map(Committed::phase).contains("placed");
            assertThat(store.unfinished("k1")).isEmpty();
            assertThat(store.outbox(10)).isEmpty();
            return true;
        });
        assertThat(store.current("A")).map(Committed::phase).contains("paid");
        assertThat(store.unfinished("k1")).isPresent();
        assertThat(store.outbox(10)).hasSize(1);
    }

    @Test
    void readsItsOwnWrites() {
        create("A");
        transact("A", tx -> {
            tx.open(row(tx, "k1", "A", "charge"));
            assertThat(tx.unfinished()).map(ActionRow::key).contains("k1");
            assertThat(tx.close("k1", 1, State.DECLINED, null, "no")).isTrue();
            assertThat(tx.unfinished()).isEmpty();
            assertThat(tx.declined("charge", false)).isEqualTo(1);
            tx.open(row(tx, "k2", "A", "charge"));
            assertThat(tx.close("k2", 1, State.DONE, "receipt", null)).isTrue();
            assertThat(tx.undoable("charge")).map(ActionRow::result).contains("receipt");
            append(tx, "A", "paid", "pay");
            assertThat(tx.current()).map(Committed::phase).contains("paid");
            assertThat(tx.declined("charge", false)).isZero();
            tx.answer("e1", new Answered<>("pay", tx.current().orElseThrow()));
            assertThat(tx.answered("e1")).isPresent();
            tx.open(row(tx, "k3", "A", "charge", true, "k2"));
            assertThat(tx.unfinished()).map(ActionRow::key).contains("k3");
            return true;
        });
        assertThat(store.actions("A"))
                .extracting(ActionRow::key, ActionRow::state)
                .containsExactly(tuple("k1", State.DECLINED), tuple("k2", State.DONE), tuple("k3", State.OPEN));
    }

    @Test
    void refusesAVersionThatDoesNotFollow() {
        create("A");
        for (long version : new long[] {1, 3}) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> transact("A", tx -> {
                        tx.append(new Committed<>("A", version, "paid", "pay", tx.now()));
                        return true;
                    }))
                    .withMessageContaining("A")
                    .withMessageContaining("version=" + version);
        }
        assertThatIllegalStateException()
                .isThrownBy(() -> transact("A", tx -> {
                    append(tx, "A", "paid", "pay");
                    append(tx, "A", "packed", "pack");
                    return true;
                }));
        assertThat(store.current("A")).map(Committed::version).contains(1L);
    }

    @Test
    void oneUnitAtATimeForAnEntity() throws Exception {
        create("A");
        List<FutureTask<Void>> writers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            writers.add(start(() -> {
                for (int n = 0; n < 25; n++) {
                    append("A", "placed", "note");
                }
            }));
        }
        join(writers);

        assertThat(store.current("A")).map(Committed::version).contains(201L);
        assertThat(store.history("A"))
                .extracting(Committed::version)
                .isSubsetOf(LongStream.rangeClosed(1, 201).boxed().toList())
                .isSorted()
                .doesNotHaveDuplicates();
    }

    @Test
    void ofManyThatMakeAnEntityOneDoes() throws Exception {
        Set<Long> versions = ConcurrentHashMap.newKeySet();
        List<FutureTask<Void>> writers = IntStream.range(0, 8)
                .mapToObj(i -> start(() -> versions.add(transact(
                        "A",
                        tx -> tx.current().isPresent()
                                ? tx.current().get().version()
                                : append(tx, "A", "placed", null).version()))))
                .toList();
        join(writers);

        assertThat(versions).containsExactly(1L);
        assertThat(store.history("A")).hasSize(1);
    }

    @Test
    void othersDoNotWaitForAnEntity() throws Exception {
        create("A");
        Held held = hold("A");

        create("B");
        assertThat(append("B", "paid", "pay").version()).isEqualTo(2);
        assertThat(store.current("A")).map(Committed::version).contains(1L);
        assertThat(store.history("A")).hasSize(1);

        held.letGo();
    }

    @Test
    void saysBusyWhenTheEntityIsNotFreeInTime() throws Exception {
        create("A");
        Held held = hold("A");

        assertThatThrownBy(() -> store.transact("A", Duration.ofMillis(20), tx -> true))
                .isInstanceOf(BusyException.class)
                .hasMessageContaining("A");
        assertThatThrownBy(() -> store.transact("A", Duration.ZERO, tx -> true)).isInstanceOf(BusyException.class);

        held.letGo();
        assertThat(append("A", "paid", "pay").version()).isEqualTo(2);
    }

    @Test
    void anInterruptEndsTheWaitForAnEntity() throws Exception {
        create("A");
        Held held = hold("A");
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiter = Thread.ofVirtual().start(() -> {
            try {
                store.transact("A", PATIENCE, tx -> append(tx, "A", "paid", "pay"));
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        waiter.interrupt();
        waiter.join();
        held.letGo();

        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(store.current("A")).map(Committed::version).contains(1L);
    }

    @Test
    void aUnitInsideOfAUnitForTheSameEntityIsRefused() {
        create("A");
        transact("A", tx -> {
            assertThatIllegalStateException().isThrownBy(() -> transact("A", inner -> true));
            return append(tx, "A", "paid", "pay");
        });
        assertThat(store.current("A")).map(Committed::phase).contains("paid");
    }

    @Test
    void aTransactionThatIsOverTakesNothingMore() {
        create("A");
        AtomicReference<Transaction<String, String>> kept = new AtomicReference<>();
        transact("A", tx -> {
            kept.set(tx);
            return true;
        });
        assertThatIllegalStateException().isThrownBy(() -> append(kept.get(), "A", "paid", "pay"));
        assertThatIllegalStateException().isThrownBy(() -> kept.get().arm(Instant.EPOCH, "late"));
        assertThat(store.current("A")).map(Committed::version).contains(1L);
    }

    private record Held(CountDownLatch gate, FutureTask<Void> task) {
        void letGo() throws InterruptedException, ExecutionException {
            gate.countDown();
            task.get();
        }
    }

    private Held hold(String id) throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        FutureTask<Void> task = start(() -> transact(id, tx -> {
            inside.countDown();
            try {
                return gate.await(30, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }));
        inside.await();
        return new Held(gate, task);
    }

    // ---- open actions

    @Test
    void keepsWhatAnIntentSays() {
        create("A");
        ActionRow<String> row = transact("A", tx -> {
            ActionRow<String> opened = row(tx, "k1", "A", "charge");
            tx.open(opened);
            return opened;
        });

        assertThat(store.unfinished("k1")).contains(row);
        assertThat(look("A", Transaction::unfinished)).contains(row);
        assertThat(store.actions("A")).containsExactly(row);
    }

    @Test
    void anEntityHasOneUnfinishedActionAtMost() throws InterruptedException {
        opened("A", "k1");
        assertThatIllegalStateException().isThrownBy(() -> open("A", "k2")).withMessageContaining("k1");
        assertThat(store.park("A", "k1", 1, "why")).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> open("A", "k2"));
        assertThat(store.unfinished("k2")).isEmpty();
        assertThat(close("A", "k1", 1, State.DONE, "receipt")).isTrue();
        open("A", "k2");
        assertThat(unfinished("k2").state()).isEqualTo(State.OPEN);
    }

    @Test
    void aKeyIsUsedOnce() {
        opened("A", "k1");
        close("A", "k1", 1, State.DECLINED, null);
        assertThatIllegalStateException().isThrownBy(() -> open("A", "k1")).withMessageContaining("k1");
    }

    @Test
    void closesWithTheRightFenceOnly() throws InterruptedException {
        opened("A", "k1");
        advance(LEASE);
        assertThat(store.claim(1, LEASE)).containsExactly(new Claim("A", "k1", 2));

        assertThat(close("A", "k1", 1, State.DONE, "late")).as("overtaken").isFalse();
        assertThat(unfinished("k1").state()).isEqualTo(State.OPEN);
        assertThat(close("A", "k1", 3, State.DONE, "early")).isFalse();
        assertThat(close("A", "k2", 2, State.DONE, "another")).isFalse();
        assertThat(close("A", "k1", 2, State.DONE, "receipt")).isTrue();
        assertThat(close("A", "k1", 2, State.DONE, "again")).isFalse();

        assertThat(store.unfinished("k1")).isEmpty();
        assertThat(store.actions("A").getFirst().result()).isEqualTo("receipt");
        assertThat(store.actions("A").getFirst().state()).isEqualTo(State.DONE);
    }

    @Test
    void writesAboutAnOpenActionWithTheRightFenceOnly() throws InterruptedException {
        opened("A", "k1");
        ActionRow<String> before = unfinished("k1");

        assertThat(store.renew("A", "k1", 2, LEASE)).isFalse();
        assertThat(store.failed("A", "k1", 2, "down", LEASE)).isFalse();
        assertThat(store.park("A", "k1", 2, "why")).isFalse();
        assertThat(store.renew("A", "k2", 1, LEASE)).isFalse();
        assertThat(store.renew("B", "k1", 1, LEASE)).isFalse();
        assertThat(unfinished("k1")).isEqualTo(before);

        close("A", "k1", 1, State.DONE, "receipt");
        assertThat(store.renew("A", "k1", 1, LEASE)).isFalse();
        assertThat(store.failed("A", "k1", 1, "down", LEASE)).isFalse();
        assertThat(store.park("A", "k1", 1, "why")).isFalse();
        assertThat(store.actions("A").getFirst().attempts()).isZero();
    }

    @Test
    void takesOverWhenTheLeaseHasEndedAndNotBefore() throws InterruptedException {
        opened("A", "k1");
        advance(LEASE.minusMillis(1));
        assertThat(store.claim(10, LEASE)).isEmpty();
        advance(Duration.ofMillis(1));
        assertThat(store.claim(10, LEASE)).containsExactly(new Claim("A", "k1", 2));
        assertThat(store.claim(10, LEASE)).as("it has a lease again").isEmpty();
        advance(LEASE);
        assertThat(store.claim(10, LEASE)).containsExactly(new Claim("A", "k1", 3));
        assertThat(unfinished("k1").fence()).isEqualTo(3);
    }

    @Test
    void aRenewedLeaseIsNotTakenOver() throws InterruptedException {
        opened("A", "k1");
        advance(LEASE.minusMillis(1));
        assertThat(store.renew("A", "k1", 1, LEASE)).isTrue();
        advance(LEASE.minusMillis(1));
        assertThat(store.claim(10, LEASE)).isEmpty();
        advance(Duration.ofMillis(1));
        assertThat(store.claim(10, LEASE)).hasSize(1);
        assertThat(store.renew("A", "k1", 1, LEASE)).as("overtaken").isFalse();
    }

    @Test
    void aFailedTryIsCountedAndWaitsForItsTime() throws InterruptedException {
        opened("A", "k1");
        assertThat(store.failed("A", "k1", 1, "no reply", Duration.ofSeconds(2)))
                .isTrue();
        assertThat(unfinished("k1").attempts()).isEqualTo(1);
        assertThat(unfinished("k1").lastError()).isEqualTo("no reply");
        advance(Duration.ofMillis(1_999));
        assertThat(store.claim(10, LEASE)).isEmpty();
        advance(Duration.ofMillis(1));
        assertThat(store.claim(10, LEASE)).hasSize(1);
        assertThat(unfinished("k1").attempts()).isEqualTo(1);
    }

    @Test
    void takesThoseWhoseLeaseEndedFirstAndNoMoreThanAskedFor() throws InterruptedException {
        for (String id : List.of("C", "A", "B")) {
            opened(id, "key of " + id);
            advance(Duration.ofSeconds(1));
        }
        advance(LEASE);

        assertThat(store.claim(2, LEASE)).extracting(Claim::id).containsExactly("C", "A");
        assertThat(store.claim(2, LEASE)).extracting(Claim::id).containsExactly("B");
        assertThat(store.claim(2, LEASE)).isEmpty();
    }

    @Test
    void twoThatTakeOverAtOnceNeverGetTheSame() throws Exception {
        for (int i = 0; i < 100; i++) {
            opened("A" + i, "k" + i);
        }
        advance(LEASE);
        Set<Claim> claims = ConcurrentHashMap.newKeySet();
        List<FutureTask<Void>> sweepers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            sweepers.add(start(() -> {
                List<Claim> got = store.claim(7, LEASE);
                while (!got.isEmpty()) {
                    for (Claim claim : got) {
                        assertThat(claims.add(claim)).isTrue();
                    }
                    got = store.claim(7, LEASE);
                }
            }));
        }
        join(sweepers);
        claims.addAll(store.claim(100, LEASE)); // one that was locked by another's look comes later

        assertThat(claims)
                .hasSize(100)
                .allSatisfy(claim -> assertThat(claim.fence()).isEqualTo(2));
    }

    @Test
    void aLookForWhatIsLeftBehindWaitsForNoEntity() throws Exception {
        opened("A", "k1");
        opened("B", "k2");
        advance(LEASE);
        Held held = hold("A");

        assertThat(store.claim(10, LEASE)).extracting(Claim::id).containsExactly("B");

        held.letGo();
        assertThat(store.claim(10, LEASE)).extracting(Claim::id).containsExactly("A");
    }

    @Test
    void whatIsParkedWaitsForAPerson() throws InterruptedException {
        opened("A", "k1");
        opened("B", "k2");
        assertThat(store.park("A", "k1", 1, "the code has changed")).isTrue();
        advance(LEASE);

        assertThat(store.claim(10, LEASE)).extracting(Claim::id).containsExactly("B");
        assertThat(store.parked(10)).extracting(ActionRow::key).containsExactly("k1");
        assertThat(store.parked(10).getFirst().lastError()).isEqualTo("the code has changed");
        assertThat(store.renew("A", "k1", 1, LEASE)).isFalse();
        assertThat(store.unpark("B", "k2")).isFalse();
        assertThat(store.unpark("A", "k2")).isFalse();
        assertThat(store.unpark("C", "k1")).isFalse();

        assertThat(store.unpark("A", "k1")).isTrue();
        assertThat(store.unpark("A", "k1")).isFalse();
        assertThat(store.parked(10)).isEmpty();
        assertThat(store.claim(10, LEASE)).containsExactly(new Claim("A", "k1", 2));
    }

    @Test
    void aParkedActionCanBeClosed() throws InterruptedException {
        opened("A", "k1");
        store.park("A", "k1", 1, "why");
        assertThat(did("A", tx -> tx.close("k1", 1, State.DONE, "receipt", "resolved")))
                .isTrue();
        assertThat(store.parked(10)).isEmpty();
        assertThat(store.actions("A").getFirst().lastError()).isEqualTo("resolved");
    }

    @Test
    void countsWhatIsUnfinished() throws InterruptedException {
        assertThat(store.figures().open()).isZero();
        assertThat(store.figures().oldestOpen()).isZero();
        opened("A", "k1");
        advance(Duration.ofSeconds(2));
        opened("B", "k2");
        opened("C", "k3");
        store.park("C", "k3", 1, "why");
        advance(Duration.ofSeconds(1));
        store.claim(1, LEASE); // a store may count at each look only

        assertThat(store.figures().open()).isEqualTo(2);
        assertThat(store.figures().parked()).isEqualTo(1);
        assertThat(store.figures().oldestOpen()).isEqualTo(Duration.ofSeconds(3));
    }

    // ---- what was done and declined

    @Test
    void findsTheNewestResultThatIsNotUndone() {
        create("A");
        for (String key : List.of("k1", "k2")) {
            open("A", key);
            close("A", key, 1, State.DONE, "receipt of " + key);
        }
        assertThat(undoable("A", "pack")).isEmpty();
        assertThat(undoable("A", "charge")).map(ActionRow::key).contains("k2");

        undo("A", "u2", "k2", State.DECLINED);
        assertThat(undoable("A", "charge"))
                .as("the undo did not happen")
                .map(ActionRow::key)
                .contains("k2");
        undo("A", "u3", "k2", State.DONE);
        assertThat(undoable("A", "charge")).map(ActionRow::result).contains("receipt of k1");
        undo("A", "u4", "k1", State.DONE);
        assertThat(undoable("A", "charge")).isEmpty();
    }

    private Optional<ActionRow<String>> undoable(String id, String action) {
        return transact(id, tx -> tx.undoable(action));
    }

    private void undo(String id, String key, String undoes, State end) {
        transact(id, tx -> {
            tx.open(row(tx, key, id, "charge", true, undoes));
            return true;
        });
        close(id, key, 1, end, null);
    }

    @Test
    void countsTheDeclinesOfThisVersion() {
        create("A");
        for (String key : List.of("k1", "k2")) {
            open("A", key);
            close("A", key, 1, State.DECLINED, null);
        }
        undo("A", "u1", "k0", State.DECLINED);

        assertThat(declined("A", "charge", false)).isEqualTo(2);
        assertThat(declined("A", "charge", true)).isEqualTo(1);
        assertThat(declined("A", "pack", false)).isZero();
        append("A", "paid", "pay");
        assertThat(declined("A", "charge", false)).isZero();
    }

    private int declined(String id, String action, boolean undo) {
        return transact(id, tx -> tx.declined(action, undo));
    }

    // ---- event ids

    @Test
    void remembersWhatAnEventIdWasAnsweredWith() {
        Committed<String, String> placed = create("A");
        create("B");
        Declined<String, String> no = new Declined<>("A", "placed", "pay", "charge", "no money", placed.at());
        transact("A", tx -> {
            tx.answer("e1", new Answered<>("pay", no));
            return true;
        });
        Committed<String, String> paid = transact("A", tx -> {
            Committed<String, String> next = append(tx, "A", "paid", "pay");
            tx.answer("e2", new Answered<>("pay", next));
            return next;
        });

        assertThat(store.answered("A", "e1")).contains(new Answered<>("pay", no));
        assertThat(store.answered("A", "e2")).contains(new Answered<>("pay", paid));
        assertThat(look("A", tx -> tx.answered("e1"))).contains(new Answered<>("pay", no));
        assertThat(store.answered("A", "e3")).isEmpty();
        assertThat(store.answered("B", "e1")).as("an id is the entity's own").isEmpty();
    }

    // ---- timers

    @Test
    void handsOutATimerWhenItIsDueAndNotBefore() throws InterruptedException {
        arm("A", 5, "late");
        advance(Duration.ofMillis(4_999));
        assertThat(store.claimTimers(10, LEASE)).isEmpty();
        advance(Duration.ofMillis(1));
        List<ArmedTimer<String>> due = store.claimTimers(10, LEASE);
        assertThat(due).extracting(ArmedTimer::event).containsExactly("late");
        assertThat(due.getFirst().id()).isEqualTo("A");
        assertThat(due.getFirst().version()).isEqualTo(1);
    }

    private void arm(String id, int seconds, String event) {
        create(id);
        transact(id, tx -> {
            tx.arm(tx.now().plusSeconds(seconds), event);
            return true;
        });
    }

    @Test
    void aTimerThatWasHandedOutComesAgainWhenNobodyFiredIt() throws InterruptedException {
        arm("A", 0, "late");
        assertThat(store.claimTimers(10, LEASE)).hasSize(1);
        assertThat(store.claimTimers(10, LEASE)).isEmpty();
        advance(LEASE);
        assertThat(store.claimTimers(10, LEASE)).hasSize(1);
    }

    @Test
    void aTimerFiresOnce() throws InterruptedException {
        arm("A", 0, "late");
        ArmedTimer<String> timer = store.claimTimers(10, LEASE).getFirst();
        assertThat(did("A", tx -> tx.disarm(timer))).isTrue();
        assertThat(did("A", tx -> tx.disarm(timer))).isFalse();
        advance(LEASE);
        assertThat(store.claimTimers(10, LEASE)).isEmpty();
    }

    @Test
    void aCommitTakesTheTimersOfEarlierVersionsAway() throws InterruptedException {
        arm("A", 0, "late");
        ArmedTimer<String> timer = store.claimTimers(10, LEASE).getFirst();
        append("A", "placed", "note");

        assertThat(did("A", tx -> tx.disarm(timer))).isFalse();
        advance(LEASE);
        assertThat(store.claimTimers(10, LEASE)).isEmpty();
    }

    @Test
    void aCommitSetsTimersForItsOwnVersion() throws InterruptedException {
        arm("A", 0, "old");
        transact("A", tx -> {
            append(tx, "A", "paid", "pay");
            tx.arm(tx.now().plusSeconds(1), "first");
            tx.arm(tx.now().plusSeconds(2), "second");
            return true;
        });
        advance(Duration.ofSeconds(2));

        List<ArmedTimer<String>> due = store.claimTimers(10, LEASE);
        assertThat(due).extracting(ArmedTimer::event).containsExactly("first", "second");
        assertThat(due).extracting(ArmedTimer::version).containsOnly(2L);
        assertThat(new HashSet<>(due)).hasSize(2);
        assertThat(did("A", tx -> tx.disarm(due.getLast()))).isTrue();
        assertThat(did("A", tx -> tx.disarm(due.getFirst()))).isTrue();
    }

    @Test
    void timersWaitWhileAnActionIsUnfinished() throws InterruptedException {
        arm("A", 1, "late");
        open("A", "k1");
        advance(Duration.ofSeconds(1));
        assertThat(store.claimTimers(10, LEASE)).isEmpty();
        store.park("A", "k1", 1, "why");
        assertThat(store.claimTimers(10, LEASE)).isEmpty();
        close("A", "k1", 1, State.DECLINED, null);
        assertThat(store.claimTimers(10, LEASE)).hasSize(1);
    }

    @Test
    void handsOutNoMoreTimersThanAskedFor() throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            arm("A" + i, i, "late");
        }
        advance(Duration.ofSeconds(10));
        assertThat(store.claimTimers(3, LEASE)).extracting(ArmedTimer::id).containsExactly("A0", "A1", "A2");
        assertThat(store.claimTimers(3, LEASE)).extracting(ArmedTimer::id).containsExactly("A3", "A4");
    }

    @Test
    void saysWhenThereMayBeSomethingToDo() {
        assertThat(store.nextDue()).isEmpty();
        opened("A", "k1");
        assertThat(store.nextDue().orElse(LEASE)).isLessThanOrEqualTo(LEASE);
        arm("B", 5, "late");
        assertThat(store.nextDue().orElse(Duration.ZERO)).isLessThanOrEqualTo(Duration.ofSeconds(5));
        advance(Duration.ofMinutes(1));
        assertThat(store.nextDue().orElse(Duration.ZERO)).isZero();
    }

    // ---- outbox

    @Test
    void keepsMessagesInTheOrderOfTheirCommits() {
        create("A");
        for (int i = 0; i < 3; i++) {
            OutboxMessage message = new OutboxMessage("m" + i, "A", "mail", "paid", "text");
            transact("A", tx -> {
                append(tx, "A", "paid", "pay");
                tx.add(message);
                return true;
            });
        }
        assertThat(store.outbox(2)).extracting(OutboxMessage::id).containsExactly("m0", "m1");
        assertThat(store.sent("m0")).isTrue();
        assertThat(store.sent("m0")).isFalse();
        assertThat(store.outbox(10)).extracting(OutboxMessage::id).containsExactly("m1", "m2");
    }

    // ---- what is refused

    @Test
    void refusesWhatNoStoreCanKeep() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> transact(" ", tx -> true))
                .withMessageContaining("id");
        assertThatNullPointerException().isThrownBy(() -> transact("A", null));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.claim(0, LEASE))
                .withMessageContaining("max")
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.claim(1, Duration.ZERO))
                .withMessageContaining("lease");
        create("A");
        open("A", "k1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> close("A", "k1", 1, State.PARKED, null))
                .withMessageContaining("PARKED");
    }
}

package io.heptad.gate.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.gate.PhaseStoreContract;
import io.heptad.core.BusyException;
import io.heptad.gate.Committed;
import io.heptad.gate.OutboxMessage;
import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.gate.PhaseStore.Answered;
import io.heptad.gate.PhaseStore.ArmedTimer;
import io.heptad.gate.PhaseStore.Claim;
import io.heptad.gate.PhaseStore.State;
import io.heptad.gate.PhaseStore.Transaction;
import io.heptad.gate.PhaseStore.Unit;
import io.heptad.gate.UnreadableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is asked of a store in a database besides: of any database. */
abstract class JdbcPhaseStoreContract extends PhaseStoreContract {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    final TestDatabase database;
    final String gate = "test " + UUID.randomUUID();
    private final TestClock clock;
    final Wire wire;
    final JdbcPhaseStore<String, String> store;

    JdbcPhaseStoreContract(TestDatabase database) {
        this.database = database;
        this.wire = new Wire(database.source());
        this.clock = new TestClock(database, gate);
        this.store = another(texts().build());
    }

    static CodecBuilder texts() {
        return Codec.builder(value -> ((String) value).getBytes(UTF_8), (bytes, type) -> new String(bytes, UTF_8))
                .type("text", 1, String.class);
    }

    /** A second instance: nothing is shared but the database. */
    JdbcPhaseStore<String, String> another(Codec codec) {
        return new JdbcPhaseStore<>(gate, new Database(wire), database.dialect().at(clock.expression()), codec);
    }

    @Override
    protected JdbcPhaseStore<String, String> store() {
        return store;
    }

    @Override
    protected void advance(Duration by) {
        clock.advance(by);
    }

    @AfterEach
    void everyConnectionIsGivenBack() throws SQLException {
        wire.heal();
        assertThat(wire.connectionsOut()).isZero();
        wire.close();
    }

    static <T> T transact(JdbcPhaseStore<String, String> store, String id, Unit<String, String, T> unit) {
        try {
            return store.transact(id, PATIENCE, unit);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static Committed<String, String> append(Transaction<String, String> tx, String id, String phase) {
        long version = tx.current().map(Committed::version).orElse(0L) + 1;
        Committed<String, String> next = new Committed<>(id, version, phase, version == 1 ? null : "event", tx.now());
        tx.append(next);
        return next;
    }

    static Committed<String, String> append(JdbcPhaseStore<String, String> store, String id, String phase) {
        return transact(store, id, tx -> append(tx, id, phase));
    }

    static ActionRow<String> row(Transaction<String, String> tx, String id, String key) {
        return new ActionRow<>(
                key,
                id,
                "charge",
                false,
                null,
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

    static void open(JdbcPhaseStore<String, String> store, String id, String key) {
        transact(store, id, tx -> {
            tx.open(row(tx, id, key));
            return true;
        });
    }

    // ---- statements

    @Test
    void asksTheDatabaseAsOftenAsThePageSays() throws InterruptedException {
        boolean postgresql = database == TestDatabase.POSTGRESQL;
        Object ignored = wire.asked();

        append(store, "A", "placed");
        assertThat(wire.asked())
                .as("a new entity")
                .hasSize((postgresql ? 3 : 4) + 1)
                .endsWith(Wire.COMMIT);

        transact(store, "A", tx -> {
            assertThat(tx.current()).isPresent();
            assertThat(tx.answered("e1")).isEmpty();
            assertThat(tx.unfinished()).isEmpty();
            Committed<String, String> next = append(tx, "A", "noted");
            tx.answer("e1", new Answered<>("note", next));
            return next;
        });
        assertThat(wire.asked()).as("without an action").hasSize(4 + 1);

        transact(store, "A", tx -> {
            assertThat(tx.current()).isPresent();
            assertThat(tx.answered("e2")).isEmpty();
            assertThat(tx.unfinished()).isEmpty();
            assertThat(tx.declined("charge", false)).isZero();
            tx.open(row(tx, "A", "k1"));
            return true;
        });
        assertThat(wire.asked()).as("T1").hasSize(3 + 1);

        transact(store, "A", tx -> {
            assertThat(tx.current()).isPresent();
            assertThat(tx.close("k1", 1, State.DONE, "receipt", null)).isTrue();
            Committed<String, String> next = append(tx, "A", "paid");
            tx.answer("e2", new Answered<>("pay", next));
            return next;
        });
        assertThat(wire.asked()).as("T2").hasSize(4 + 1);

        transact(store, "A", tx -> {
            Committed<String, String> next = append(tx, "A", "noted");
            tx.arm(tx.now(), "late");
            tx.arm(tx.now(), "later");
            tx.add(new OutboxMessage("m1", "A", "mail", "paid", "text"));
            tx.add(new OutboxMessage("m2", "A", "mail", "paid", "text"));
            return next;
        });
        assertThat(wire.asked()).as("timers and messages, two each").hasSize(3 + 2 + 1);

        append(store, "A", "noted");
        assertThat(wire.asked()).as("a commit that takes timers away").hasSize(3 + 1 + 1);

        assertThat(store.claim(10, LEASE)).isEmpty();
        assertThat(wire.asked()).as("a look at actions").hasSize(2 + 1);
        assertThat(store.claimTimers(10, LEASE)).isEmpty();
        assertThat(wire.asked()).as("a look at timers").hasSize(1 + 1);

        open(store, "A", "k2");
        ignored = wire.asked();
        assertThat(store.renew("A", "k2", 1, LEASE)).isTrue();
        assertThat(wire.asked()).as("a heartbeat, which is its own commit").hasSize(1);
        advance(LEASE);
        assertThat(store.claim(10, LEASE)).hasSize(1);
        assertThat(wire.asked()).as("a look that takes over").hasSize(4 + 1);
    }

    // ---- several instances

    @Test
    void oneUnitAtATimeAlsoInTwoInstances() throws Exception {
        JdbcPhaseStore<String, String> other = another(texts().build());
        List<FutureTask<Void>> writers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            JdbcPhaseStore<String, String> mine = i % 2 == 0 ? store : other;
            writers.add(start(() -> {
                for (int n = 0; n < 25; n++) {
                    append(mine, "A", "phase");
                }
            }));
        }
        for (FutureTask<Void> writer : writers) {
            writer.get();
        }
        assertThat(store.history("A"))
                .extracting(Committed::version)
                .hasSize(100)
                .isSorted()
                .doesNotHaveDuplicates();
    }

    interface Work {
        void run() throws Exception;
    }

    static FutureTask<Void> start(Work work) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            work.run();
            return null;
        });
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    @Test
    void waitsForAnotherInstanceNoLongerThanItHasPatience() throws Exception {
        append(store, "A", "placed");
        JdbcPhaseStore<String, String> other = another(texts().build());
        inOther(other, () -> {
            assertThatThrownBy(() -> store.transact("A", Duration.ofMillis(300), tx -> true))
                    .isInstanceOf(BusyException.class)
                    .hasMessageContaining("A")
                    .hasMessageContaining("PT0.3S");
            assertThatThrownBy(() -> store.transact("A", Duration.ZERO, tx -> true))
                    .isInstanceOf(BusyException.class);
        });
        assertThat(append(store, "A", "paid").version()).isEqualTo(2);
    }

    /** While another instance is inside of the entity A. */
    private static void inOther(JdbcPhaseStore<String, String> other, Work work) throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        FutureTask<Void> task = start(() -> {
            boolean ignored = transact(other, "A", tx -> {
                inside.countDown();
                try {
                    return gate.await(30, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
        });
        inside.await();
        try {
            work.run();
        } finally {
            gate.countDown();
            task.get();
        }
    }

    @Test
    void anInterruptEndsTheWaitForAnotherInstance() throws Exception {
        append(store, "A", "placed");
        inOther(another(texts().build()), () -> {
            FutureTask<String> waiter = new FutureTask<>(() -> {
                try {
                    return store.transact("A", Duration.ofSeconds(30), tx -> "ran");
                } catch (InterruptedException e) {
                    return "interrupted";
                }
            });
            Thread thread = Thread.ofPlatform().unstarted(waiter);
            AtomicInteger looks = new AtomicInteger();
            wire.fault(boundary -> {
                if (Thread.currentThread() == thread
                        && boundary.startsWith("before SELECT")
                        && looks.incrementAndGet() == 3) {
                    thread.interrupt(); // it has waited at the database already, and waits there again
                }
            });
            thread.start();
            assertThat(waiter.get()).isEqualTo("interrupted");
        });
        assertThat(append(store, "A", "paid").version()).isEqualTo(2);
    }

    @Test
    void oneThatWaitedReadsWhatTheOtherHasLeft() throws Exception {
        append(store, "A", "placed");
        JdbcPhaseStore<String, String> other = another(texts().build());
        CountDownLatch inside = new CountDownLatch(1);
        FutureTask<Void> opening = start(() -> transact(other, "A", tx -> {
            inside.countDown();
            while (!isWaiting("A")) {
                Thread.onSpinWait();
            }
            tx.open(row(tx, "A", "k1"));
            return true;
        }));
        inside.await();
        Optional<ActionRow<String>> seen = transact(store, "A", Transaction::unfinished);
        assertThat(seen)
                .as("a row that was opened while this one waited for the lock")
                .map(ActionRow::key)
                .contains("k1");
        opening.get();
    }

    /** Whether this store's caller has asked for the lock. */
    private boolean isWaiting(String id) {
        return store.isInside(id);
    }

    @Test
    void gatesThatShareTheTablesDoNotSeeEachOther() throws InterruptedException {
        JdbcPhaseStore<String, String> other = new JdbcPhaseStore<>(
                gate + "b", new Database(wire), database.dialect().at(clock.expression()), texts().build());
        append(store, "A", "placed");
        open(store, "A", "k1");
        transact(store, "A", tx -> {
            tx.arm(tx.now(), "late");
            tx.add(new OutboxMessage("m1", "A", "mail", "paid", "text"));
            return true;
        });
        advance(LEASE);

        assertThat(other.current("A")).isEmpty();
        assertThat(other.claim(10, LEASE)).isEmpty();
        assertThat(other.claimTimers(10, LEASE)).isEmpty();
        assertThat(other.nextDue()).isEmpty();
        assertThat(other.unfinished("k1")).isEmpty();
        assertThat(other.outbox(10)).isEmpty();
        assertThat(other.sent("m1")).isFalse();
        assertThat(append(other, "A", "another").version()).isEqualTo(1);
        open(other, "A", "k1");
        assertThat(store.claim(10, LEASE)).containsExactly(new Claim("A", "k1", 2));
    }

    /** Does something once, right before the first statement that begins so. */
    private void onceBefore(String statement, Work work) {
        AtomicInteger times = new AtomicInteger();
        wire.fault(boundary -> {
            if (boundary.startsWith("before " + statement) && times.incrementAndGet() == 1) {
                try {
                    work.run();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
        });
    }

    @Test
    void runsTheUnitAgainWhenAnotherInstanceMakesTheEntityFirst() {
        JdbcPhaseStore<String, String> other = another(texts().build());
        AtomicInteger runs = new AtomicInteger();
        onceBefore(
                "INSERT INTO heptad_entity",
                () -> assertThat(append(other, "A", "theirs").version()).isEqualTo(1));

        Committed<String, String> mine = transact(store, "A", tx -> {
            runs.incrementAndGet();
            return append(tx, "A", "mine");
        });

        assertThat(mine.version()).isEqualTo(2);
        assertThat(runs).hasValue(2);
        assertThat(store.history("A")).extracting(Committed::phase).containsExactly("theirs", "mine");
    }

    @Test
    void doesNotTakeOverWhatIsRenewedAtTheLastMoment() throws InterruptedException {
        append(store, "A", "placed");
        open(store, "A", "k1");
        advance(LEASE);
        JdbcPhaseStore<String, String> other = another(texts().build());
        onceBefore(
                "SELECT id FROM heptad_entity",
                () -> assertThat(other.renew("A", "k1", 1, LEASE)).isTrue());

        assertThat(store.claim(10, LEASE)).isEmpty();
        assertThat(store.renew("A", "k1", 1, LEASE))
                .as("it is still the first one's")
                .isTrue();
    }

    @Test
    void takesThoseWhoseLeaseEndedFirstAlsoWhereOneWasRenewed() throws InterruptedException {
        for (String id : List.of("A", "B", "C")) {
            append(store, id, "placed");
            open(store, id, "key of " + id);
            advance(Duration.ofSeconds(1));
        }
        assertThat(store.renew("A", "key of A", 1, LEASE)).isTrue();
        advance(LEASE);
        assertThat(store.claim(2, LEASE)).extracting(Claim::id).containsExactly("B", "C");
    }

    @Test
    void doesNotHandOutATimerThatAnotherLookHasTakenAtTheLastMoment() throws InterruptedException {
        append(store, "A", "placed");
        transact(store, "A", tx -> {
            tx.arm(tx.now(), "late");
            return true;
        });
        JdbcPhaseStore<String, String> other = another(texts().build());
        onceBefore(
                "SELECT position",
                () -> assertThat(other.claimTimers(10, LEASE)).hasSize(1));

        assertThat(store.claimTimers(10, LEASE)).isEmpty();
    }

    @Test
    void keepsNoTimerThatCannotFireAnyMore() throws SQLException {
        append(store, "A", "placed");
        transact(store, "A", tx -> {
            append(tx, "A", "noted");
            tx.arm(tx.now().plus(LEASE), "late");
            return true;
        });
        assertThat(timers()).isEqualTo(1);
        append(store, "A", "noted");
        assertThat(timers()).isZero();
    }

    private int timers() throws SQLException {
        try (Connection connection = wire.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("SELECT COUNT(*) FROM heptad_timer WHERE gate = ?")) {
            statement.setString(1, gate);
            try (ResultSet row = statement.executeQuery()) {
                assertThat(row.next()).isTrue();
                return row.getInt(1);
            }
        }
    }

    // ---- when the database fails

    @Test
    void saysThatTheDatabaseIsAwayAndGoesOnWhenItIsBack() throws InterruptedException {
        append(store, "A", "placed");
        open(store, "A", "k1");
        wire.cut();
        assertThatThrownBy(() -> store.transact("A", PATIENCE, tx -> true))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("A")
                .hasMessageContaining("08001");
        assertThatThrownBy(() -> store.renew("A", "k1", 1, LEASE)).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store.claim(1, LEASE)).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store.current("A")).isInstanceOf(StoreException.class);
        assertThatThrownBy(store::nextDue).isInstanceOf(StoreException.class);
        wire.heal();
        assertThat(store.renew("A", "k1", 1, LEASE)).isTrue();
    }

    @Test
    void aCutAtAnyBoundaryLeavesAllOrNothing() {
        List<String> boundaries = new ArrayList<>();
        Unit<String, String, Boolean> unit = tx -> {
            Committed<String, String> next = append(tx, "A", "paid");
            tx.answer("e" + next.version(), new Answered<>("pay", next));
            tx.arm(tx.now(), "late");
            tx.add(new OutboxMessage("m" + next.version(), "A", "mail", "paid", "text"));
            tx.open(row(tx, "A", "k" + next.version()));
            return true;
        };
        append(store, "A", "placed");
        transact(store, "A", unit);
        transact(store, "A", tx -> tx.close("k2", 1, State.DONE, null, null));
        wire.fault(boundaries::add);
        transact(store, "A", unit);
        wire.heal();
        assertThat(boundaries).hasSizeGreaterThan(14);

        for (int cut = 0; cut < boundaries.size(); cut++) {
            long before = store.current("A").orElseThrow().version();
            transact(store, "A", tx -> tx.close("k" + before, 1, State.DONE, null, null));
            AtomicInteger count = new AtomicInteger(-1);
            int at = cut;
            wire.fault(boundary -> {
                if (count.incrementAndGet() >= at) {
                    throw new SQLException("cut at " + boundary, "08006");
                }
            });
            assertThatThrownBy(() -> transact(store, "A", unit)).isInstanceOf(StoreException.class);
            wire.heal();

            String where = boundaries.get(cut);
            boolean all = where.equals("after " + Wire.COMMIT);
            long version = all ? before + 1 : before;
            assertThat(store.current("A")).as(where).map(Committed::version).contains(version);
            assertThat(store.history("A")).as(where).hasSize((int) version);
            assertThat(store.answered("A", "e" + (before + 1)).isPresent())
                    .as(where)
                    .isEqualTo(all);
            assertThat(store.unfinished("k" + (before + 1)).isPresent())
                    .as(where)
                    .isEqualTo(all);
            assertThat(store.outbox(1_000).stream()
                            .anyMatch(message -> message.id().equals("m" + (before + 1))))
                    .as(where)
                    .isEqualTo(all);
            if (!all) {
                transact(store, "A", unit);
            }
        }
    }

    @Test
    void aRollbackThatFailsCommitsNothing() {
        append(store, "A", "placed");
        wire.fault(boundary -> {
            if (boundary.equals("before ROLLBACK")) {
                throw new SQLException("broken", "08006");
            }
        });
        assertThatThrownBy(() -> transact(store, "A", tx -> {
                    append(tx, "A", "paid");
                    tx.open(row(tx, "A", "k1"));
                    throw new IllegalStateException("cut");
                }))
                .hasMessage("cut");
        wire.heal();
        assertThat(store.current("A")).map(Committed::version).contains(1L);
        assertThat(store.unfinished("k1")).isEmpty();
        assertThat(append(store, "A", "paid").version()).isEqualTo(2);
    }

    @Test
    void runsTheUnitAgainWhenTwoWereInEachOthersWay() {
        append(store, "A", "placed");
        AtomicInteger conflicts = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        wire.fault(boundary -> {
            if (boundary.startsWith("before INSERT INTO heptad_event") && conflicts.incrementAndGet() <= 3) {
                throw new SQLException("serialize", "40001");
            }
        });
        transact(store, "A", tx -> {
            runs.incrementAndGet();
            return append(tx, "A", "paid");
        });
        assertThat(runs).hasValue(4);
        assertThat(store.current("A")).map(Committed::version).contains(2L);
    }

    @Test
    void givesUpOnAConflictThatDoesNotEnd() {
        append(store, "A", "placed");
        wire.fault(boundary -> {
            if (boundary.equals("before " + Wire.COMMIT)) {
                throw new SQLException("serialize", "40001");
            }
        });
        assertThatThrownBy(() -> append(store, "A", "paid"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("40001");
        wire.heal();
        assertThat(store.current("A")).map(Committed::version).contains(1L);
    }

    @Test
    void commitsNothingAfterARefusalThatTheUnitHasSwallowed() {
        append(store, "A", "placed");
        wire.fault(boundary -> {
            if (boundary.startsWith("before INSERT INTO heptad_action")) {
                throw new SQLException("no", "58030");
            }
        });
        assertThatThrownBy(() -> transact(store, "A", tx -> {
                    try {
                        tx.open(row(tx, "A", "k1"));
                    } catch (StoreException swallowed) {
                        // and on
                    }
                    return append(tx, "A", "paid");
                }))
                .isInstanceOf(StoreException.class);
        wire.heal();
        assertThat(store.current("A")).map(Committed::version).contains(1L);
    }

    // ---- what cannot be read

    @Test
    void aPayloadOfANewerVersionFailsTheOneCallThatReadsIt() throws InterruptedException {
        JdbcPhaseStore<String, String> newer = another(
                Codec.builder(value -> ((String) value).getBytes(UTF_8), (bytes, type) -> new String(bytes, UTF_8))
                        .type("text", 2, String.class)
                        .older("text", 1, bytes -> new String(bytes, UTF_8))
                        .build());
        append(store, "A", "placed");
        append(newer, "A", "paid");
        append(store, "B", "placed");

        assertThatThrownBy(() -> store.current("A"))
                .isInstanceOf(UnreadableException.class)
                .hasMessageContaining("A: ")
                .hasMessageContaining("text")
                .hasMessageContaining("2")
                .extracting(thrown -> ((UnreadableException) thrown).version())
                .isEqualTo(2);
        assertThatThrownBy(() -> transact(store, "A", Transaction::current)).isInstanceOf(UnreadableException.class);
        assertThatThrownBy(() -> store.history("A")).isInstanceOf(UnreadableException.class);
        assertThat(store.current("B")).isPresent();
        assertThat(newer.current("A")).map(Committed::phase).contains("paid");
        assertThat(newer.history("A")).extracting(Committed::phase).containsExactly("placed", "paid");
    }

    @Test
    void looksPassByWhatTheyCannotReadAndCountIt() throws InterruptedException {
        JdbcPhaseStore<String, String> newer = another(
                Codec.builder(value -> ((String) value).getBytes(UTF_8), (bytes, type) -> new String(bytes, UTF_8))
                        .type("new text", 1, String.class)
                        .older("text", 1, bytes -> new String(bytes, UTF_8))
                        .build());
        for (int i = 0; i < 5; i++) {
            String id = "new " + i;
            append(newer, id, "placed");
            transact(newer, id, tx -> {
                tx.arm(tx.now(), "late");
                return true;
            });
            append(newer, id + "a", "placed");
            open(newer, id + "a", "key of " + id);
        }
        append(store, "old", "placed");
        open(store, "old", "old key");
        append(store, "old timer", "placed");
        transact(store, "old timer", tx -> {
            tx.arm(tx.now(), "late");
            return true;
        });
        advance(LEASE);

        assertThat(store.claim(2, LEASE)).containsExactly(new Claim("old", "old key", 2));
        assertThat(store.claimTimers(2, LEASE)).extracting(ArmedTimer::id).containsExactly("old timer");
        assertThat(store.figures().unreadable()).isEqualTo(10);
        assertThat(store.figures().open()).isEqualTo(6);
        assertThat(store.claim(2, LEASE)).isEmpty();
        assertThat(store.nextDue())
                .as("no circle")
                .hasValueSatisfying(left -> assertThat(left).isPositive());

        assertThat(newer.claim(100, LEASE))
                .extracting(Claim::key)
                .hasSize(5)
                .as("nothing was touched")
                .allMatch(key -> key.startsWith("key of new"));
        assertThat(newer.claimTimers(100, LEASE)).hasSize(5);
    }

    @Test
    void refusesAValueThatTheCodecDoesNotKnowAndWritesNothing() {
        JdbcPhaseStore<String, String> numbers = another(Codec.builder(value -> new byte[0], (bytes, type) -> 1)
                .type("number", 1, Integer.class)
                .build());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> append(numbers, "A", "placed"))
                .withMessageContaining("java.lang.String");
        assertThat(store.current("A")).isEmpty();
    }

    // ---- joining

    @Test
    void aLocalActionIsPartOfTheCommit() {
        database.execute("CREATE TABLE IF NOT EXISTS stock (gate varchar(100), item varchar(100))");
        append(store, "A", "placed");
        assertThat(store.joins(Connection.class)).isTrue();
        assertThat(store.joins(String.class)).isFalse();

        assertThatThrownBy(() -> transact(store, "A", tx -> {
                    insert(tx, "cup");
                    throw new IllegalStateException("cut");
                }))
                .hasMessage("cut");
        assertThat(stock()).isZero();

        transact(store, "A", tx -> {
            assertThat(tx.unwrap(String.class)).isEmpty();
            insert(tx, "cup");
            return append(tx, "A", "reserved");
        });
        assertThat(stock()).isEqualTo(1);
    }

    private void insert(Transaction<String, String> tx, String item) {
        Connection connection = tx.unwrap(Connection.class).orElseThrow();
        assertThatIllegalStateException().isThrownBy(connection::commit).withMessageContaining("commit");
        assertThatIllegalStateException().isThrownBy(connection::rollback);
        assertThatIllegalStateException().isThrownBy(connection::close);
        assertThatIllegalStateException().isThrownBy(() -> connection.setAutoCommit(true));
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO stock VALUES (?, ?)")) {
            statement.setString(1, gate);
            statement.setString(2, item);
            assertThat(statement.executeUpdate()).isEqualTo(1);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private int stock() {
        try (Connection connection = wire.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("SELECT COUNT(*) FROM stock WHERE gate = ?")) {
            statement.setString(1, gate);
            try (ResultSet row = statement.executeQuery()) {
                assertThat(row.next()).isTrue();
                return row.getInt(1);
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    // ---- texts and times

    @Test
    void keepsAnyTextThatIsOne() throws InterruptedException {
        String id = "Zażółć 🍵 'quoted' \"%_\\ ";
        append(store, id, "\u0000 phase \uD83C\uDF75");
        assertThat(store.current(id)).map(Committed::phase).contains("\u0000 phase \uD83C\uDF75");
        assertThat(append(store, id.strip(), "x").version()).as("another id").isEqualTo(1);
        assertThat(append(store, id.toUpperCase(java.util.Locale.ROOT), "x").version())
                .isEqualTo(1);
        open(store, id, "k1");
        assertThat(store.failed(id, "k1", 1, "\u0000 and half a \uD83C" + "x".repeat(10_000), LEASE))
                .isTrue();
        assertThat(store.unfinished("k1").orElseThrow().lastError())
                .startsWith("\uFFFD and half a \uFFFDx")
                .hasSizeLessThanOrEqualTo(4_000);
    }

    @Test
    void refusesIdsThatNoIndexTakes() {
        for (String id : List.of("x".repeat(201), "a\u0000b", "half \uD83C", " ")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> append(store, id, "placed"))
                    .withMessageStartingWith("id ");
        }
        String longest = "x".repeat(200);
        assertThat(append(store, longest, "placed").id()).isEqualTo(longest);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> transact(store, longest, tx -> {
                    tx.answer("x".repeat(201), new Answered<>("pay", append(tx, longest, "paid")));
                    return true;
                }))
                .withMessageStartingWith("eventId ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> transact(store, longest, tx -> {
                    tx.add(new OutboxMessage("m", "A", "mail", "paid", "\u0000"));
                    return true;
                }))
                .withMessageStartingWith("payload ");
    }

    @Test
    void timesWithoutAnEndEndAtTheEndOfTime() throws InterruptedException {
        append(store, "A", "placed");
        transact(store, "A", tx -> {
            tx.arm(Instant.MAX, "never");
            return true;
        });
        append(store, "B", "placed");
        open(store, "B", "k1");
        assertThat(store.renew("B", "k1", 1, Duration.ofSeconds(Long.MAX_VALUE)))
                .isTrue();
        assertThat(store.unfinished("k1").orElseThrow().leaseUntil()).isAfter(Instant.parse("2200-01-01T00:00:00Z"));
        assertThat(store.claimTimers(10, LEASE)).isEmpty();
        assertThat(store.nextDue()).hasValueSatisfying(left -> assertThat(left).isGreaterThan(Duration.ofDays(36_500)));
    }

    @Test
    void theTimeIsTheDatabases() throws SQLException, InterruptedException {
        JdbcPhaseStore<String, String> real = JdbcPhaseStore.of(gate + "r", wire, texts().build());
        Instant before = databaseTime();
        Instant first = append(real, "A", "placed").at();
        Instant second = append(real, "A", "paid").at();
        assertThat(first).isBetween(before, databaseTime());
        assertThat(second).isBetween(first, databaseTime());
        open(real, "A", "k1");
        assertThat(real.renew("A", "k1", 1, Duration.ofSeconds(60))).isTrue();
        assertThat(real.unfinished("k1").orElseThrow().leaseUntil())
                .isBetween(second.plusSeconds(60), databaseTime().plusSeconds(60));
        assertThat(real.nextDue().orElseThrow()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(60));
        assertThat(real.claim(10, LEASE)).isEmpty();
        assertThat(real.claimTimers(10, LEASE)).isEmpty();
    }

    private Instant databaseTime() throws SQLException {
        try (Connection connection = wire.getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "SELECT " + database.dialect().clock());
                ResultSet row = statement.executeQuery()) {
            assertThat(row.next()).isTrue();
            return Rows.time(row, 1);
        }
    }

    @Test
    void theTimeIsThatAtWhichTheLockWasHad() throws Exception {
        JdbcPhaseStore<String, String> real = JdbcPhaseStore.of(gate + "r", wire, texts().build());
        JdbcPhaseStore<String, String> other = JdbcPhaseStore.of(gate + "r", wire, texts().build());
        append(real, "A", "placed");
        CountDownLatch inside = new CountDownLatch(1);
        FutureTask<Instant> holder = new FutureTask<>(() -> transact(other, "A", tx -> {
            inside.countDown();
            while (!real.isInside("A")) {
                Thread.onSpinWait();
            }
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100);
            while (System.nanoTime() < until) {
                Thread.onSpinWait(); // so long that a time from before the wait is seen
            }
            try {
                return databaseTime();
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }));
        Thread.ofPlatform().daemon().start(holder);
        inside.await();
        Instant mine = transact(real, "A", Transaction::now);
        assertThat(mine).isAfterOrEqualTo(holder.get());
    }

    // ---- the interrupt that is there already

    @Test
    void servesAlsoAThreadThatIsInterrupted() throws InterruptedException {
        transact(store, "A", tx -> {
            tx.append(new Committed<>("A", 1, "placed", null, tx.now()));
            tx.add(new OutboxMessage("m1", "A", "mail", "paid", "text"));
            return true;
        });
        Thread.currentThread().interrupt();
        assertThat(store.current("A")).isPresent();
        assertThat(Thread.interrupted()).as("it is kept").isTrue();
        Thread.currentThread().interrupt();
        assertThat(store.sent("m1"))
                .as("a write, whose file or socket the interrupt would close")
                .isTrue();
        assertThat(Thread.interrupted()).as("it is kept").isTrue();
        assertThat(store.history("A")).hasSize(1);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> store.transact("A", PATIENCE, tx -> append(tx, "A", "paid")))
                .isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> store.claim(1, LEASE)).isInstanceOf(InterruptedException.class);
        assertThat(append(store, "A", "paid").version()).isEqualTo(2);
    }
}

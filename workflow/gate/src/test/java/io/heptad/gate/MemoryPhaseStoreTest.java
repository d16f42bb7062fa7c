package io.heptad.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.gate.ManualClock;
import io.heptad.contract.gate.PhaseStoreContract;
import io.heptad.core.FullException;
import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.gate.PhaseStore.Answered;
import io.heptad.gate.PhaseStore.State;
import io.heptad.gate.PhaseStore.Transaction;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The store in memory keeps the contract, and its bounds. */
class MemoryPhaseStoreTest extends PhaseStoreContract {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final ManualClock clock = new ManualClock();

    @Override
    protected PhaseStore<String, String> store() {
        return PhaseStore.inMemory(1_000, 100, clock);
    }

    @Override
    protected void advance(Duration by) {
        clock.advance(by);
    }

    private static Committed<String, String> append(PhaseStore<String, String> store, String id)
            throws InterruptedException {
        return store.transact(id, PATIENCE, tx -> append(tx, id));
    }

    private static Committed<String, String> append(Transaction<String, String> tx, String id) {
        Committed<String, String> next =
                new Committed<>(id, tx.current().map(Committed::version).orElse(0L) + 1, "phase", "event", tx.now());
        tx.append(next);
        return next;
    }

    @Test
    void keepsTheNewestOfTheHistoryAndTheFirstPhase() throws InterruptedException {
        PhaseStore<String, String> store = PhaseStore.inMemory(10, 3, clock);
        for (int i = 0; i < 10; i++) {
            append(store, "A");
        }
        assertThat(store.history("A")).extracting(Committed::version).containsExactly(8L, 9L, 10L);
        Optional<Committed<String, String>> first = store.transact("A", PATIENCE, Transaction::first);
        assertThat(first).map(Committed::version).contains(1L);
    }

    @Test
    void forgetsTheOldestEventIds() throws InterruptedException {
        PhaseStore<String, String> store = PhaseStore.inMemory(10, 3, clock);
        Committed<String, String> first = append(store, "A");
        for (int i = 0; i < 5; i++) {
            String eventId = "e" + i;
            store.transact("A", PATIENCE, tx -> {
                tx.answer(eventId, new Answered<>("event", first));
                return true;
            });
        }
        assertThat(LongStream.range(0, 5)
                        .mapToObj(i -> store.answered("A", "e" + i))
                        .map(Optional::isPresent))
                .containsExactly(false, false, true, true, true);
    }

    @Test
    void forgetsFinishedActionsButNotWhatAnUndoMayNeed() throws InterruptedException {
        PhaseStore<String, String> store = PhaseStore.inMemory(10, 3, clock);
        append(store, "A");
        action(store, "charge", "c1", State.DONE);
        for (int i = 0; i < 10; i++) {
            action(store, "pack", "p" + i, State.DECLINED);
        }
        assertThat(store.actions("A")).hasSize(3).extracting(ActionRow::key).contains("c1", "p9");
        Optional<ActionRow<String>> undoable = store.transact("A", PATIENCE, tx -> tx.undoable("charge"));
        assertThat(undoable).map(ActionRow::key).contains("c1");
        int declined = store.transact("A", PATIENCE, tx -> tx.declined("pack", false));
        assertThat(declined).as("the next key must be a new one").isEqualTo(10);
    }

    private static void action(PhaseStore<String, String> store, String action, String key, State end)
            throws InterruptedException {
        store.transact("A", PATIENCE, tx -> {
            tx.open(new ActionRow<>(
                    key,
                    "A",
                    action,
                    false,
                    null,
                    1,
                    State.OPEN,
                    1,
                    tx.now().plusSeconds(1),
                    "e",
                    "event",
                    "event",
                    "request",
                    null,
                    tx.now(),
                    0,
                    null));
            return tx.close(key, 1, end, "result", null);
        });
    }

    @Test
    void refusesOneEntityTooManyAndLeavesNothingOfIt() throws InterruptedException {
        PhaseStore<String, String> store = PhaseStore.inMemory(2, 3, clock);
        append(store, "A");
        append(store, "B");

        assertThatThrownBy(() -> append(store, "C"))
                .isInstanceOf(FullException.class)
                .hasMessageContaining("2");
        assertThat(store.current("C")).isEmpty();
        assertThat(append(store, "B").version()).as("those inside go on").isEqualTo(2);
        assertThatThrownBy(() -> append(store, "C")).isInstanceOf(FullException.class);
    }

    @Test
    void aFullOutboxRefusesTheWholeCommit() throws InterruptedException {
        PhaseStore<String, String> store = PhaseStore.inMemory(2, 3, clock);
        append(store, "A");
        for (int i = 0; i < 2; i++) {
            addMessage(store, "A", "m" + i);
        }

        assertThatThrownBy(() -> addMessage(store, "A", "m2")).isInstanceOf(FullException.class);
        assertThatThrownBy(() -> addMessage(store, "B", "m3")).isInstanceOf(FullException.class);
        assertThat(store.current("A")).map(Committed::version).contains(3L);
        store.sent("m0");
        addMessage(store, "A", "m2");
        assertThat(store.current("A")).map(Committed::version).contains(4L);
        store.sent("m1");
        addMessage(store, "B", "m3");
        assertThat(store.current("B"))
                .as("the place of the one refused was given back")
                .isPresent();
    }

    private static void addMessage(PhaseStore<String, String> store, String id, String message)
            throws InterruptedException {
        store.transact(id, PATIENCE, tx -> {
            append(tx, id);
            tx.add(new OutboxMessage(message, id, "mail", "type", ""));
            return true;
        });
    }

    @Test
    void refusesBoundsThatHoldNothing() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PhaseStore.inMemory(0, 1, InstantSource.system()))
                .withMessageContaining("entities")
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PhaseStore.inMemory(1, -1, InstantSource.system()))
                .withMessageContaining("history")
                .withMessageContaining("-1");
    }

    @Test
    void itsOwnClockIsTheTimeOfDay() throws InterruptedException {
        PhaseStore<String, String> store = PhaseStore.inMemory();
        assertThat(append(store, "A").at())
                .isBetween(java.time.Instant.now().minusSeconds(60), java.time.Instant.now());
    }
}

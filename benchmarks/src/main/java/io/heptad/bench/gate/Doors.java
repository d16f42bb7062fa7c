package io.heptad.bench.gate;

import com.github.oxo42.stateless4j.StateMachine;
import com.github.oxo42.stateless4j.StateMachineConfig;
import io.heptad.bench.gate.Door.Open;
import io.heptad.bench.gate.Door.Turn;
import io.heptad.gate.Committed;
import io.heptad.gate.Gate;
import io.heptad.gate.PhaseStore;
import io.heptad.gate.jdbc.JdbcPhaseStore;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import javax.sql.DataSource;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.statemachine.StateMachineEventResult;
import org.springframework.statemachine.config.StateMachineBuilder;
import reactor.core.publisher.Mono;

/** Doors by id, and the several ways to turn one at a time. */
interface Doors extends AutoCloseable {
    void create(String id) throws Exception;

    void turn(String id, Turn turn) throws Exception;

    /** How often it was turned. */
    long turns(String id) throws Exception;

    @Override
    default void close() {}

    /** In memory. */
    static Doors of(String peer, LongAdder pushes) {
        return switch (peer) {
            case "heptad" -> new Gated(gate(PhaseStore.inMemory(), pushes));
            case "stateless4j" -> new Locked(id -> stateless(pushes));
            case "Spring Statemachine" -> new Locked(id -> spring(pushes));
            default -> throw new IllegalArgumentException("peer is " + peer);
        };
    }

    /** In a database. */
    static Doors of(String peer, DataSource source, LongAdder pushes) {
        return switch (peer) {
            case "heptad" -> new Gated(gate(JdbcPhaseStore.of("doors", source, Door.CODEC), pushes));
            case "hand-written" -> new HandWritten("doors", source, pushes);
            default -> throw new IllegalArgumentException("peer is " + peer);
        };
    }

    private static Gate<Door, Turn> gate(PhaseStore<Door, Turn> store, LongAdder pushes) {
        return Gate.<Door, Turn>builder("doors", Door::next)
                .store(store)
                .irreversible(Door.PUSH, attempt -> push(pushes))
                .build();
    }

    static String push(LongAdder pushes) {
        pushes.increment();
        return "pushed";
    }

    // ---- ours

    record Gated(Gate<Door, Turn> gate) implements Doors {
        private static final Duration PATIENCE = Duration.ofSeconds(10);

        @Override
        public void create(String id) {
            Object ignored = gate.create(id, new Open(0));
        }

        @Override
        public void turn(String id, Turn turn) throws InterruptedException {
            if (!(gate.handle(id, turn) instanceof Committed)) {
                throw new AssertionError(id + " was not turned");
            }
        }

        @Override
        public long turns(String id) {
            Committed<Door, Turn> now = gate.current(id).orElseThrow();
            if (now.phase().turns() != now.version() - 1) {
                throw new AssertionError(now + " has lost a turn");
            }
            return now.phase().turns();
        }

        @Override
        public void close() {
            try {
                boolean ignored = gate.close(PATIENCE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // ---- the peers: a machine for each door, behind a lock for each door

    enum Side {
        OPEN,
        SHUT
    }

    /** A machine that says where it is. */
    interface Machine {
        void send(Turn turn);

        Side side();
    }

    /** A lock, a machine, and a count; the lock guards both. */
    final class Slot {
        private final ReentrantLock lock = new ReentrantLock();
        private final Machine machine;
        private long turns;

        Slot(Machine machine) {
            this.machine = machine;
        }
    }

    final class Locked implements Doors {
        private final ConcurrentHashMap<String, Slot> slots = new ConcurrentHashMap<>();
        private final Function<String, Machine> machines;

        Locked(Function<String, Machine> machines) {
            this.machines = machines;
        }

        @Override
        public void create(String id) {
            slots.put(id, new Slot(machines.apply(id)));
        }

        private Slot slot(String id) {
            return Objects.requireNonNull(slots.get(id), id);
        }

        @Override
        public void turn(String id, Turn turn) {
            Slot slot = slot(id);
            slot.lock.lock();
            try {
                Side before = slot.machine.side();
                slot.machine.send(turn);
                if (slot.machine.side() == before) {
                    throw new AssertionError(id + " was not turned");
                }
                slot.turns++;
            } finally {
                slot.lock.unlock();
            }
        }

        @Override
        public long turns(String id) {
            return slot(id).turns;
        }
    }

    private static Machine stateless(LongAdder pushes) {
        StateMachineConfig<Side, Turn> config = new StateMachineConfig<>();
        config.configure(Side.OPEN).permit(Turn.PLAIN, Side.SHUT).permit(Turn.PUSHED, Side.SHUT, pushes::increment);
        config.configure(Side.SHUT).permit(Turn.PLAIN, Side.OPEN).permit(Turn.PUSHED, Side.OPEN, pushes::increment);
        StateMachine<Side, Turn> machine = new StateMachine<>(Side.OPEN, config);
        return new Machine() {
            @Override
            public void send(Turn turn) {
                machine.fire(turn);
            }

            @Override
            public Side side() {
                return machine.getState();
            }
        };
    }

    private static Machine spring(LongAdder pushes) {
        org.springframework.statemachine.StateMachine<Side, Turn> machine;
        try {
            StateMachineBuilder.Builder<Side, Turn> builder = StateMachineBuilder.builder();
            builder.configureStates().withStates().initial(Side.OPEN).state(Side.SHUT);
            builder.configureTransitions()
                    .withExternal()
                    .source(Side.OPEN)
                    .target(Side.SHUT)
                    .event(Turn.PLAIN)
                    .and()
                    .withExternal()
                    .source(Side.SHUT)
                    .target(Side.OPEN)
                    .event(Turn.PLAIN)
                    .and()
                    .withExternal()
                    .source(Side.OPEN)
                    .target(Side.SHUT)
                    .event(Turn.PUSHED)
                    .action(context -> pushes.increment())
                    .and()
                    .withExternal()
                    .source(Side.SHUT)
                    .target(Side.OPEN)
                    .event(Turn.PUSHED)
                    .action(context -> pushes.increment());
            machine = builder.build();
        } catch (Exception e) {
            throw new IllegalStateException("the machine cannot be built", e);
        }
        machine.startReactively().block();
        return new Machine() {
            @Override
            public void send(Turn turn) {
                Message<Turn> message = MessageBuilder.withPayload(turn).build();
                StateMachineEventResult<Side, Turn> result =
                        machine.sendEvent(Mono.just(message)).blockLast();
                if (result == null || result.getResultType() != StateMachineEventResult.ResultType.ACCEPTED) {
                    throw new AssertionError(turn + " was refused");
                }
            }

            @Override
            public Side side() {
                return machine.getState().getId();
            }
        };
    }
}

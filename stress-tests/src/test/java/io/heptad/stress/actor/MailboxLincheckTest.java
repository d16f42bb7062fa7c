package io.heptad.stress.actor;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import io.heptad.actor.OpenMailbox;
import java.util.ArrayDeque;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Linearizability of the mailbox, by model checking: under every schedule that is tried, the results must be those of some
 * order of the same calls on a plain list. More than one takes, as the handler and {@code closeNow} may.
 */
public class MailboxLincheckTest {
    /** Mailbox.pause is run, but not taken apart into steps: its bursts of spins would be tried one by one. */
    private static ModelCheckingOptions schedules(Class<?> specification) {
        return new ModelCheckingOptions()
                .iterations(12)
                .invocationsPerIteration(200)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1)
                .addGuarantee(forClasses(name -> name.endsWith(".Mailbox"))
                        .methods("pause")
                        .ignore())
                .sequentialSpecification(specification);
    }

    /** What a mailbox is, for one thread. */
    public abstract static class Plain {
        private final int capacity;
        private final ArrayDeque<Integer> items = new ArrayDeque<>();
        private boolean closed;

        Plain(int capacity) {
            this.capacity = capacity;
        }

        public String offer(int item) {
            if (closed) {
                return "closed";
            }
            return items.size() < capacity && items.add(item) ? "accepted" : "full";
        }

        public @Nullable Integer take() {
            return items.poll();
        }

        public @Nullable Integer takeIfFull() {
            return items.size() < capacity ? null : items.poll();
        }

        public int depth() {
            return items.size();
        }

        public void close() {
            closed = true;
        }

        public boolean isDrained() {
            return closed && items.isEmpty();
        }
    }

    /** A plain mailbox of one. */
    public static class PlainOne extends Plain {
        public PlainOne() {
            super(1);
        }
    }

    /** A plain mailbox of two. */
    public static class PlainTwo extends Plain {
        public PlainTwo() {
            super(2);
        }
    }

    /** The shipped mailbox. */
    public abstract static class Shipped {
        private final OpenMailbox mailbox;

        Shipped(int capacity) {
            mailbox = new OpenMailbox(capacity);
        }

        @Operation
        public String offer(int item) {
            return mailbox.offer(item);
        }

        @Operation
        public @Nullable Integer take() {
            return mailbox.take();
        }

        @Operation
        public @Nullable Integer takeIfFull() {
            return mailbox.takeIfFull();
        }

        @Operation
        public int depth() {
            return mailbox.depth();
        }

        @Operation
        public void close() {
            mailbox.close();
        }

        @Operation
        public boolean isDrained() {
            return mailbox.isDrained();
        }
    }

    /** The shipped mailbox of one. */
    public static class ShippedOne extends Shipped {
        public ShippedOne() {
            super(1);
        }
    }

    /** The shipped mailbox of two. */
    public static class ShippedTwo extends Shipped {
        public ShippedTwo() {
            super(2);
        }
    }

    /** A mailbox that calls itself empty while its first letter is being linked. */
    public static class EmptyTooSoon {
        private final io.heptad.mutant.actor.saysemptytoosoon.OpenMailbox mailbox =
                new io.heptad.mutant.actor.saysemptytoosoon.OpenMailbox(2);

        @Operation
        public String offer(int item) {
            return mailbox.offer(item);
        }

        @Operation
        public @Nullable Integer take() {
            return mailbox.take();
        }
    }

    /** A mailbox that makes room although there is some. */
    public static class EvictsTooMuch {
        private final io.heptad.mutant.actor.evictsthoughthereisroom.OpenMailbox mailbox =
                new io.heptad.mutant.actor.evictsthoughthereisroom.OpenMailbox(2);

        @Operation
        public String offer(int item) {
            return mailbox.offer(item);
        }

        @Operation
        public @Nullable Integer takeIfFull() {
            return mailbox.takeIfFull();
        }
    }

    @Test
    void ofCapacityOne() {
        schedules(PlainOne.class).check(ShippedOne.class);
    }

    @Test
    void ofCapacityTwo() {
        schedules(PlainTwo.class).check(ShippedTwo.class);
    }

    @Test
    void findsALetterThatIsMissedWhileItIsLinked() {
        assertFound(PlainTwo.class, EmptyTooSoon.class);
    }

    @Test
    void findsARoomThatIsMadeThoughThereIsSome() {
        assertFound(PlainTwo.class, EvictsTooMuch.class);
    }

    private static void assertFound(Class<?> specification, Class<?> planted) {
        assertThatThrownBy(() ->
                        schedules(specification).minimizeFailedScenario(false).check(planted))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }
}

package io.heptad.stress.actor;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import io.heptad.actor.Behavior;
import io.heptad.actor.KeyedActors;
import io.heptad.core.DepthEvents;
import io.heptad.core.FullPolicy;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * Linearizability of the table of keys, by model checking: what the calls that never wait answer, under every schedule that
 * is tried, is what some order of the same calls on a plain map of lists would answer. No owner works meanwhile: the
 * executor keeps its activations to itself.
 */
public class KeyedActorsLincheckTest {
    private static ModelCheckingOptions schedules(Class<?> specification) {
        return new ModelCheckingOptions()
                .iterations(12)
                .invocationsPerIteration(200)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1)
                .addGuarantee(
                        forClasses(DepthEvents.class.getName()).allMethods().ignore())
                .sequentialSpecification(specification);
    }

    /** Two bounds, for one thread. */
    public abstract static class Plain {
        private final Map<Integer, ArrayDeque<Integer>> mail = new TreeMap<>();
        private final int total;

        Plain(int total) {
            this.total = total;
        }

        public String offer(int number) {
            ArrayDeque<Integer> mine = mail.computeIfAbsent(number % 2, key -> new ArrayDeque<>());
            return String.valueOf(mine.size() < 2 && depth() < total && mine.add(number));
        }

        public long depth() {
            return mail.values().stream().mapToInt(ArrayDeque::size).sum();
        }

        public int depthOfEven() {
            return mail.getOrDefault(0, new ArrayDeque<>()).size();
        }
    }

    /** Two of a key, three in all. */
    public static class PlainThree extends Plain {
        public PlainThree() {
            super(3);
        }
    }

    /** Two of a key, and room for all. */
    public static class PlainMany extends Plain {
        public PlainMany() {
            super(100);
        }
    }

    private static KeyedActors<Integer, Integer> still(int perKey, int total, FullPolicy whenFull) {
        return KeyedActors.named("k", Integer.class, Integer.class)
                .mailbox(perKey, whenFull)
                .totalQueued(total)
                .state(key -> 0, (Behavior<Integer, Integer>) (sum, more, context) -> sum + more)
                .executor(activation -> {})
                .start();
    }

    /*
     * The depth of all and that of a key are two figures: each is linearizable with the calls that change it, and both
     * together are not, since a message is counted in the one a moment before the other.
     */

    /** The shipped ones, and how deep they are together. */
    public static class ShippedThree {
        private final KeyedActors<Integer, Integer> actors = still(2, 3, FullPolicy.REJECT);

        @Operation
        public String offer(int number) {
            return String.valueOf(actors.offer(number % 2, number));
        }

        @Operation
        public long depth() {
            return actors.depth();
        }
    }

    /** The shipped ones, and how deep one key is. */
    public static class ShippedMany {
        private final KeyedActors<Integer, Integer> actors = still(2, 100, FullPolicy.REJECT);

        @Operation
        public String offer(int number) {
            return String.valueOf(actors.offer(number % 2, number));
        }

        @Operation
        public int depthOfEven() {
            return actors.depth(0);
        }
    }

    /** One key of one place, whose oldest makes room. */
    public static class PlainEvicting {
        private final ArrayDeque<Integer> mail = new ArrayDeque<>();

        public boolean send(int number) {
            if (mail.size() == 1) {
                mail.remove();
            }
            return mail.add(number);
        }

        public int depthOfKey() {
            return mail.size();
        }
    }

    /** The shipped ones. */
    public static class ShippedEvicting {
        private final KeyedActors<Integer, Integer> actors = still(1, 2, FullPolicy.DROP_OLDEST);

        @Operation
        public boolean send(int number) throws InterruptedException {
            return actors.send(0, number);
        }

        @Operation
        public int depthOfKey() {
            return actors.depth(0);
        }
    }

    /** Where a reader can see the key empty between the message that goes and the one that comes. */
    public static class EvictingInTwoSteps {
        private final io.heptad.mutant.actor.evictsintwosteps.KeyedActors<Integer, Integer> actors =
                io.heptad.mutant.actor.evictsintwosteps.KeyedActors.named("k", Integer.class, Integer.class)
                        .mailbox(1, FullPolicy.DROP_OLDEST)
                        .totalQueued(2)
                        .state(key -> 0, (io.heptad.mutant.actor.evictsintwosteps.Behavior<Integer, Integer>)
                                (sum, more, context) -> sum + more)
                        .executor(activation -> {})
                        .start();

        @Operation
        public boolean send(int number) throws InterruptedException {
            return actors.send(0, number);
        }

        @Operation
        public int depthOfKey() {
            return actors.depth(0);
        }
    }

    /** Where two first messages of a key get an owner each. */
    public static class TwoOwners {
        private final io.heptad.mutant.actor.makestwoownersofakey.KeyedActors<Integer, Integer> actors =
                io.heptad.mutant.actor.makestwoownersofakey.KeyedActors.named("k", Integer.class, Integer.class)
                        .mailbox(2, FullPolicy.REJECT)
                        .totalQueued(100)
                        .state(key -> 0, (io.heptad.mutant.actor.makestwoownersofakey.Behavior<Integer, Integer>)
                                (sum, more, context) -> sum + more)
                        .executor(activation -> {})
                        .start();

        @Operation
        public String offer(int number) {
            return String.valueOf(actors.offer(number % 2, number));
        }

        @Operation
        public int depthOfEven() {
            return actors.depth(0);
        }
    }

    @Test
    void ofTwoKeysUnderABoundOverAll() {
        schedules(PlainThree.class).check(ShippedThree.class);
    }

    @Test
    void ofOneKeyUnderItsOwn() {
        schedules(PlainMany.class).check(ShippedMany.class);
    }

    @Test
    void whileOneMessageMakesRoomForAnother() {
        schedules(PlainEvicting.class).check(ShippedEvicting.class);
    }

    @Test
    void findsAnEvictionThatCanBeSeenHalfDone() {
        assertFound(PlainEvicting.class, EvictingInTwoSteps.class);
    }

    @Test
    void findsASecondOwnerOfAKey() {
        assertFound(PlainMany.class, TwoOwners.class);
    }

    private static void assertFound(Class<?> specification, Class<?> planted) {
        assertThatThrownBy(() ->
                        schedules(specification).minimizeFailedScenario(false).check(planted))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }
}

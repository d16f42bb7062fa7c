package io.heptad.actor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who is taken to wait for whom, where runners come and go between two looks. */
@Watched
class WaitsTest {
    /** An actor that is run by these threads, one at each look, and by the last one from then on. */
    private static final class Run implements Addressee<String> {
        private final String name;
        private volatile List<Thread> runners;
        private int looks;

        Run(String name, Thread... runners) {
            this.name = name;
            by(runners);
        }

        void by(Thread... threads) {
            looks = 0;
            runners = Arrays.asList(threads);
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Thread runner() {
            return runners.isEmpty() ? null : runners.get(Math.min(looks++, runners.size() - 1));
        }

        @Override
        public void deliver(String message) {
            throw new AssertionError(message);
        }
    }

    private static Waits.Wait waitFor(Run awaited) {
        return new Waits.Wait(awaited) {
            @Override
            boolean isPending() {
                return true;
            }
        };
    }

    private final Thread me = Thread.currentThread();

    @AfterEach
    void nothingStaysBehind() {
        assertThat(Waits.entered()).isZero();
    }

    private Call<Object> elsewhere(Run awaited) {
        return Call.start(false, () -> {
            Waits.leave(Waits.enter(waitFor(awaited)));
            return "entered";
        });
    }

    @Test
    void whatAThreadWaitedForBeforeItsLastWaitIsKnownAgainAfterIt() {
        Run a = new Run("a");
        Run b = new Run("b", Thread.currentThread());
        Waits.Wait none = Waits.enter(waitFor(a));
        Waits.Wait outer = Waits.enter(waitFor(new Run("c")));
        Waits.leave(outer); // while it waits for a, a thread of a pool may help out with something else
        Call<Object> other = Call.start(false, () -> {
            a.by(Thread.currentThread());
            return Waits.enter(waitFor(b));
        });

        assertThat(other.outcome())
                .isInstanceOfSatisfying(
                        ActorDeadlockException.class,
                        circle -> assertThat(circle.path()).containsExactly("a", "b", "a"));
        Waits.leave(none);
    }

    @Test
    void aCircleOfOthersIsNoCircleOfOnesOwn() {
        Run a = new Run("a");
        Run b = new Run("b", Thread.currentThread());
        Waits.Wait none = Waits.enter(waitFor(a));
        a.by(Thread.currentThread()); // in a thread that runs one actor inside another

        assertThat(elsewhere(b).outcome()).isEqualTo("entered");
        Waits.leave(none);
    }

    @Test
    void whoWasSeenInACircleOnceIsNotAccused() {
        assertThat(Waits.enter(waitFor(new Run("a", me, null)))).isNull(); // gone at the second look
        Waits.leave(null);
        assertThat(Waits.enter(waitFor(new Run("a", me, me, null)))).isNull(); // gone at the third
        Waits.leave(null);
    }
}

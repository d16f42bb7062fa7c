package io.heptad.stress.actor;

import io.heptad.actor.Actor;
import io.heptad.core.FullPolicy;
import io.heptad.stress.Quick;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** What a handler tells is run next by its thread, or by another if the handler does not end. */
public class Carrying {
    private Carrying() {}

    /**
     * The first handler tells the second actor, which is run next in the same thread while a cover is on its way; the second
     * handler tells the third, just as the cover comes by, and does not end before that one was handled. All that was given to
     * the executor is run: the third must be handled, and once.
     */
    @Quick
    @JCStressTest
    @Outcome(id = "handled, 1", expect = Expect.ACCEPTABLE, desc = "nothing waits for the handler that told it")
    @State
    public static class ATellerThatWaitsAgainstTheCover {
        private final Queue<Runnable> works = new ConcurrentLinkedQueue<>();
        private final Executor executor = works::add; // the same for all, or none carries on
        private final Runnable start;
        private volatile boolean handled;
        private volatile boolean told;
        private volatile boolean nobody;
        private volatile boolean stranded;
        private int times;

        private final Actor<Integer> third = actor(() -> {
            times++;
            handled = true;
        });
        private final Actor<Integer> second = actor(() -> {
            third.offer(1);
            told = true;
            for (int spins = 0; !handled && !nobody; spins++) {
                pause(spins);
            }
            stranded = !handled;
        });
        private final Actor<Integer> first = actor(() -> second.offer(1));

        public ATellerThatWaitsAgainstTheCover() {
            first.offer(1);
            start = works.remove();
        }

        private Actor<Integer> actor(Runnable handler) {
            return Actor.named("a", Integer.class)
                    .mailbox(2, FullPolicy.REJECT)
                    .state(() -> "", (state, number, context) -> {
                        handler.run();
                        return state;
                    })
                    .executor(executor)
                    .start();
        }

        /** Runs all that the executor was given, also what comes while the second handler is inside. */
        private void runAll() {
            boolean last = false;
            for (int spins = 0; !last; spins++) {
                last = told; // and then once more
                pause(spins);
                for (Runnable work; (work = works.poll()) != null; ) {
                    work.run();
                }
            }
            nobody = true;
        }

        @SuppressWarnings("ThreadPriorityCheck") // the other may need this very core
        private static void pause(int spins) {
            if (spins < 500) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }

        @org.openjdk.jcstress.annotations.Actor
        public void stint() {
            start.run();
            runAll();
        }

        @org.openjdk.jcstress.annotations.Actor
        public void cover() {
            runAll();
        }

        @Arbiter
        public void arbiter(LL_Result r) {
            r.r1 = stranded ? "waits for ever" : "handled";
            r.r2 = times;
        }
    }
}

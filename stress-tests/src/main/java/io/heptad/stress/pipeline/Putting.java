package io.heptad.stress.pipeline;

import io.heptad.core.ClosedException;
import io.heptad.core.FullPolicy;
import io.heptad.pipeline.DrainReport;
import io.heptad.pipeline.OnError;
import io.heptad.pipeline.Pipeline;
import io.heptad.pipeline.PipelineStats;
import io.heptad.stress.Crew;
import io.heptad.stress.Quick;
import io.heptad.stress.Watch;
import io.heptad.stress.Ways;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Those who put, against each other, the worker that makes room, and the end. */
public class Putting {
    private Putting() {}

    /** Both are inside, and come out once. */
    @JCStressTest
    @Outcome(id = "true, true, 1 out, 2 out, accounted", expect = Expect.ACCEPTABLE, desc = "both")
    @State
    public static class PutAgainstPut {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item, options -> options.capacity(2))
                .into(ways::out)
                .threads(crew)
                .start();

        @Actor
        public void one(LLL_Result r) {
            crew.meet(2);
            r.r1 = Watch.call(() -> pipeline.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            crew.meet(2);
            r.r2 = Watch.call(() -> pipeline.put(2));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            pipeline.close();
            crew.playTheRest();
            PipelineStats end = pipeline.stats();
            r.r3 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** There is room for one at a time, which the worker makes. */
    @JCStressTest
    @Outcome(id = "true, true, 1 out, 2 out, accounted", expect = Expect.ACCEPTABLE, desc = "both")
    @State
    public static class PutsForOnePlace {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final AtomicInteger done = new AtomicInteger();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item)
                .into(ways::out)
                .threads(crew)
                .start();

        @Actor
        public void one(LLL_Result r) {
            crew.meet(3);
            r.r1 = Watch.call(() -> pipeline.put(1));
            if (done.incrementAndGet() == 2) {
                pipeline.close();
            }
        }

        @Actor
        public void two(LLL_Result r) {
            crew.meet(3);
            r.r2 = Watch.call(() -> pipeline.put(2));
            if (done.incrementAndGet() == 2) {
                pipeline.close();
            }
        }

        @Actor
        public void three() {
            crew.meet(3);
            crew.play(0);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            PipelineStats end = pipeline.stats();
            r.r3 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** Whoever has no time may find no room; then its item is not inside. */
    @JCStressTest
    @Outcome(id = "true, true, 1 out, 2 out, accounted", expect = Expect.ACCEPTABLE, desc = "in time")
    @Outcome(id = "true, false, 1 out, accounted", expect = Expect.ACCEPTABLE, desc = "too late")
    @State
    public static class PutAgainstAPutInTime {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final AtomicInteger done = new AtomicInteger();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item)
                .into(ways::out)
                .threads(crew)
                .start();

        @Actor
        public void one(LLL_Result r) {
            crew.meet(3);
            r.r1 = Watch.call(() -> pipeline.put(1));
            if (done.incrementAndGet() == 2) {
                pipeline.close();
            }
        }

        @Actor
        public void two(LLL_Result r) {
            crew.meet(3);
            r.r2 = Watch.call(() -> pipeline.put(2, Duration.ofNanos(15_000)));
            if (done.incrementAndGet() == 2) {
                pipeline.close();
            }
        }

        @Actor
        public void three() {
            crew.meet(3);
            crew.play(0);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            PipelineStats end = pipeline.stats();
            r.r3 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** One place, two offers: one of them has it. */
    @JCStressTest
    @Outcome(id = "true, false, 1 out, accounted", expect = Expect.ACCEPTABLE, desc = "the first")
    @Outcome(id = "false, true, 2 out, accounted", expect = Expect.ACCEPTABLE, desc = "the second")
    @State
    public static class OffersForOnePlace {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item)
                .into(ways::out)
                .threads(crew)
                .start();

        @Actor
        public void one(LLL_Result r) {
            crew.meet(2);
            r.r1 = Watch.call(() -> pipeline.offer(1));
        }

        @Actor
        public void two(LLL_Result r) {
            crew.meet(2);
            r.r2 = Watch.call(() -> pipeline.put(2, Duration.ZERO));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            pipeline.close();
            crew.playTheRest();
            PipelineStats end = pipeline.stats();
            r.r3 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** Accepted and through, or refused and not inside. */
    @JCStressTest
    @Outcome(id = "true, ok, 1 out, accounted", expect = Expect.ACCEPTABLE, desc = "accepted")
    @Outcome(id = "closed, ok, , accounted", expect = Expect.ACCEPTABLE, desc = "refused")
    @State
    public static class PutAgainstClose {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item)
                .into(ways::out)
                .threads(crew)
                .start();

        @Actor
        public void one(LLL_Result r) {
            crew.meet(2);
            r.r1 = Watch.call(() -> pipeline.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            crew.meet(2);
            r.r2 = Watch.run(pipeline::close);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            crew.playTheRest();
            PipelineStats end = pipeline.stats();
            r.r3 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** Nobody makes room, so whoever waits is sent away, and what was inside goes through. */
    @JCStressTest
    @Outcome(id = "closed, ok, 0 out, accounted", expect = Expect.ACCEPTABLE, desc = "sent away")
    @State
    public static class WaitingPutAgainstClose {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item)
                .into(ways::out)
                .threads(crew)
                .start();

        public WaitingPutAgainstClose() {
            pipeline.offer(0);
        }

        @Actor
        public void one(LLL_Result r) {
            crew.meet(2);
            r.r1 = Watch.call(() -> pipeline.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            crew.meet(2);
            r.r2 = Watch.run(pipeline::close);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            crew.playTheRest();
            PipelineStats end = pipeline.stats();
            r.r3 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** Accepted and handed back, or refused and not. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, false, 1 waiting, accounted", expect = Expect.ACCEPTABLE, desc = "handed back")
    @Outcome(id = "closed, false, , accounted", expect = Expect.ACCEPTABLE, desc = "refused")
    @State
    public static class PutAgainstDrain {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item)
                .into(ways::out)
                .threads(crew)
                .start();

        @Actor
        public void one(LLL_Result r) {
            crew.meet(2);
            r.r1 = Watch.call(() -> pipeline.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            crew.meet(2);
            r.r2 = Watch.call(() -> {
                DrainReport report = pipeline.close(Duration.ZERO);
                report.residue().forEach(stage -> ways.back(stage.begun(), stage.waiting()));
                return report.drained();
            });
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            crew.playTheRest();
            PipelineStats end = pipeline.stats();
            r.r3 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** What waits for room is sent away, what was inside is handed back. */
    @JCStressTest
    @Outcome(id = "closed, false, 0 waiting, accounted", expect = Expect.ACCEPTABLE, desc = "sent away")
    @State
    public static class WaitingPutAgainstDrain {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item)
                .into(ways::out)
                .threads(crew)
                .start();

        public WaitingPutAgainstDrain() {
            pipeline.offer(0);
        }

        @Actor
        public void one(LLL_Result r) {
            crew.meet(2);
            r.r1 = Watch.call(() -> pipeline.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            crew.meet(2);
            r.r2 = Watch.call(() -> {
                DrainReport report = pipeline.close(Duration.ZERO);
                report.residue().forEach(stage -> ways.back(stage.begun(), stage.waiting()));
                return report.drained();
            });
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            crew.playTheRest();
            PipelineStats end = pipeline.stats();
            r.r3 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** A stage stops the pipeline: inside and handed back, or refused, with the failure as its cause. */
    @JCStressTest
    @Outcome(id = "true, 0 failed, 1 waiting, accounted", expect = Expect.ACCEPTABLE, desc = "inside")
    @Outcome(id = "closed by IllegalStateException, 0 failed, accounted", expect = Expect.ACCEPTABLE, desc = "refused")
    @State
    public static class PutAgainstStop {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then(
                        "a",
                        1,
                        item -> {
                            throw new IllegalStateException();
                        },
                        options -> options.capacity(2).onError(OnError.STOP))
                .into(ways::out)
                .onFailure(failed -> ways.failed(failed.item()))
                .threads(crew)
                .start();

        public PutAgainstStop() {
            pipeline.offer(0);
        }

        @Actor
        public void one(LL_Result r) {
            crew.meet(2);
            r.r1 = Watch.call(() -> {
                try {
                    return pipeline.put(1);
                } catch (ClosedException closed) {
                    return "closed by " + closed.getCause().getClass().getSimpleName();
                }
            });
        }

        @Actor
        public void two() {
            crew.meet(2);
            crew.play(0);
        }

        @Arbiter
        public void arbiter(LL_Result r) {
            Watch.run(() -> pipeline.close(Duration.ZERO)
                    .residue()
                    .forEach(stage -> ways.back(stage.begun(), stage.waiting())));
            PipelineStats end = pipeline.stats();
            r.r2 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** The worker makes room, and then its item stops the pipeline: whoever waited got in, or is sent away. */
    @JCStressTest
    @Outcome(id = "true, 0 failed, 1 waiting, accounted", expect = Expect.ACCEPTABLE, desc = "got in")
    @Outcome(id = "closed, 0 failed, accounted", expect = Expect.ACCEPTABLE, desc = "sent away")
    @State
    public static class WaitingPutAgainstStop {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then(
                        "a",
                        1,
                        item -> {
                            throw new IllegalStateException();
                        },
                        options -> options.onError(OnError.STOP))
                .into(ways::out)
                .onFailure(failed -> ways.failed(failed.item()))
                .threads(crew)
                .start();

        public WaitingPutAgainstStop() {
            pipeline.offer(0);
        }

        @Actor
        public void one(LL_Result r) {
            crew.meet(2);
            r.r1 = Watch.call(() -> pipeline.put(1));
        }

        @Actor
        public void two() {
            crew.meet(2);
            crew.play(0);
        }

        @Arbiter
        public void arbiter(LL_Result r) {
            Watch.run(() -> pipeline.close(Duration.ZERO)
                    .residue()
                    .forEach(stage -> ways.back(stage.begun(), stage.waiting())));
            PipelineStats end = pipeline.stats();
            r.r2 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** Room and an interrupt come at once: it got in and keeps its interrupt, or it was interrupted and is not inside. */
    @JCStressTest
    @Outcome(id = "true flagged, 0 out, 1 out, accounted", expect = Expect.ACCEPTABLE, desc = "got in")
    @Outcome(id = "interrupted, 0 out, accounted", expect = Expect.ACCEPTABLE, desc = "interrupted")
    @State
    public static class InterruptAgainstRoom {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private volatile Thread target;
        private volatile boolean sent;
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> {
                    if (item == 0) {
                        Watch.awaitSpinning(() -> target != null);
                        target.interrupt();
                        sent = true;
                    }
                    return item;
                })
                .into(ways::out)
                .threads(crew)
                .start();

        public InterruptAgainstRoom() {
            pipeline.offer(0);
        }

        @Actor
        public void one(LL_Result r) {
            crew.meet(2);
            target = Thread.currentThread();
            String end = Watch.call(() -> pipeline.put(1));
            r.r1 = end + (Watch.clearedAfter(() -> sent) ? " flagged" : "");
            pipeline.close();
        }

        @Actor
        public void two() {
            crew.meet(2);
            crew.play(0);
        }

        @Arbiter
        public void arbiter(LL_Result r) {
            PipelineStats end = pipeline.stats();
            r.r2 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** It drops what the worker has not taken. */
    @JCStressTest
    @Outcome(id = "true, 0 dropped, 1 out, accounted", expect = Expect.ACCEPTABLE, desc = "dropped")
    @Outcome(id = "true, 0 out, 1 out, accounted", expect = Expect.ACCEPTABLE, desc = "taken")
    @State
    public static class DroppingPutAgainstTheWorker {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then(
                        "a",
                        1,
                        item -> item,
                        options -> options.whenFull(FullPolicy.DROP_OLDEST).onDrop(ways::dropped))
                .into(ways::out)
                .threads(crew)
                .start();

        public DroppingPutAgainstTheWorker() {
            pipeline.offer(0);
        }

        @Actor
        public void one(LL_Result r) {
            crew.meet(2);
            r.r1 = Watch.call(() -> pipeline.put(1));
            pipeline.close();
        }

        @Actor
        public void two() {
            crew.meet(2);
            crew.play(0);
        }

        @Arbiter
        public void arbiter(LL_Result r) {
            PipelineStats end = pipeline.stats();
            r.r2 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }
}

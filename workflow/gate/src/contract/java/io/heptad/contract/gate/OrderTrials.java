package io.heptad.contract.gate;

import io.heptad.contract.gate.Orders.Cancel;
import io.heptad.contract.gate.Orders.Cancelled;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Pack;
import io.heptad.contract.gate.Orders.Packed;
import io.heptad.contract.gate.Orders.Paid;
import io.heptad.contract.gate.Orders.Pay;
import io.heptad.contract.gate.Orders.Placed;
import io.heptad.contract.gate.Provider.Mood;
import io.heptad.core.BusyException;
import io.heptad.core.FullPolicy;
import io.heptad.gate.Answer;
import io.heptad.gate.Committed;
import io.heptad.gate.Declined;
import io.heptad.gate.Gate;
import io.heptad.gate.IllegalTransitionException;
import io.heptad.gate.PhaseStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What could go wrong with money, played through on the order. Each trial answers with what did go wrong, in sentences: nothing
 * for the gate, something for a gate that lacks the guard that the trial is about.
 */
public final class OrderTrials {
    public static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration NEVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private OrderTrials() {}

    /** The world that outlives processes: the store, its clock, and the provider. */
    public static final class World {
        public final ManualClock clock = new ManualClock();
        public final PhaseStore<Order, Event> store = PhaseStore.inMemory(1_000, 100, clock);
        public final Provider provider = new Provider();
        public final Queue<String> mails = new ConcurrentLinkedQueue<>();

        /** A process of it. */
        public Gate<Order, Event> process(Crash crash) {
            return builder(new CrashingStore<>(store, crash), crash).build();
        }

        public Gate.Builder<Order, Event> builder(PhaseStore<Order, Event> seen, Provider.Boundary boundary) {
            return Gate.<Order, Event>builder("orders", Orders::next)
                    .store(seen)
                    .action(
                            Orders.CHARGE,
                            attempt -> call(boundary, "charge", attempt.key(), attempt.id()),
                            (attempt, receipt) -> call(boundary, "refund", attempt.key(), attempt.id()))
                    .irreversible(Orders.PACK, attempt -> call(boundary, "pack", attempt.key(), attempt.id()))
                    .declines(Provider.NoException.class::isInstance)
                    .lease(LEASE)
                    .backoff(attempt -> Duration.ZERO)
                    .sweepEvery(NEVER);
        }

        private String call(Provider.Boundary boundary, String kind, String key, String order) throws Exception {
            boundary.pass("before " + kind);
            String reply = provider.call(kind, key, order);
            boundary.pass("after " + kind);
            return reply;
        }

        /** Ledger and store agree, whatever has happened: see the order's phases for what each must have cost. */
        public List<String> disagreements(String... ids) {
            List<String> found = new ArrayList<>();
            for (String id : ids) {
                Order phase = store.current(id).map(Committed::phase).orElse(null);
                int charges = provider.count("charge", id);
                int refunds = provider.count("refund", id);
                boolean open = store.actions(id).stream().anyMatch(PhaseStore.ActionRow::isUnfinished);
                if (charges > 1) {
                    found.add(id + ": charged " + charges + " times");
                }
                if (refunds > charges) {
                    found.add(id + ": refunded " + refunds + " times for " + charges + " charges");
                }
                if (phase != null && !open) {
                    int paid = phase instanceof Placed || (phase instanceof Cancelled c && !c.refunded()) ? 0 : 1;
                    int back = phase instanceof Cancelled c && c.refunded() ? 1 : 0;
                    if (charges != paid || refunds != back) {
                        found.add(id + " is " + phase + ", but was charged " + charges + " and refunded " + refunds
                                + " times");
                    }
                    if (phase instanceof Paid
                            && provider.calls().stream()
                                    .anyMatch(call -> call.kind().equals("pack")
                                            && call.order().equals(id))
                            && provider.count("pack", id) == 0) {
                        found.add(id + " is " + phase + ", but packing it was declined and nothing follows");
                    }
                }
                List<Committed<Order, Event>> history = store.history(id);
                if (phase != null && !history.getLast().phase().equals(phase)) {
                    found.add(id + " is " + phase + ", but its history ends with " + history.getLast());
                }
            }
            return found;
        }
    }

    // ---- killed anywhere

    /** One order that cannot be packed, and one that goes all the way: so far the caller gets before the process dies. */
    static void life(Gate<Order, Event> gate) throws InterruptedException {
        gate.create("A", new Placed(List.of("tea"), 500));
        step(gate, "A", new Pay("card"), "pay");
        step(gate, "A", new Pack(), "pack");
        gate.create("B", new Placed(List.of("tea"), 500));
        step(gate, "B", new Pay("card"), "pay");
        step(gate, "B", new Pack(), "pack");
        step(gate, "B", new Orders.Ship("track"), "ship");
        step(gate, "B", new Orders.Deliver(), "deliver");
    }

    private static void step(Gate<Order, Event> gate, String id, Event event, String eventId)
            throws InterruptedException {
        Answer<Order, Event> answer = gate.handle(id, event, eventId, PATIENCE);
        if (answer instanceof Declined<Order, Event> declined) {
            throw new IllegalStateException("a surprising no: " + declined);
        }
    }

    /** How many boundaries that life has. */
    public static int boundaries() throws InterruptedException {
        Crash none = Crash.never();
        World world = world();
        Gate<Order, Event> gate = world.process(none);
        life(gate);
        gate.close();
        return none.passed();
    }

    private static World world() {
        World world = new World();
        world.provider.mood("pack", Mood.DECLINES);
        return world;
    }

    /**
     * The process dies at one boundary; those after it die at the given ones while they recover; the last one lives. Then
     * nobody asks again, and what the store says must be what the ledger says; then the caller asks again for what it has no
     * answer to, with the same event ids, and both orders must come to their ends.
     */
    public static List<String> killedAt(int first, int... later) throws InterruptedException {
        World world = world();
        List<String> found = new ArrayList<>();
        StringBuilder deaths = new StringBuilder();
        Crash crash = Crash.at(first);
        Gate<Order, Event> gate = world.process(crash);
        try {
            life(gate);
        } catch (Crash.Dead dead) {
            // This is what it is about.
        } catch (IllegalStateException | BusyException wrong) {
            found.add("the first caller got " + wrong);
        }
        end(gate, crash, deaths);
        for (int next : later) {
            world.clock.advance(LEASE);
            crash = Crash.at(next);
            gate = world.process(crash);
            try {
                gate.recover();
            } catch (Crash.Dead dead) {
                // Again.
            }
            end(gate, crash, deaths);
        }
        world.clock.advance(LEASE);
        gate = world.process(Crash.never());
        gate.recover();
        found.addAll(world.disagreements("A", "B"));
        world.store.parked(10).forEach(row -> found.add("parked: " + row));
        if (world.store.figures().open() > 0) {
            found.add("unfinished: " + world.store.actions("A") + world.store.actions("B"));
        }
        try {
            life(gate);
        } catch (IllegalStateException | BusyException wrong) {
            found.add("a caller who asks again got " + wrong);
        }
        found.addAll(world.disagreements("A", "B"));
        Order a = world.store.current("A").map(Committed::phase).orElse(null);
        Order b = world.store.current("B").map(Committed::phase).orElse(null);
        if (!new Cancelled("not possible", true).equals(a)) {
            found.add("A should be cancelled and refunded, but is " + a);
        }
        if (!new Orders.Delivered("track").equals(b)) {
            found.add("B should be delivered, but is " + b);
        }
        gate.close();
        return found.stream().map(what -> deaths + ": " + what).toList();
    }

    private static void end(Gate<Order, Event> gate, Crash crash, StringBuilder deaths) throws InterruptedException {
        deaths.append(deaths.isEmpty() ? "" : ", then ").append(crash);
        gate.close(Duration.ofSeconds(10)); // its threads only: nothing of it reaches the store any more
    }

    /** Dies once, at each boundary in turn. */
    public static List<String> killedAtEveryBoundary() throws InterruptedException {
        List<String> found = new ArrayList<>();
        int boundaries = boundaries();
        for (int i = 1; i <= boundaries; i++) {
            found.addAll(killedAt(i));
        }
        return found;
    }

    /**
     * Two processes at a time, each with a random life and mostly a random death, on thirty orders; the clock jumps over leases
     * while they live, so that they take over from each other what is not dead at all; the provider is moody. At the end one
     * that lives recovers.
     */
    public static List<String> killedAtRandom(SplittableRandom random, int lives) throws Exception {
        World world = new World();
        String[] ids = new String[30];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = "A" + i;
        }
        for (int i = 0; i < 200; i++) {
            world.provider.mood("charge", pick(random, Mood.FINE, Mood.FINE, Mood.LOSES_THE_REPLY, Mood.DECLINES));
            world.provider.mood("refund", pick(random, Mood.FINE, Mood.IS_AWAY, Mood.LOSES_THE_REPLY));
            world.provider.mood("pack", pick(random, Mood.FINE, Mood.LOSES_THE_REPLY, Mood.DECLINES));
        }
        List<String> found = new ArrayList<>();
        List<FutureTask<List<String>>> processes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            SplittableRandom own = random.split();
            processes.add(start(() -> {
                List<String> wrong = new ArrayList<>();
                for (int life = 0; life < lives; life++) {
                    live(world, ids, own, wrong);
                }
                return wrong;
            }));
        }
        for (FutureTask<List<String>> process : processes) {
            found.addAll(process.get());
        }
        try (Gate<Order, Event> last = world.process(Crash.never())) {
            for (int i = 0; i < 20; i++) {
                world.clock.advance(LEASE);
                last.recover();
            }
        }
        found.addAll(world.disagreements(ids));
        world.store.parked(10).forEach(row -> found.add("parked: " + row));
        if (world.store.figures().open() > 0) {
            found.add("unfinished: " + world.store.figures());
        }
        return found;
    }

    private static Mood pick(SplittableRandom random, Mood... moods) {
        return moods[random.nextInt(moods.length)];
    }

    private static void live(World world, String[] ids, SplittableRandom random, List<String> wrong)
            throws InterruptedException {
        Crash crash = random.nextInt(5) == 0 ? Crash.never() : Crash.at(random.nextInt(1, 200));
        Gate<Order, Event> gate = world.process(crash);
        try {
            for (int i = 0; i < 25; i++) {
                String id = ids[random.nextInt(ids.length)];
                Duration patience = random.nextBoolean() ? Duration.ZERO : Duration.ofMillis(20);
                try {
                    switch (random.nextInt(8)) {
                        case 0 -> world.clock.advance(LEASE);
                        case 1 -> gate.recover();
                        case 2 -> gate.handle(id, new Cancel("bored"), "cancel", patience);
                        case 3, 4 -> gate.handle(id, new Pack(), "pack", patience);
                        case 5, 6 -> gate.handle(id, new Pay("card"), "pay", patience);
                        default -> gate.create(id, new Placed(List.of("tea"), 500));
                    }
                } catch (IllegalTransitionException | NoSuchElementException | BusyException refused) {
                    // Whoever hands in at random is refused now and then.
                } catch (RuntimeException surprise) {
                    wrong.add("surprised by " + surprise);
                }
            }
        } catch (Crash.Dead dead) {
            // This is what it is about.
        } finally {
            gate.close(PATIENCE);
        }
    }

    // ---- one guard each

    /** The money was taken, but the reply was lost: nobody may say that it was not, and nobody may take it again. */
    public static List<String> aReplyIsLost() throws InterruptedException {
        World world = new World();
        world.provider.mood("charge", Mood.LOSES_THE_REPLY, Mood.IS_AWAY, Mood.LOSES_THE_REPLY);
        try (Gate<Order, Event> gate = world.process(Crash.never())) {
            gate.create("A", new Placed(List.of("tea"), 500));
            Answer<Order, Event> answer = gate.handle("A", new Pay("card"), "pay", PATIENCE);
            List<String> found = world.disagreements("A");
            if (!(answer instanceof Committed<Order, Event>)) {
                found.add("answered with " + answer);
            }
            return found;
        }
    }

    /** A definite no leaves the order as it was, and it can be paid later. */
    public static List<String> theCardIsDeclined() throws InterruptedException {
        World world = new World();
        world.provider.mood("charge", Mood.DECLINES);
        try (Gate<Order, Event> gate = world.process(Crash.never())) {
            gate.create("A", new Placed(List.of("tea"), 500));
            Answer<Order, Event> answer = gate.handle("A", new Pay("card"), "pay-1", PATIENCE);
            List<String> found = world.disagreements("A");
            if (!(answer instanceof Declined<Order, Event>)) {
                found.add("a declined charge was answered with " + answer);
            }
            try {
                answer = gate.handle("A", new Pay("another"), "pay-2", PATIENCE);
                if (!(answer instanceof Committed<Order, Event>)) {
                    found.add("another card was answered with " + answer);
                }
            } catch (IllegalTransitionException wrong) {
                found.add("another card got " + wrong);
            }
            found.addAll(world.disagreements("A"));
            return found;
        }
    }

    /** Nobody cancels an order while its card is being charged. */
    public static List<String> cancelledWhileItIsCharged() throws Exception {
        World world = new World();
        CountDownLatch charging = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Provider.Boundary boundary = where -> {
            if (where.equals("after charge")) {
                charging.countDown();
                await(goOn);
            }
        };
        List<String> found = new ArrayList<>();
        try (Gate<Order, Event> gate = world.builder(world.store, boundary).build()) {
            gate.create("A", new Placed(List.of("tea"), 500));
            FutureTask<Answer<Order, Event>> paying = start(() -> gate.handle("A", new Pay("card"), "pay", PATIENCE));
            await(charging);
            try {
                found.add("cancelled: " + gate.handle("A", new Cancel("bored"), "cancel", Duration.ZERO));
            } catch (BusyException right) {
                // The charge comes first.
            }
            goOn.countDown();
            Answer<Order, Event> paid = paying.get();
            if (!(paid instanceof Committed<Order, Event>(var id, var version, Paid phase, var event, var at))) {
                found.add("paying was answered with " + paid);
            }
        }
        found.addAll(world.disagreements("A"));
        return found;
    }

    /** Whoever was frozen wakes with an old no, while another is at it with a new yes: the old no must not count. */
    public static List<String> aFrozenHolderWakes() throws Exception {
        World world = new World();
        world.provider.mood("charge", Mood.DECLINES_ONCE);
        CountDownLatch frozen = new CountDownLatch(1);
        CountDownLatch thaw = new CountDownLatch(1);
        CountDownLatch charged = new CountDownLatch(1);
        CountDownLatch commit = new CountDownLatch(1);
        Gate<Order, Event> first = world.builder(world.store, where -> {})
                .declines(thrown -> {
                    frozen.countDown();
                    await(thaw);
                    return true;
                })
                .build();
        Gate<Order, Event> second = world.builder(world.store, where -> {
                    if (where.equals("after charge")) {
                        charged.countDown();
                        await(commit);
                    }
                })
                .build();
        first.create("A", new Placed(List.of("tea"), 500));
        FutureTask<Answer<Order, Event>> paying = start(() -> first.handle("A", new Pay("card"), "pay", PATIENCE));
        await(frozen);
        world.clock.advance(LEASE);
        FutureTask<Integer> recovering = start(second::recover);
        await(charged);
        thaw.countDown();
        List<String> found = new ArrayList<>();
        first.close(); // its drive ends when the store has told it that it is not the one any more
        if (!first.close(PATIENCE)) {
            found.add("the frozen one has not ended");
        }
        if (world.store.current("A").orElseThrow().version() > 1
                || world.store.actions("A").getFirst().state() != PhaseStore.State.OPEN) {
            found.add("the frozen one has written " + world.store.actions("A"));
        }
        commit.countDown();
        if (recovering.get() != 1) {
            found.add("nothing was recovered");
        }
        found.addAll(world.disagreements("A"));
        try {
            Answer<Order, Event> answer = paying.get();
            if (answer instanceof Declined<Order, Event>) {
                found.add("paying was answered with " + answer);
            }
        } catch (java.util.concurrent.ExecutionException closed) {
            // Its gate was closed under it.
        }
        second.close();
        return found;
    }

    /** Nobody is told of what was not committed. */
    public static List<String> aCommitFails() throws InterruptedException {
        World world = new World();
        List<String> found = new ArrayList<>();
        Crash none = Crash.never();
        world.process(none).create("A", new Placed(List.of("tea"), 500));
        for (int boundary = 1; ; boundary++) {
            World each = new World();
            Crash crash = Crash.at(boundary);
            Gate<Order, Event> gate = each.builder(new CrashingStore<>(each.store, crash), crash)
                    .reactions(10, FullPolicy.REJECT)
                    .afterwards("mail", Paid.class, paid -> each.mails.add(paid.id()))
                    .build();
            try {
                gate.create("A", new Placed(List.of("tea"), 500));
                gate.handle("A", new Pay("card"), "pay", PATIENCE);
            } catch (Crash.Dead dead) {
                // This is what it is about.
            }
            gate.close(PATIENCE);
            waitForMails(gate);
            boolean paid = each.store.current("A").map(Committed::phase).orElse(null) instanceof Paid;
            if (!paid && !each.mails.isEmpty()) {
                found.add(crash + ": a mail about an order that is not paid");
            }
            if (!crash.hasHappened()) {
                if (each.mails.size() != 1) {
                    found.add("no crash, and " + each.mails.size() + " mails");
                }
                return found;
            }
        }
    }

    private static void waitForMails(Gate<Order, Event> gate) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (gate.stats().waitingReactions() > 0
                || gate.stats().reactions()
                                + gate.stats().failedReactions()
                                + gate.stats().droppedReactions()
                        < gate.stats().transitions() - 1) {
            if (System.nanoTime() > end) {
                return;
            }
            Thread.onSpinWait();
        }
    }

    /** A reaction that hangs holds up neither the event that it follows, nor the next event of that order. */
    public static List<String> aReactionHangs() throws Exception {
        World world = new World();
        CountDownLatch hang = new CountDownLatch(1);
        List<String> found = new ArrayList<>();
        try (Gate<Order, Event> gate = world.builder(world.store, where -> {})
                .reactions(10, FullPolicy.REJECT)
                .afterwards("mail", Paid.class, paid -> await(hang))
                .build()) {
            gate.create("A", new Placed(List.of("tea"), 500));
            AtomicReference<String> got = new AtomicReference<>("no answer");
            FutureTask<Answer<Order, Event>> events = start(() -> {
                gate.handle("A", new Pay("card"), "pay", Duration.ofSeconds(1));
                got.set("the first answer only");
                return gate.handle("A", new Pack(), "pack", Duration.ofSeconds(1));
            });
            try {
                Answer<Order, Event> answer = events.get(3, TimeUnit.SECONDS);
                if (!(answer instanceof Committed<Order, Event> committed && committed.phase() instanceof Packed)) {
                    found.add("answered with " + answer);
                }
            } catch (java.util.concurrent.TimeoutException | java.util.concurrent.ExecutionException late) {
                found.add("the events were held up: " + got.get() + ", " + late);
            } finally {
                hang.countDown();
            }
        }
        return found;
    }

    private static <T> FutureTask<T> start(java.util.concurrent.Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread.ofVirtual().start(task);
        return task;
    }

    static void await(CountDownLatch latch) {
        try {
            if (!latch.await(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nothing happened for 20 s");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(Objects.toString(e), e);
        }
    }
}

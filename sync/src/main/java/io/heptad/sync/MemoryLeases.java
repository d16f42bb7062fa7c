package io.heptad.sync;

import io.heptad.core.Metric;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Leases in the memory of one process. */
final class MemoryLeases implements Leases {
    /*
     * State, all under the lock: the live leases by resource, the same by their end, and one count of grants. The lock is
     * held for a look-up and a few tree steps; the clock, which is a caller's code, is read before it is taken. So a call
     * takes effect as of its own reading of the clock, and a reading that is late only makes it stricter or its lease
     * shorter: what it finds live was live when it looked, and what another found to have run out is gone.
     *
     * Every call first drops what has run out, of all resources. That keeps three promises at once: a lease that was seen
     * to be over can never be renewed, also if the clock steps back; nothing is kept for a resource that nobody asks for
     * again; and the cost is one tree step for each grant, paid once. One count for all resources gives each of them a
     * rising token without an entry for each.
     *
     * Rejected: a ConcurrentHashMap and compute per resource, which is lock-free for readers that do not exist here and has
     * no order to sweep by; a timer that sweeps, which needs a thread and a close; a clock that is never let step back,
     * which would stop leases from ending until the old time has come again.
     */
    private static final Comparator<Lease> BY_END =
            Comparator.comparing(Lease::expiresAt).thenComparingLong(Lease::token);

    private final String name;
    private final InstantSource clock;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Lease> held = new HashMap<>();
    private final NavigableSet<Lease> ends = new TreeSet<>(BY_END);
    private long lastToken;

    private volatile int heldCount; // written under the lock, read by metrics
    private final LongAdder granted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder renewed = new LongAdder();
    private final LongAdder released = new LongAdder();
    private final LongAdder ranOut = new LongAdder();

    MemoryLeases(String name, InstantSource clock, long lastToken) {
        this.name = Names.notBlank("name", name);
        this.clock = Objects.requireNonNull(clock, "clock");
        if (lastToken < 0) {
            throw new IllegalArgumentException("lastToken must be zero or more, but is " + lastToken);
        }
        this.lastToken = lastToken;
    }

    @Override
    public Optional<Lease> acquire(String resource, String holder, Duration ttl) {
        Names.notBlank("resource", resource);
        Names.notBlank("holder", holder);
        positive(ttl);
        Instant now = clock.instant();
        List<Lease> lost;
        @Nullable Lease lease;
        lock.lock();
        try {
            lost = dropEnded(now);
            lease = held.get(resource);
            if (lease == null) {
                lastToken = Math.incrementExact(lastToken);
                lease = new Lease(resource, holder, lastToken, end(now, ttl));
                add(lease);
                granted.increment();
            } else if (!lease.holder().equals(holder)) {
                lease = null;
                refused.increment();
            }
        } finally {
            lock.unlock();
        }
        tell(lost);
        return Optional.ofNullable(lease);
    }

    @Override
    public Optional<Lease> renew(Lease lease, Duration ttl) {
        Objects.requireNonNull(lease, "lease");
        positive(ttl);
        Instant now = clock.instant();
        List<Lease> lost;
        @Nullable Lease longer = null;
        lock.lock();
        try {
            lost = dropEnded(now);
            Lease live = live(lease);
            if (live != null) {
                ends.remove(live); // it stays in the other, or who counts would miss it for a moment
                longer = new Lease(live.resource(), live.holder(), live.token(), end(now, ttl));
                add(longer);
                renewed.increment();
            }
        } finally {
            lock.unlock();
        }
        tell(lost);
        return Optional.ofNullable(longer);
    }

    @Override
    public boolean release(Lease lease) {
        Objects.requireNonNull(lease, "lease");
        Instant now = clock.instant();
        List<Lease> lost;
        @Nullable Lease live;
        lock.lock();
        try {
            lost = dropEnded(now);
            live = live(lease);
            if (live != null) {
                remove(live);
                released.increment();
            }
        } finally {
            lock.unlock();
        }
        tell(lost);
        return live != null;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Metric> metrics() {
        Figures of = new Figures("leases", name);
        return List.of(
                of.gauge("held", "leases", "Leases held; one that ran out counts until the next call", () -> heldCount),
                of.counter("granted", "leases", "Leases given, each with a token of its own", granted::sum),
                of.counter("refused", "leases", "Askers turned away because another's lease was live", refused::sum),
                of.counter("renewed", "leases", "Leases whose end was moved", renewed::sum),
                of.counter("released", "leases", "Leases given back in time", released::sum),
                of.counter(
                        "expired", "leases", "Leases that ran out: their holders died or were too slow", ranOut::sum));
    }

    @Override
    public String toString() {
        return "Leases " + name + ": " + heldCount + " held";
    }

    // Called only under the lock

    /** The live lease of the same grant: its token says so, its end may have moved since. */
    private @Nullable Lease live(Lease lease) {
        Lease live = held.get(lease.resource());
        return live != null && live.token() == lease.token() && live.holder().equals(lease.holder()) ? live : null;
    }

    private void add(Lease lease) {
        held.put(lease.resource(), lease);
        ends.add(lease);
        heldCount = held.size();
    }

    private void remove(Lease lease) {
        held.remove(lease.resource());
        ends.remove(lease);
        heldCount = held.size();
    }

    private List<Lease> dropEnded(Instant now) {
        List<Lease> ended = List.of();
        while (!ends.isEmpty() && !now.isBefore(ends.first().expiresAt())) {
            Lease first = ends.first();
            remove(first);
            ranOut.increment();
            if (LeaseEvents.on()) {
                ended = ended.isEmpty() ? new ArrayList<>() : ended;
                ended.add(first);
            }
        }
        return ended;
    }

    private static void tell(List<Lease> lost) {
        for (Lease lease : lost) {
            LeaseEvents.lost(lease, "ran out");
        }
    }

    /** {@code now + ttl}, or the last instant that there is. */
    private static Instant end(Instant now, Duration ttl) {
        return ttl.compareTo(Duration.between(now, Instant.MAX)) < 0 ? now.plus(ttl) : Instant.MAX;
    }

    static void positive(Duration ttl) {
        Objects.requireNonNull(ttl, "ttl");
        if (ttl.isNegative() || ttl.isZero()) {
            throw new IllegalArgumentException("ttl must be above zero, but is " + ttl);
        }
    }
}

package io.heptad.sync;

import io.heptad.core.Measured;
import io.heptad.core.Metric;
import io.heptad.core.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Hands out locks that expire, so that a holder that dies blocks nobody for ever.
 *
 * {@snippet file="io/heptad/sync/LeaseSnippetsTest.java" region="lease"}
 *
 * <p>What expires can end while its holder still works. That is why each grant has a token: it is higher than that of every
 * grant before it, for any resource, and never starts again. Whatever the lease protects must compare tokens; see
 * {@link Fenced}. A write path that does not look at the token is not protected by any lease.
 *
 * <p>Nothing here waits. Who is refused asks again later; {@link LeaderElection} does that, and renews.
 *
 * <p>Those that {@link #inMemory} makes serve the threads of one process. Leases for several processes live in a store that
 * they share, under this interface. Any thread may call any method. A call that throws has answered nothing: a grant may
 * have been made all the same, and the holder gets it back when it asks again.
 *
 * <p><b>Memory consistency effects:</b> what a thread did before {@code release} <i>happens-before</i> what a thread does
 * after the grant that follows. After a lease that ran out there is no such order: its holder may still be working.
 *
 * <p>Leases are due to Gray and Cheriton ("Leases: an efficient fault-tolerant mechanism for distributed file cache
 * consistency", 1989); the token to fence with is described by Martin Kleppmann ("How to do distributed locking", 2016).
 */
public interface Leases extends Measured {
    /**
     * Asks for a resource.
     *
     * <p>A lease is live up to, and not including, its {@link Lease#expiresAt}. The holder of a live one that asks again
     * gets that same lease back, as it is: same token, same end. {@link #renew} is what moves the end.
     *
     * @param resource what is wanted, not blank
     * @param holder who wants it, not blank
     * @param ttl how long to have it, above zero; {@code Duration.ofSeconds(Long.MAX_VALUE)} for ever
     * @return the lease; empty while another holder's is live
     * @throws IllegalArgumentException if a name is blank or the time is not above zero
     */
    Optional<Lease> acquire(String resource, String holder, Duration ttl);

    /**
     * Moves the end of a live lease to {@code ttl} from now. Never takes a lease from another, and never revives one that
     * has run out, not even if nobody has it now: whoever let it run out may have been overtaken meanwhile, and must ask
     * for a new one, with a new token.
     *
     * @param lease the lease, or any copy of it
     * @param ttl how long to have it from now on, above zero
     * @return the lease with its new end and the same token; empty if it is not live any more
     * @throws IllegalArgumentException if the time is not above zero
     */
    Optional<Lease> renew(Lease lease, Duration ttl);

    /**
     * Gives a live lease back. Never touches the lease of another: one that has run out, been released, or been taken
     * over is left as it is.
     *
     * @param lease the lease, or any copy of it
     * @return true if this call ended it
     */
    boolean release(Lease lease);

    /**
     * What these leases are called in metrics and events.
     *
     * @return {@code "leases"}, unless an implementation has a name of its own
     */
    @Override
    default String name() {
        return "leases";
    }

    /**
     * The figures of these leases.
     *
     * @return none, unless an implementation has some; those in memory count what they hold, grant, refuse and lose
     */
    @Override
    default List<Metric> metrics() {
        return List.of();
    }

    /**
     * Leases in the memory of this process, on a clock that never jumps: the time of day is read once, and from then on
     * only {@link System#nanoTime} moves it.
     *
     * @return leases whose first token is 1
     */
    static Leases inMemory() {
        Instant start = Instant.now();
        Ticker ticker = Ticker.system();
        long origin = ticker.nanos();
        return inMemory(() -> start.plusNanos(ticker.nanos() - origin));
    }

    /**
     * Leases in the memory of this process, on a clock of your own. Nothing is kept for a resource that nobody has: one
     * count serves the tokens of all.
     *
     * <p>If the clock jumps forward, leases end early, and their holders do not notice: prefer {@link #inMemory()} to a
     * clock that somebody may set. If it jumps back, live leases last longer; those found to have run out stay so.
     *
     * @param clock says what time it is; called by the asking thread, under no lock
     * @return leases whose first token is 1
     */
    static Leases inMemory(InstantSource clock) {
        return inMemory("leases", clock, 0);
    }

    /**
     * Leases in the memory of this process, with a name, that go on where others have ended. Where what they protect
     * outlives this process, give the highest token that it has accepted: tokens that started again would be refused
     * there, or, worse, let an old holder in.
     *
     * @param name tags the metrics and events, not blank
     * @param clock says what time it is; called by the asking thread, under no lock
     * @param lastToken every token will be higher; zero or more
     * @return leases whose first token is {@code lastToken + 1}
     * @throws IllegalArgumentException if the name is blank or the token is negative
     */
    static Leases inMemory(String name, InstantSource clock, long lastToken) {
        return new MemoryLeases(name, clock, lastToken);
    }
}

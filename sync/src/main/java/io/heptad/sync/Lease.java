package io.heptad.sync;

import java.time.Instant;
import java.util.Objects;

/**
 * A lock that expires: who has it, until when, and the token of its grant.
 *
 * <p>Send the {@link #token} with every write, and let the storage refuse a lower one ({@link Fenced}): it is what protects
 * the resource. {@link #expiresAt} is for people and logs. There is no {@code isExpired()} here on purpose: a holder that
 * looks at the clock and then writes can be stopped between the two, by a collection of garbage, a page fault or a slow
 * disk, for longer than any lease.
 *
 * <p>A lease is a value: an old copy of one that has been renewed since is still good for renewing and releasing, because
 * only its token counts.
 *
 * @param resource what is leased
 * @param holder who has it; two that call themselves the same share one lease, so give each its own name
 * @param token the number of the grant: higher than that of every grant before it
 * @param expiresAt when it ends, by the clock of whoever granted it; {@link Instant#MAX} for never
 */
public record Lease(String resource, String holder, long token, Instant expiresAt) {
    /** Refuses nulls. */
    public Lease {
        Objects.requireNonNull(resource, "resource");
        Objects.requireNonNull(holder, "holder");
        Objects.requireNonNull(expiresAt, "expiresAt");
    }
}

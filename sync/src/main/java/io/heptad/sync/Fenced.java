package io.heptad.sync;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;

/**
 * A value that remembers the highest token it has accepted and refuses a lower one: the end of a lease that its holder did
 * not notice.
 *
 * {@snippet file="io/heptad/sync/LeaseSnippetsTest.java" region="fenced"}
 *
 * <p>The protection is in the resource, not in its writers' sense of time: it does not matter how long a writer was
 * stopped, or where. The same token is accepted again, because a holder may write more than once. A token counts from its
 * first accepted write on; until the new holder has written, the old one still can. A new holder that must read before it
 * writes shuts the door first: {@code update(token, value -> value)}.
 *
 * <p>There is no write without a token, and there must be none around this class either: one path that skips the check
 * undoes it. Storage of your own does the same in one statement ({@code update … set …, token = ? where id = ? and token
 * <= ?}); where it cannot compare tokens, a conditional write on a version column serves.
 *
 * <p>Nothing here waits. Any thread may call any method; they are lock-free, so a writer that is stopped in the middle of
 * one keeps nobody else out. Each method is atomic; {@link #value} and {@link #highestToken} read one after the other may
 * belong to different writes.
 *
 * <p><b>Memory consistency effects:</b> what a thread did before a write that was accepted <i>happens-before</i> what a
 * thread does after it has read that value or a later one.
 *
 * @param <T> the type of the value, immutable; never null
 */
public final class Fenced<T> {
    /*
     * One immutable pair behind one reference, so that token and value cannot be torn. A failed CAS means that another write
     * came in between, and its token may be higher: compare again. Rejected: a lock, whose holder can be stopped inside it.
     */
    private record Accepted<T>(long token, T value) {}

    private final AtomicReference<Accepted<T>> last;
    private final LongAdder refused = new LongAdder();

    private Fenced(T initial) {
        last = new AtomicReference<>(new Accepted<>(0, initial));
    }

    /**
     * A value that has accepted no token yet.
     *
     * @param <T> the type of the value
     * @param initial the first value
     * @return a new fenced value that takes any token from 0 up
     */
    public static <T> Fenced<T> of(T initial) {
        return new Fenced<>(Objects.requireNonNull(initial, "initial"));
    }

    /**
     * Writes, unless a higher token has written before.
     *
     * @param token the token of the writer's lease
     * @param value the new value
     * @return false if the token was too low; then nothing has changed, and the writer's lease is over
     */
    public boolean write(long token, T value) {
        Objects.requireNonNull(value, "value");
        return update(token, old -> value);
    }

    /**
     * Writes what it makes of the present value, unless a higher token has written before. No other write comes in
     * between.
     *
     * @param token the token of the writer's lease
     * @param change the new value from the present one, not null; called again if another write came first, so it must
     *     have no effect of its own. What it throws the caller sees, and nothing has changed.
     * @return false if the token was too low; then nothing has changed, and the writer's lease is over
     */
    public boolean update(long token, UnaryOperator<T> change) {
        Objects.requireNonNull(change, "change");
        while (true) {
            Accepted<T> present = last.get();
            if (token < present.token()) {
                refused.increment();
                return false;
            }
            T value = Objects.requireNonNull(change.apply(present.value()), "what change returns");
            if (last.compareAndSet(present, new Accepted<>(token, value))) {
                return true;
            }
        }
    }

    /**
     * The value as the last accepted write left it. Reading needs no token.
     *
     * @return the value
     */
    public T value() {
        return last.get().value();
    }

    /**
     * The highest token that has written.
     *
     * @return the token; 0 before the first write
     */
    public long highestToken() {
        return last.get().token();
    }

    /**
     * How many writes came too late. Each is a holder that had lost its lease and did not know: worth a line in a log.
     *
     * @return the number so far
     */
    public long refused() {
        return refused.sum();
    }

    @Override
    public String toString() {
        Accepted<T> present = last.get();
        return "Fenced at token " + present.token() + ": " + present.value();
    }
}

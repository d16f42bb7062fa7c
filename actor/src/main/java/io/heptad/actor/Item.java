package io.heptad.actor;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message on its way to the owner of a key. */
final class Item<M> extends Letter<M> {
    /** When it came, by the ticker; of one that had to wait, until its sender has told, when it came to the door. */
    private volatile long since;

    /** Who waits until it is let in; null where nobody has to. Written before the item is shared. */
    @Nullable
    Sender sender;

    /** In whose mail it was last put. Written before it lies there; an ask that ends reads it in any thread. */
    private volatile @Nullable KeyOwner<?, ?, M> owner;

    /** Neighbours in the mail, and whether it lies there. Guarded by the lock of the owner. */
    @Nullable
    Item<M> previous;

    @Nullable
    Item<M> next;

    boolean inside;

    Item(M message, @Nullable Ask<?> ask, long since) {
        super(message, ask);
        this.since = since;
    }

    @Override
    long since() {
        return since;
    }

    /** It came in only now. */
    void since(long nanos) {
        since = nanos;
    }

    void owner(KeyOwner<?, ?, M> next) {
        owner = next;
    }

    KeyOwner<?, ?, M> owner() {
        return Objects.requireNonNull(owner);
    }

    /** Its ask has ended: it makes room for another. */
    @Override
    void lapse() {
        super.lapse();
        KeyOwner<?, ?, M> where = owner;
        if (where != null) {
            where.lapsed(this);
        }
    }

    /** Whether it has a place of its key but waits for one under the bound over all keys. */
    boolean waits() {
        return sender != null && sender.state() == Sender.State.WAITING;
    }
}

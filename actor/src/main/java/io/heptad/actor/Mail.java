package io.heptad.actor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is queued for one key, oldest first, and who waits at its door. All under the lock of the owner, but for figures. */
final class Mail<M> {
    /*
     * A message needs a place of its key, then one under the bound over all keys, in that order, so a key that floods
     * fills its own line and stands nowhere else. One that has the first and waits for the second lies in the list
     * already, where its order is settled: whoever comes later for this key is behind it, in both lines. So those that
     * wait are at the end of the list, and the head tells whether there is anything to handle.
     *
     * If there is nothing, all places of the key are held by those who wait for the bound, and whoever stands at the door
     * waits for it too. A sender inside a handler must not: it may be its own mail that keeps the bound full. So it is
     * refused, when it comes and when it comes to that.
     *
     * queued counts those that wait for nothing more. It is raised before that can be seen and lowered after the item
     * has left, by different threads, hence atomic; it never shows more than the places of the key.
     */
    private static final VarHandle QUEUED;

    static {
        try {
            QUEUED = MethodHandles.lookup().findVarHandle(Mail.class, "queued", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** What came of an item. */
    enum Entry {
        /** Inside. */
        IN,
        /** Its sender waits. */
        STANDS,
        /** No: the mailbox of the key is full, or others wait at its door. */
        KEY_FULL,
        /** No: as many are queued as may be, for all keys together. */
        ALL_FULL
    }

    /** Whether a sender may wait, and for what. */
    enum Patience {
        NONE,
        /** For its key only. */
        DOOR,
        ANY
    }

    private final int perKey;
    private final TotalBound bound;

    private @Nullable Item<M> first;
    private @Nullable Item<M> last;
    private int places;

    /** Null while nobody is there. */
    private @Nullable LinkedHashSet<Item<M>> door;

    /** How many of those at the door are inside a handler. */
    private int insiders;

    private volatile int queued;

    Mail(int perKey, TotalBound bound) {
        this.perKey = perKey;
        this.bound = bound;
    }

    void oneMore() {
        QUEUED.getAndAdd(this, 1);
    }

    private void oneLess() {
        QUEUED.getAndAdd(this, -1);
    }

    /** How many are queued; needs no lock. */
    int queued() {
        return queued;
    }

    /** Nothing lies here, and nobody waits. */
    boolean isEmpty() {
        return places == 0 && door == null;
    }

    boolean nobodyWaits() {
        return door == null;
    }

    int atDoor() {
        return door == null ? 0 : door.size();
    }

    boolean hasNext() {
        return first != null && !first.waits();
    }

    /** Since when the oldest has been here; the other one if there is none. */
    long oldestSince(long otherwise) {
        Item<M> head = first;
        return head == null || head.waits() ? otherwise : head.since();
    }

    /** Whether somebody is at the door who must not wait in vain, since others may wait for that one. */
    boolean hasInsiders() {
        return insiders > 0;
    }

    /** If the answer is STANDS, a sender stands for it. */
    Entry enter(Item<M> item, Patience patience) {
        boolean inside = patience == Patience.DOOR;
        if (places == perKey || door != null) {
            if (patience == Patience.NONE) {
                return Entry.KEY_FULL;
            }
            if (inside && !hasNext()) {
                return Entry.ALL_FULL;
            }
            Sender sender = new Sender(this, inside);
            sender.atDoor = true;
            item.sender = sender;
            if (door == null) {
                door = new LinkedHashSet<>();
            }
            door.add(item);
            insiders += inside ? 1 : 0;
            return Entry.STANDS;
        }
        if (bound.tryTake()) {
            append(item);
            oneMore();
            return Entry.IN;
        }
        if (patience != Patience.ANY) {
            return Entry.ALL_FULL;
        }
        Sender sender = new Sender(this, false);
        item.sender = sender;
        append(item);
        if (bound.takeOrStand(sender)) {
            sender.letIn();
            return Entry.IN;
        }
        return Entry.STANDS;
    }

    /** In the place of another that was taken out; false: its key is full. */
    boolean enterWithPlace(Item<M> item) {
        if (places == perKey) {
            return false;
        }
        append(item);
        oneMore();
        return true;
    }

    /** Takes out the oldest, to be handled or dropped; its place under the bound is the caller's to give back. */
    @Nullable
    Item<M> take() {
        Item<M> head = first;
        if (head == null || head.waits()) {
            return null;
        }
        unlink(head);
        oneLess();
        return head;
    }

    /** Puts an item in the place of the oldest, in one step for whoever reads the depth; null: there is none to replace. */
    @Nullable
    Item<M> replaceOldest(Item<M> item) {
        Item<M> head = first;
        if (head == null || head.waits()) {
            return null;
        }
        unlink(head);
        append(item);
        return head;
    }

    /** Takes out one that need not be handled any more. False: it is not here; else its place is the caller's to give back. */
    boolean remove(Item<M> item) {
        if (!item.inside || item.waits()) {
            return false;
        }
        unlink(item);
        oneLess();
        return true;
    }

    /** Places of this key have come free: the first at the door have them. Adds the threads that are to be unparked. */
    void admit(List<Thread> woken) {
        while (door != null && places < perKey) {
            Item<M> item = door.getFirst();
            Sender sender = sender(item);
            leaveDoor(item, sender);
            if (sender.inside && !bound.tryTake()) {
                sender.end(Sender.State.FULL);
                woken.add(sender.thread);
                continue;
            }
            append(item);
            if (sender.inside || bound.takeOrStand(sender)) {
                sender.letIn();
                woken.add(sender.thread);
            }
        }
        if (!hasNext()) {
            refuseInsiders(woken);
        }
    }

    private static Sender sender(Item<?> item) {
        Sender sender = item.sender;
        if (sender == null) {
            throw new AssertionError("nobody stands for what waits");
        }
        return sender;
    }

    private void leaveDoor(Item<M> item, Sender sender) {
        if (door != null && door.remove(item)) {
            sender.atDoor = false;
            insiders -= sender.inside ? 1 : 0;
            if (door.isEmpty()) {
                door = null;
            }
        }
    }

    /** Those at the door who are inside a handler do not come in. Adds the threads that are to be unparked. */
    void refuseInsiders(List<Thread> woken) {
        if (door == null || insiders == 0) {
            return;
        }
        for (Item<M> item : List.copyOf(door)) {
            Sender sender = sender(item);
            if (sender.inside) {
                leaveDoor(item, sender);
                sender.end(Sender.State.FULL);
                woken.add(sender.thread);
            }
        }
    }

    /** The sender waits no longer. False: too late, its fate is decided. */
    boolean leave(Item<M> item, Sender sender, Sender.State how) {
        if (sender.state() != Sender.State.WAITING) {
            return false;
        }
        if (sender.atDoor) {
            leaveDoor(item, sender);
            sender.end(how);
            return true;
        }
        if (!bound.leave(sender, how)) {
            return false;
        }
        unlink(item);
        return true;
    }

    /** Closed: nobody that waits comes in. Adds the threads that are to be unparked. */
    void turnAway(List<Thread> woken) {
        for (Item<M> item = last, earlier; item != null && item.waits(); item = earlier) {
            earlier = item.previous;
            Sender sender = sender(item);
            if (leave(item, sender, Sender.State.CLOSED)) {
                woken.add(sender.thread);
            }
        }
        while (door != null) {
            Item<M> item = door.getFirst();
            Sender sender = sender(item);
            leaveDoor(item, sender);
            sender.end(Sender.State.CLOSED);
            woken.add(sender.thread);
        }
    }

    /** Its place in line, from 1; 0 if it is not here. */
    int position(Item<?> wanted) {
        int position = 1;
        for (Item<M> item = first; item != null; item = item.next) {
            if (item == wanted) {
                return item.waits() ? 0 : position;
            }
            position++;
        }
        return 0;
    }

    private void append(Item<M> item) {
        item.inside = true;
        item.previous = last;
        if (last == null) {
            first = item;
        } else {
            last.next = item;
        }
        last = item;
        places++;
    }

    private void unlink(Item<M> item) {
        Item<M> earlier = item.previous;
        Item<M> later = item.next;
        if (earlier == null) {
            first = later;
        } else {
            earlier.next = later;
        }
        if (later == null) {
            last = earlier;
        } else {
            later.previous = earlier;
        }
        item.previous = null;
        item.next = null;
        item.inside = false;
        places--;
    }
}

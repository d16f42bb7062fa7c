package io.heptad.contract.gate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The other side of an order's actions: takes money, gives it back, packs. It keeps a ledger of what has really happened, and
 * answers a key that it has seen with what it answered then. A blank key is a new demand each time.
 */
public final class Provider {
    /** What it may be told to do with the next calls. */
    public enum Mood {
        /** Does it and says so. */
        FINE,
        /** Does nothing and says so: a definite no, also for this key later on. */
        DECLINES,
        /** As above, but forgets that it said so. */
        DECLINES_ONCE,
        /** Does it, but the reply is lost. */
        LOSES_THE_REPLY,
        /** Does not even get the call. */
        IS_AWAY
    }

    /** A definite no. */
    public static final class NoException extends Exception {
        private static final long serialVersionUID = 1L;

        public NoException(String message) {
            super(message);
        }
    }

    /** Nobody knows. */
    public static final class LostException extends java.io.IOException {
        private static final long serialVersionUID = 1L;

        public LostException(String message) {
            super(message);
        }
    }

    /** One thing that has really happened. */
    public record Entry(String kind, String order, String key) {}

    /** Called at each boundary of a call: for whoever wants to stop the world there. */
    public interface Boundary {
        void pass(String where);
    }

    private record Reply(String text, boolean yes) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Entry> ledger = new ArrayList<>();
    private final List<Entry> calls = new ArrayList<>();
    private final Map<String, Reply> replies = new HashMap<>();
    private final Map<String, List<Mood>> moods = new HashMap<>();

    /** The next calls of a kind find it in these moods, one each; after that it is fine. */
    public void mood(String kind, Mood... next) {
        locked(() -> moods.computeIfAbsent(kind, none -> new ArrayList<>()).addAll(List.of(next)));
    }

    /** Charges, refunds or packs. */
    public String call(String kind, String key, String order) throws NoException, LostException {
        lock.lock();
        try {
            calls.add(new Entry(kind, order, key));
            List<Mood> next = moods.getOrDefault(kind, new ArrayList<>());
            Mood mood = next.isEmpty() ? Mood.FINE : next.removeFirst();
            if (mood == Mood.IS_AWAY) {
                throw new LostException("no connection");
            }
            Reply reply = key.isBlank() ? null : replies.get(kind + " " + key);
            if (reply == null) {
                boolean yes = mood == Mood.FINE || mood == Mood.LOSES_THE_REPLY;
                reply = new Reply(yes ? kind + "-" + (ledger.size() + 1) : "not possible", yes);
                if (yes) {
                    ledger.add(new Entry(kind, order, key));
                }
                if (mood != Mood.DECLINES_ONCE) {
                    replies.put(kind + " " + key, reply);
                }
            }
            if (mood == Mood.LOSES_THE_REPLY) {
                throw new LostException("no reply");
            }
            if (!reply.yes) {
                throw new NoException(reply.text);
            }
            return reply.text;
        } finally {
            lock.unlock();
        }
    }

    /** How often a kind has really happened to an order. */
    public int count(String kind, String order) {
        return (int) ledger().stream()
                .filter(entry -> entry.kind().equals(kind) && entry.order().equals(order))
                .count();
    }

    /** What has really happened. */
    public List<Entry> ledger() {
        lock.lock();
        try {
            return List.copyOf(ledger);
        } finally {
            lock.unlock();
        }
    }

    /** Every call that came, whatever became of it. */
    public List<Entry> calls() {
        lock.lock();
        try {
            return List.copyOf(calls);
        } finally {
            lock.unlock();
        }
    }

    private void locked(Runnable body) {
        lock.lock();
        try {
            body.run();
        } finally {
            lock.unlock();
        }
    }
}

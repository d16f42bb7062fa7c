package io.heptad.bench.sync;

import io.heptad.core.VoidBody;
import io.heptad.sync.KeyedLock;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** One body at a time for a key, in its several ways. All are fair but the one that says so. */
interface Keyed {
    int STRIPES = 64;

    void withLock(Integer key, VoidBody<RuntimeException> body) throws InterruptedException;

    static Keyed of(String peer) {
        return switch (peer) {
            case "heptad" -> {
                KeyedLock<Integer> lock = KeyedLock.create();
                yield lock::withLock;
            }
            case "striped" -> striped(true);
            case "striped, unfair" -> striped(false);
            case "map of locks" -> {
                ConcurrentHashMap<Integer, ReentrantLock> locks = new ConcurrentHashMap<>();
                yield (key, body) -> locked(locks.computeIfAbsent(key, first -> new ReentrantLock(true)), body);
            }
            case "map, counted" -> {
                ConcurrentHashMap<Integer, Counted> locks = new ConcurrentHashMap<>();
                yield (key, body) -> {
                    Counted mine = locks.compute(key, (same, there) -> {
                        Counted counted = there == null ? new Counted() : there;
                        counted.users++;
                        return counted;
                    });
                    try {
                        locked(mine.lock, body);
                    } finally {
                        locks.compute(key, (same, there) -> --mine.users == 0 ? null : there);
                    }
                };
            }
            default -> throw new IllegalArgumentException("peer is " + peer);
        };
    }

    /** A lock, and how many want it; the count is guarded by the map's own bin. */
    final class Counted {
        private final ReentrantLock lock = new ReentrantLock(true);
        private int users;
    }

    private static Keyed striped(boolean fair) {
        ReentrantLock[] stripes = new ReentrantLock[STRIPES];
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new ReentrantLock(fair);
        }
        return (key, body) -> {
            int hash = key.hashCode() * 0x9E3779B9;
            locked(stripes[hash >>> 26], body);
        };
    }

    private static void locked(ReentrantLock lock, VoidBody<RuntimeException> body) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            body.run();
        } finally {
            lock.unlock();
        }
    }
}

package io.heptad.gate;

import io.heptad.core.FullException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** The outbox of a store in memory: messages in the order of their commits, so many at most. */
final class Outgoing {
    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, OutboxMessage> messages = new LinkedHashMap<>();

    Outgoing(int capacity) {
        this.capacity = capacity;
    }

    /** All of them or none. An id that waits already is the same message: it is not added again. */
    void add(List<OutboxMessage> more) {
        if (more.isEmpty()) {
            return;
        }
        lock.lock();
        try {
            if (messages.size() > capacity - more.size()) {
                throw new FullException("outbox", capacity, messages.size(), null);
            }
            more.forEach(message -> messages.putIfAbsent(message.id(), message));
        } finally {
            lock.unlock();
        }
    }

    List<OutboxMessage> first(int max) {
        lock.lock();
        try {
            return messages.values().stream().limit(max).toList();
        } finally {
            lock.unlock();
        }
    }

    boolean remove(String id) {
        lock.lock();
        try {
            return messages.remove(id) != null;
        } finally {
            lock.unlock();
        }
    }
}

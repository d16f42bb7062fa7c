package io.heptad.queue;

/** What Flight Recorder is told. A disabled event costs one check. */
final class QueueEvents {
    private final String queue;
    private final int capacity;

    QueueEvents(String queue, int capacity) {
        this.queue = queue;
        this.capacity = capacity;
    }

    QueueFullEvent beginWait() {
        QueueFullEvent event = new QueueFullEvent();
        event.begin();
        return event;
    }

    void endWait(QueueFullEvent event, String outcome) {
        event.end();
        if (event.shouldCommit()) {
            event.queue = queue;
            event.capacity = capacity;
            event.outcome = outcome;
            event.commit();
        }
    }

    void refused(long depth) {
        QueueRefusedEvent event = new QueueRefusedEvent();
        if (event.isEnabled()) {
            event.queue = queue;
            event.capacity = capacity;
            event.depth = depth;
            event.commit();
        }
    }

    void dropped(String which) {
        QueueDroppedEvent event = new QueueDroppedEvent();
        if (event.isEnabled()) {
            event.queue = queue;
            event.capacity = capacity;
            event.which = which;
            event.commit();
        }
    }
}

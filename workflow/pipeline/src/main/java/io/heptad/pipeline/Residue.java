package io.heptad.pipeline;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** What did not get through: filled by whoever halts the pipeline, and by workers that find it halted. */
final class Residue {
    private final ReentrantLock lock = new ReentrantLock();
    private final List<List<Object>> begun = new ArrayList<>();
    private final List<List<Object>> queued = new ArrayList<>();
    private final List<List<Object>> waiting = new ArrayList<>();

    Residue(int stages) {
        for (int i = 0; i < stages; i++) {
            begun.add(new ArrayList<>());
            queued.add(new ArrayList<>());
            waiting.add(new ArrayList<>());
        }
    }

    void begun(int stage, Object item) {
        add(begun.get(stage), item);
    }

    /** Out of the queue of the stage, in its order. */
    void queued(int stage, Object item) {
        add(queued.get(stage), item);
    }

    /** On its way into that queue, or taken out of it and not begun with. */
    void waiting(int stage, Object item) {
        add(waiting.get(stage), item);
    }

    private void add(List<Object> to, Object item) {
        lock.lock();
        try {
            to.add(item);
        } finally {
            lock.unlock();
        }
    }

    List<StageResidue> of(List<Stage> stages) {
        lock.lock();
        try {
            return stages.stream()
                    .map(stage -> {
                        List<Object> all = new ArrayList<>(queued.get(stage.index));
                        all.addAll(waiting.get(stage.index));
                        return new StageResidue(stage.name, begun.get(stage.index), all);
                    })
                    .filter(one -> !one.begun().isEmpty() || !one.waiting().isEmpty())
                    .toList();
        } finally {
            lock.unlock();
        }
    }
}

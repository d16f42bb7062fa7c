package io.heptad.core;

import io.heptad.contract.BoundedContract;
import io.heptad.contract.Handler;
import io.heptad.contract.Item;

/** The queue of two semaphores passes the suite that every shape of Heptad passes. */
class SemaphoreQueueContractTest extends BoundedContract {
    @Override
    protected Subject open(String name, int capacity, FullPolicy whenFull, Handler handler) {
        return new SemaphoreSubject(name, capacity, whenFull, handler, fault());
    }

    SemaphoreQueue.Fault fault() {
        return SemaphoreQueue.Fault.NONE;
    }

    private static final class SemaphoreSubject implements Subject {
        private final SemaphoreQueue<Item> queue;

        SemaphoreSubject(String name, int capacity, FullPolicy whenFull, Handler handler, SemaphoreQueue.Fault fault) {
            queue = new SemaphoreQueue<>(name, capacity, whenFull, fault);
            Thread.startVirtualThread(() -> {
                for (Item item; (item = queue.take()) != null; ) {
                    queue.begin();
                    handler.handle(item);
                    queue.end();
                }
            });
        }

        @Override
        public Bounded shape() {
            return queue;
        }

        @Override
        public boolean put(Item item) throws InterruptedException {
            return queue.put(item);
        }

        @Override
        public boolean offer(Item item) {
            return queue.offer(item);
        }

        @Override
        public void close() {
            queue.close();
        }
    }
}

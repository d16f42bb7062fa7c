package io.heptad.queue;

import io.heptad.contract.BoundedContract;
import io.heptad.contract.Handler;
import io.heptad.contract.Item;
import io.heptad.core.Bounded;
import io.heptad.core.FullPolicy;

class BoundedQueueContractTest extends BoundedContract {
    @Override
    protected Subject open(String name, int capacity, FullPolicy whenFull, Handler handler) {
        BoundedQueue<Item> queue =
                BoundedQueue.<Item>builder(capacity, whenFull).name(name).build();
        Thread.startVirtualThread(() -> {
            try {
                queue.consumeAll(handler::handle);
            } catch (InterruptedException impossible) {
                throw new AssertionError(impossible);
            }
        });
        return new Subject() {
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
        };
    }
}

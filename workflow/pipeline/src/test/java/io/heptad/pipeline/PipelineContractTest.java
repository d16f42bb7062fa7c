package io.heptad.pipeline;

import io.heptad.contract.BoundedContract;
import io.heptad.contract.Handler;
import io.heptad.contract.Item;
import io.heptad.core.Bounded;
import io.heptad.core.FullPolicy;

/** The three questions, of the queue before the first stage. */
class PipelineContractTest extends BoundedContract {
    @Override
    protected Subject open(String name, int capacity, FullPolicy whenFull, Handler handler) {
        Pipeline<Item> pipeline = Pipeline.of(name, Item.class)
                .then(
                        "read",
                        1,
                        item -> {
                            handler.handle(item);
                            return item;
                        },
                        options -> options.capacity(capacity).whenFull(whenFull))
                .start();
        return new Subject() {
            @Override
            public Bounded shape() {
                return pipeline;
            }

            @Override
            public boolean put(Item item) throws InterruptedException {
                return pipeline.put(item);
            }

            @Override
            public boolean offer(Item item) {
                return pipeline.offer(item);
            }

            @Override
            public void close() {
                pipeline.close();
            }
        };
    }
}

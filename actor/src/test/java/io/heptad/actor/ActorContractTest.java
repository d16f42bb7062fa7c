package io.heptad.actor;

import io.heptad.contract.BoundedContract;
import io.heptad.contract.Handler;
import io.heptad.contract.Item;
import io.heptad.core.Bounded;
import io.heptad.core.FullPolicy;

/** An actor answers the three questions. */
class ActorContractTest extends BoundedContract {
    @Override
    protected String bound() {
        return "mailbox";
    }

    @Override
    protected Subject open(String name, int capacity, FullPolicy whenFull, Handler handler) {
        Actor<Item> actor = Actor.of(name, capacity, whenFull, 0, (count, item, context) -> {
            handler.handle(item);
            return count + 1;
        });
        return new Subject() {
            @Override
            public Bounded shape() {
                return actor;
            }

            @Override
            public boolean put(Item item) throws InterruptedException {
                return actor.send(item);
            }

            @Override
            public boolean offer(Item item) {
                return actor.offer(item);
            }

            @Override
            public void close() {
                actor.close();
            }
        };
    }
}

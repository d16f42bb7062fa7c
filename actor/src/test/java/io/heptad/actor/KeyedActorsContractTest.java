package io.heptad.actor;

import io.heptad.contract.BoundedContract;
import io.heptad.contract.Handler;
import io.heptad.core.Bounded;
import io.heptad.core.FullPolicy;
import org.junit.jupiter.api.Nested;

/** Keyed actors, filled through one key: once its own mailbox is the narrow one, once the bound over all keys. */
class KeyedActorsContractTest {
    @Nested
    class WhereTheKeyIsNarrow extends Contract {
        @Override
        protected String bound() {
            return "perKey";
        }

        @Override
        KeyedActors.Bound<String, io.heptad.contract.Item> bounded(String name, int capacity, FullPolicy whenFull) {
            return KeyedActors.named(name, String.class, io.heptad.contract.Item.class)
                    .mailbox(capacity, whenFull)
                    .totalQueued(capacity);
        }
    }

    @Nested
    class WhereAllKeysTogetherAreNarrow extends Contract {
        @Override
        protected String bound() {
            return "totalQueued";
        }

        @Override
        KeyedActors.Bound<String, io.heptad.contract.Item> bounded(String name, int capacity, FullPolicy whenFull) {
            return KeyedActors.named(name, String.class, io.heptad.contract.Item.class)
                    .mailbox(Integer.MAX_VALUE, whenFull)
                    .totalQueued(capacity);
        }
    }

    abstract static class Contract extends BoundedContract {
        abstract KeyedActors.Bound<String, io.heptad.contract.Item> bounded(
                String name, int capacity, FullPolicy whenFull);

        @Override
        protected Subject open(String name, int capacity, FullPolicy whenFull, Handler handler) {
            KeyedActors<String, io.heptad.contract.Item> actors = bounded(name, capacity, whenFull)
                    .state(key -> key, (state, item, context) -> {
                        handler.handle(item);
                        return state;
                    })
                    .start();
            return new Subject() {
                @Override
                public Bounded shape() {
                    return actors;
                }

                @Override
                public boolean put(io.heptad.contract.Item item) throws InterruptedException {
                    return actors.send("key", item);
                }

                @Override
                public boolean offer(io.heptad.contract.Item item) {
                    return actors.offer("key", item);
                }

                @Override
                public void close() {
                    actors.close();
                }
            };
        }
    }
}

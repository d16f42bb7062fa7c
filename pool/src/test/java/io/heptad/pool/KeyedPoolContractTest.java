package io.heptad.pool;

import io.heptad.contract.BoundedContract;
import io.heptad.contract.Handler;
import io.heptad.contract.Item;
import io.heptad.core.Bounded;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;

/** The line of a keyed pool, filled by one key: once its own line is the narrow one, once the pool's. */
class KeyedPoolContractTest {
    @Nested
    class WhereTheKeyIsNarrow extends Contract {
        @Override
        KeyedPool<String> keyed(WorkerPool pool, int capacity) {
            return pool.perKey(1, capacity);
        }
    }

    @Nested
    class WhereThePoolIsNarrow extends Contract {
        @Override
        KeyedPool<String> keyed(WorkerPool pool, int capacity) {
            return pool.perKey(1, Integer.MAX_VALUE);
        }
    }

    @Nested
    class WhereTheSlotsAreNarrow extends Contract {
        @Override
        KeyedPool<String> keyed(WorkerPool pool, int capacity) {
            return pool.perKey(Integer.MAX_VALUE, 1);
        }
    }

    abstract static class Contract extends BoundedContract {
        abstract KeyedPool<String> keyed(WorkerPool pool, int capacity);

        @Override
        protected String bound() {
            return "waiting";
        }

        @Override
        protected Set<FullPolicy> offering() {
            return EnumSet.of(FullPolicy.BLOCK, FullPolicy.REJECT);
        }

        @Override
        protected Subject open(String name, int capacity, FullPolicy whenFull, Handler handler) {
            WorkerPool pool = WorkerPool.of(name, 1, capacity, whenFull);
            KeyedPool<String> keyed = keyed(pool, capacity);
            return new Subject() {
                @Override
                public Bounded shape() {
                    return keyed;
                }

                @Override
                public boolean put(Item item) throws InterruptedException {
                    CompletableFuture<Void> future = keyed.submit("key", () -> handler.handle(item));
                    if (future.isCancelled() && Thread.interrupted()) {
                        throw new InterruptedException();
                    }
                    return !(future.isCompletedExceptionally()
                            && future.exceptionNow() instanceof FullException
                            && whenFull == FullPolicy.DROP_NEWEST);
                }

                @Override
                public boolean offer(Item item) {
                    try {
                        keyed.submit("key", Duration.ZERO, () -> {
                            handler.handle(item);
                            return null;
                        });
                        return true;
                    } catch (FullException full) {
                        return false;
                    } catch (InterruptedException impossible) {
                        throw new AssertionError(impossible);
                    }
                }

                @Override
                public void close() {
                    pool.close();
                }
            };
        }
    }
}

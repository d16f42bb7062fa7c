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

class WorkerPoolContractTest extends BoundedContract {
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
        return new Subject() {
            @Override
            public Bounded shape() {
                return pool;
            }

            @Override
            public boolean put(Item item) throws InterruptedException {
                CompletableFuture<Void> future = pool.submit(() -> handler.handle(item));
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
                    pool.submit(Duration.ZERO, () -> {
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

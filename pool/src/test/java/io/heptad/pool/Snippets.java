package io.heptad.pool;

import static io.heptad.core.FullPolicy.REJECT;

import java.util.concurrent.CompletableFuture;

/** The examples of the javadoc, compiled. */
final class Snippets {
    private Snippets() {}

    static String pool() throws InterruptedException {
        // @start region="pool"
        WorkerPool db = WorkerPool.of("db-connections", 10, 100, REJECT); // as many slots as the connection pool has

        CompletableFuture<String> later = db.submit(() -> query("select 1")); // in a thread of the pool
        String now = db.run(() -> query("select 2")); // in this thread, inside a slot

        PoolStats stats = db.stats();
        if (stats.saturated()) {
            System.out.println(stats.waiting() + " wait, the first for " + stats.oldestWait());
        }
        // @end
        String result = later.join() + now;
        db.close();
        return result;
    }

    static String keyed() throws InterruptedException {
        // @start region="keyed"
        WorkerPool deliveries = WorkerPool.of("outbound-http", 50, 10_000, REJECT);
        KeyedPool<String> perCustomer = deliveries.perKey(5, 200); // of the 50 slots, at most 5 for any one customer

        perCustomer.submit("acme", () -> query("deliver"));
        String reply = perCustomer.run("globex", () -> query("deliver now"));
        // @end
        deliveries.close();
        return reply;
    }

    private static String query(String sql) {
        return sql;
    }
}

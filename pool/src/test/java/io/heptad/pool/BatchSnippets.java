package io.heptad.pool;

import io.heptad.core.Work;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;

/** The examples of the batch, compiled. */
final class BatchSnippets {
    private BatchSnippets() {}

    static List<String> settle(WorkerPool partner, List<String> items) throws InterruptedException {
        // @start region="settle"
        BatchReport<String, Integer> report = partner.settle(items, item -> call(item));
        // @end
        // @start region="report"
        System.out.println(report.summary()); // 10000 items: 9700 succeeded, 300 failed; took p50 48 ms, …
        List<String> again = report.retryInput();
        // @end
        return again;
    }

    static void forEachSettled(WorkerPool partner, Iterator<String> items, Work<String, Integer> call)
            throws InterruptedException {
        // @start region="settled"
        partner.forEachSettled(items, call, one -> {
            switch (one) {
                case Settled.Succeeded<String, Integer>(var item, var value, var took) -> store(item, value);
                case Settled.Failed<String, Integer>(var item, var cause, var took) -> tryLater(item, cause);
            }
        });
        // @end
    }

    private static int call(String item) throws IOException {
        if (item.isEmpty()) {
            throw new IOException("empty");
        }
        return item.length();
    }

    private static void store(String item, int value) {}

    private static void tryLater(String item, Throwable cause) {}
}

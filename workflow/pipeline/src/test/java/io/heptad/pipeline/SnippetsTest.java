package io.heptad.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.FullPolicy;
import io.heptad.pool.WorkerPool;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The examples of the javadoc and of the pattern page, compiled and run. */
@Watched
class SnippetsTest {
    private final Queue<Receipt> receipts = new ConcurrentLinkedQueue<>();
    private final List<String> printed = new CopyOnWriteArrayList<>();

    private record Order(String customer, int amount) {}

    private record Receipt(String text) {}

    private static Order parse(String line) {
        String[] words = line.split(",");
        return new Order(words[0], Integer.parseInt(words[1]));
    }

    private static Order validate(Order order) {
        if (order.amount() < 0) {
            throw new IllegalArgumentException("negative amount");
        }
        return order;
    }

    private static Receipt deliver(Order order) {
        return new Receipt(order.customer() + " " + order.amount());
    }

    private void print(Object line) {
        printed.add(line.toString());
    }

    @Test
    void pipeline() throws InterruptedException {
        // @start region="pipeline"
        Pipeline<String> uploads = Pipeline.of("uploads", String.class)
                .then("parse", 4, SnippetsTest::parse) // as many as there are cores
                .then("validate", 10, SnippetsTest::validate) // as many as there are connections
                .then("deliver", 100, SnippetsTest::deliver) // waits for the network
                .into(receipts::add)
                .onFailure(
                        failed -> print(failed.stage() + ": " + failed.cause().getMessage()))
                .start();

        for (String line : List.of("ann,5", "bob,-1", "cid,7")) {
            uploads.put(line); // waits while the first stage is full
        }
        uploads.stats().bottleneck().ifPresent(stage -> print(stage.name() + " cannot keep up"));

        DrainReport end = uploads.close(Duration.ofSeconds(10));
        print(end.stats().out() + " out, " + end.stats().failed() + " failed, " + end.left() + " handed back");
        // @end

        assertThat(receipts).extracting(Receipt::text).containsExactlyInAnyOrder("ann 5", "cid 7");
        assertThat(printed).contains("validate: negative amount", "2 out, 1 failed, 0 handed back");
    }

    @Test
    void options() throws InterruptedException {
        WorkerPool db = WorkerPool.of("db-connections", 10, 100, FullPolicy.BLOCK);
        // @start region="options"
        Pipeline<String> uploads = Pipeline.of("uploads", String.class)
                .then(
                        "parse",
                        4,
                        SnippetsTest::parse,
                        options -> options.capacity(100).ordered()) // a burst waits here
                .then(
                        "validate",
                        10,
                        SnippetsTest::validate,
                        options -> options.pool(db).ordered()) // shared limits
                .then("deliver", 100, SnippetsTest::deliver, options -> options.orderedBy(Order::customer))
                .into(receipts::add)
                .start();
        // @end
        uploads.put("ann,5");
        uploads.put("ann,6");

        assertThat(uploads.close(Wait.LONG).drained()).isTrue();
        assertThat(receipts).extracting(Receipt::text).containsExactly("ann 5", "ann 6");
        db.close();
    }

    @Test
    void twoSteps() throws InterruptedException {
        // @start region="two-steps"
        WorkerPool db = WorkerPool.of("db-connections", 10, 100, FullPolicy.BLOCK);
        for (String line : List.of("ann,5", "cid,7")) {
            db.submit(() -> validate(parse(line))); // two steps, one resource: one task
        }
        db.close(Duration.ofSeconds(10));
        // @end
        assertThat(db.stats().completed()).isEqualTo(2);
    }
}

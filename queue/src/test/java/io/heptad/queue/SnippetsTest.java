package io.heptad.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.FullPolicy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The examples of the javadoc, compiled and run. */
@Watched
class SnippetsTest {
    private final List<String> printed = new CopyOnWriteArrayList<>();

    private void print(String letter) {
        printed.add(letter);
    }

    @Test
    void betweenTwoRhythms() throws InterruptedException {
        // @start region="between-two-rhythms"
        BoundedQueue<String> letters = BoundedQueue.of(100, FullPolicy.BLOCK);

        Thread consumer = Thread.startVirtualThread(() -> {
            try {
                letters.consumeAll(this::print); // until closed and drained
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        });

        letters.put("first"); // waits while 100 others are inside
        letters.put("second");
        letters.close();
        consumer.join();
        // @end

        assertThat(printed).containsExactly("first", "second");
    }
}

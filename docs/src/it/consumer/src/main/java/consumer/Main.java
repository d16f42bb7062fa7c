package consumer;

import io.heptad.core.FullPolicy;
import io.heptad.queue.BoundedQueue;
import java.util.List;

/** Uses what it imported, and says where it found it. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws InterruptedException {
        // @start region="eight-lines"
        BoundedQueue<String> orders = BoundedQueue.of(100, FullPolicy.BLOCK); // its bound, and what happens when full
        Thread packer = Thread.startVirtualThread(() -> packAll(orders));
        for (String order : List.of("tea", "coffee", "cocoa")) {
            orders.put(order); // waits while 100 orders wait
        }
        System.out.println("waiting: " + orders.depth()); // its depth: anyone may ask, at any time
        orders.close(); // no more orders; those inside are still packed
        packer.join();
        // @end
        System.out.println("taken: " + orders.stats().taken());
        System.out.println("runs in: " + where(Main.class) + ", queue in: " + where(BoundedQueue.class));
        System.out.println("jspecify: " + isThere("org.jspecify.annotations.Nullable"));
        System.out.println("micrometer: " + isThere("io.micrometer.core.instrument.MeterRegistry"));
    }

    private static void packAll(BoundedQueue<String> orders) {
        try {
            orders.consumeAll(order -> System.out.println("packed: " + order));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static String where(Class<?> type) {
        return type.getModule().isNamed() ? type.getModule().getName() : "the class path";
    }

    private static String isThere(String type) {
        try {
            Class.forName(type);
            return "there";
        } catch (ClassNotFoundException expected) {
            return "not there";
        }
    }
}

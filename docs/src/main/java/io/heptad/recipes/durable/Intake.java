package io.heptad.recipes.durable;

import io.heptad.core.FullPolicy;
import io.heptad.queue.BoundedQueue;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The process that is killed: accepts items, handles some of them, and is halted in the middle of the next one. It says
 * on its output what it has accepted and handled, which is what its callers know of it.
 */
final class Intake {
    static final int KILLED = 9;

    private Intake() {}

    /**
     * Accepts, handles and is killed.
     *
     * @param arguments the kind of the queue, the journal, how many items to accept and how many to handle
     * @throws Exception if it could not even do that
     */
    public static void main(String[] arguments) throws Exception {
        boolean durable = arguments[0].equals("journal");
        int items = Integer.parseInt(arguments[2]);
        int handled = Integer.parseInt(arguments[3]);
        if (durable) {
            durable(Path.of(arguments[1]), items, handled);
        } else {
            inMemory(items, handled);
        }
    }

    private static void inMemory(int items, int handled) throws InterruptedException {
        try (BoundedQueue<String> queue = BoundedQueue.of(items, FullPolicy.REJECT)) {
            for (int i = 1; i <= items; i++) {
                queue.put("item-" + i);
                say("accepted item-" + i);
            }
            for (int i = 0; i < handled; i++) {
                say("handled " + queue.take());
            }
            queue.take();
            kill();
        }
    }

    private static void durable(Path file, int items, int handled) throws IOException, InterruptedException {
        try (DurableQueue queue = DurableQueue.open(file, items)) {
            for (int i = 1; i <= items; i++) {
                if (queue.offer("item-" + i)) {
                    say("accepted item-" + i);
                }
            }
            for (int i = 0; i < handled; i++) {
                DurableQueue.Entry entry = queue.take();
                say("handled " + entry.item());
                queue.done(entry);
            }
            queue.take(); // taken and not done: the worst moment
            kill();
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static void kill() {
        Runtime.getRuntime().halt(KILLED); // no hook, no finally, nothing flushed: as with kill -9
    }
}

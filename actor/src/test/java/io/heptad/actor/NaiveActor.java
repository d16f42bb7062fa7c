package io.heptad.actor;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;

/** The actor as the pattern text prints it: a bounded queue, a loop over it, and a handler. To show what goes wrong. */
final class NaiveActor<M> {
    private final BlockingQueue<M> mailbox;
    private final Thread loop;

    NaiveActor(int mailbox, Consumer<M> handler) {
        this.mailbox = new ArrayBlockingQueue<>(mailbox);
        loop = Thread.ofVirtual().unstarted(() -> {
            try {
                while (true) {
                    handler.accept(this.mailbox.take());
                }
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
        });
        loop.start();
    }

    void send(M message) throws InterruptedException {
        mailbox.put(message);
    }

    boolean offer(M message) {
        return mailbox.offer(message);
    }

    Thread loop() {
        return loop;
    }
}

package io.heptad.bench.sync;

import io.heptad.sync.Latch;
import java.util.concurrent.CountDownLatch;

/** What a latch is asked for. A fork uses one implementation only, so the calls are monomorphic and inlined. */
interface Gate {
    void countDown();

    void await() throws InterruptedException;

    long remaining();

    static Gate of(String peer, int count) {
        return switch (peer) {
            case "heptad" -> new Heptad(Latch.of(count));
            case "CountDownLatch" -> new Jdk(new CountDownLatch(count));
            default -> throw new IllegalArgumentException("peer is " + peer);
        };
    }

    record Heptad(Latch latch) implements Gate {
        @Override
        public void countDown() {
            latch.countDown();
        }

        @Override
        public void await() throws InterruptedException {
            latch.await();
        }

        @Override
        public long remaining() {
            return latch.remaining();
        }
    }

    record Jdk(CountDownLatch latch) implements Gate {
        @Override
        public void countDown() {
            latch.countDown();
        }

        @Override
        public void await() throws InterruptedException {
            latch.await();
        }

        @Override
        public long remaining() {
            return latch.getCount();
        }
    }
}

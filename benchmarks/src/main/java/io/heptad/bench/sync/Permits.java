package io.heptad.bench.sync;

import io.heptad.sync.Signal;
import java.util.concurrent.Semaphore;

/** A semaphore that starts at zero and is fair: ours, or the JDK's. */
interface Permits {
    void release();

    void acquire() throws InterruptedException;

    int available();

    static Permits of(String peer) {
        return switch (peer) {
            case "heptad" ->
                new Permits() {
                    private final Signal signal = Signal.create();

                    @Override
                    public void release() {
                        signal.release();
                    }

                    @Override
                    public void acquire() throws InterruptedException {
                        signal.acquire();
                    }

                    @Override
                    public int available() {
                        return signal.available();
                    }
                };
            case "Semaphore" ->
                new Permits() {
                    private final Semaphore semaphore = new Semaphore(0, true);

                    @Override
                    public void release() {
                        semaphore.release();
                    }

                    @Override
                    public void acquire() throws InterruptedException {
                        semaphore.acquire();
                    }

                    @Override
                    public int available() {
                        return semaphore.availablePermits();
                    }
                };
            default -> throw new IllegalArgumentException("peer is " + peer);
        };
    }
}

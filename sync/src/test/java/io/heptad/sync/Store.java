package io.heptad.sync;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** Leases behind a line that a test can cut, before or after the effect, or make slow. */
final class Store implements Leases {
    private final Leases leases;
    final List<String> calls = new CopyOnWriteArrayList<>();
    volatile Runnable before = () -> {};
    volatile Runnable after = () -> {};

    Store(Leases leases) {
        this.leases = leases;
    }

    static Runnable cut(String why) {
        return () -> {
            throw new IllegalStateException(why);
        };
    }

    void whole() {
        before = () -> {};
        after = () -> {};
    }

    @Override
    public Optional<Lease> acquire(String resource, String holder, Duration ttl) {
        return call("acquire", () -> leases.acquire(resource, holder, ttl));
    }

    @Override
    public Optional<Lease> renew(Lease lease, Duration ttl) {
        return call("renew", () -> leases.renew(lease, ttl));
    }

    @Override
    public boolean release(Lease lease) {
        return call("release", () -> leases.release(lease));
    }

    private <T> T call(String what, Supplier<T> call) {
        calls.add(what);
        before.run();
        T answer = call.get();
        after.run();
        return answer;
    }
}

package io.heptad.recipes.partner;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** A partner inside the process that answers at once: for runs whose subject is the memory, not the network. */
final class StubPartner implements PartnerApi, Witness {
    private final Traits traits;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger peak = new AtomicInteger();

    StubPartner(Traits traits) {
        this.traits = traits;
    }

    @Override
    public String call(String item, int attempt, Duration timeout) throws PartnerException {
        int now = inFlight.incrementAndGet();
        try {
            if (now > peak.get()) {
                peak.accumulateAndGet(now, Math::max);
            }
            return switch (traits.answer(item, attempt)) {
                case REPLY -> "ok";
                case FAILURE -> throw new PartnerException("HTTP 500");
                case HANG_UP -> throw new PartnerException("hung up");
            };
        } finally {
            inFlight.decrementAndGet();
        }
    }

    @Override
    public int peak() {
        return peak.get();
    }

    @Override
    public String says() {
        return "inside this process, answering at once";
    }

    @Override
    public void close() {
        // It holds nothing.
    }
}

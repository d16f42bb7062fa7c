package io.heptad.sync;

import io.heptad.sync.Round.Arrival;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How a round stands at one instant.
 *
 * @param parties how many it takes
 * @param missing the named parties that have not arrived
 * @param waits those that have, in the order in which they came
 */
record Standing(int parties, Set<String> missing, List<Wait> waits) {
    record Wait(@Nullable String party, long nanos) {
        @Override
        public String toString() {
            return party + " " + millis(nanos);
        }
    }

    static Standing of(int parties, Collection<String> names, @Nullable Arrival latest) {
        Set<String> missing = new LinkedHashSet<>(names);
        List<Wait> waits = new ArrayList<>();
        long now = System.nanoTime();
        for (Arrival arrival = latest; arrival != null; arrival = arrival.before) {
            if (arrival.count <= parties) { // later ones belong to the next round
                waits.add(new Wait(arrival.party, now - arrival.since));
                missing.remove(arrival.party);
            }
        }
        Collections.reverse(waits);
        return new Standing(parties, Collections.unmodifiableSet(missing), waits);
    }

    long longestWaitNanos() {
        return waits.stream().mapToLong(Wait::nanos).max().orElse(0);
    }

    Duration longestWait() {
        return Duration.ofNanos(longestWaitNanos());
    }

    private boolean named() {
        return !missing.isEmpty() || (!waits.isEmpty() && waits.getFirst().party() != null);
    }

    String missingInWords() {
        if (waits.size() == parties) {
            return "nobody";
        }
        return named() ? missing.toString() : parties - waits.size() + " of " + parties;
    }

    String inWords() {
        String had = waits.isEmpty()
                ? "nobody waited"
                : named()
                        ? "had waited: " + waits.stream().map(Wait::toString).collect(Collectors.joining(", "))
                        : waits.size() + " had waited, up to " + millis(longestWaitNanos());
        return missingInWords() + " missing; " + had;
    }

    private static String millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
    }
}

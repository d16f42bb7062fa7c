package io.heptad.recipes.orders;

import java.time.Duration;
import java.util.List;

/**
 * What the provider and the packer are like. What they do with an order follows from the order and the seed, so that a run can
 * be repeated.
 *
 * @param latency how long a call takes
 * @param refused the share of cards that are declined
 * @param unpackable the share of orders that cannot be packed
 * @param lost the share of calls whose answer is lost
 * @param seed what all of it follows from
 */
record Traits(List<Duration> latency, double refused, double unpackable, double lost, long seed) {
    boolean isDeclined(String kind, String order) {
        return switch (kind) {
            case "charge" -> share("card " + order) < refused;
            case "pack" -> share("shelf " + order) < unpackable;
            default -> false; // money is always taken back
        };
    }

    /** Whether the first answer to a key is lost. */
    boolean isLost(String key) {
        return share("line " + key) < lost;
    }

    Duration takes(String key) {
        long least = latency.getFirst().toNanos();
        return Duration.ofNanos(least + (long) ((latency.getLast().toNanos() - least) * share("time " + key)));
    }

    /** Evenly from 0 to 1. */
    private double share(String what) {
        long mixed = (what.hashCode() + seed * 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 29)) * 0x94D049BB133111EBL;
        return ((mixed ^ (mixed >>> 32)) >>> 11) * 0x1p-53;
    }
}

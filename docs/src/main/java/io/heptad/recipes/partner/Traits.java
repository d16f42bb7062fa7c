package io.heptad.recipes.partner;

import io.heptad.recipes.Options;
import java.time.Duration;
import java.util.List;

/**
 * What the partner is like. Which item fails and which request is slow follow from the seed, the item and the attempt
 * alone, so a run can be repeated whatever its threads do.
 *
 * @param connections how many requests it takes at a time; further ones get 503
 * @param rate how many requests a second it takes; further ones get 429; 0 means no limit
 * @param burst how many requests beyond the rate it lets pass within one second
 * @param quickest the least time a reply takes
 * @param longest the most time a reply takes, unless it is slow
 * @param failing the share of the items that get 500, at every attempt
 * @param slow the share of the requests whose reply is slow
 * @param slowness how long a slow reply takes
 * @param hangups the share of the requests whose reply breaks off in the middle
 * @param seed the seed of all of that
 */
record Traits(
        int connections,
        int rate,
        int burst,
        Duration quickest,
        Duration longest,
        double failing,
        double slow,
        Duration slowness,
        double hangups,
        long seed) {

    /** What the partner does about one request. */
    enum Answer {
        /** 200 and a body. */
        REPLY,
        /** 500. */
        FAILURE,
        /** 200, half the body, and the line goes dead. */
        HANG_UP
    }

    static Traits from(Options options) {
        List<Duration> latency = options.durations("partner.latency");
        int rate = options.text("partner.rate").isEmpty()
                ? options.count("rate", 0, 1_000_000)
                : options.count("partner.rate", 0, 1_000_000);
        return new Traits(
                options.count("partner.connections", 1, 100_000),
                rate,
                Math.max(10, rate / 4),
                latency.getFirst(),
                latency.getLast(),
                options.percent("partner.failing"),
                options.percent("partner.slow"),
                options.duration("partner.slow.latency"),
                options.percent("partner.hangups"),
                options.number("seed", Long.MIN_VALUE, Long.MAX_VALUE));
    }

    Answer answer(String item, int attempt) {
        if (share(item, 0, 1) < failing) {
            return Answer.FAILURE;
        }
        return share(item, attempt, 2) < hangups ? Answer.HANG_UP : Answer.REPLY;
    }

    Duration latency(String item, int attempt) {
        if (share(item, attempt, 3) < slow) {
            return slowness;
        }
        long span = longest.minus(quickest).toNanos();
        return quickest.plusNanos((long) (span * share(item, attempt, 4)));
    }

    /** The longest reply there can be. */
    Duration slowest() {
        return slow > 0 && slowness.compareTo(longest) > 0 ? slowness : longest;
    }

    /** A number from 0 to below 1, the same for the same question: the finaliser of splitmix64 over what is asked. */
    private double share(String item, int attempt, int question) {
        long bits = seed;
        for (int i = 0; i < item.length(); i++) {
            bits = mix(bits ^ item.charAt(i));
        }
        bits = mix(bits ^ ((long) attempt << 8) ^ question);
        return (bits >>> 11) * 0x1.0p-53;
    }

    private static long mix(long bits) {
        bits += 0x9e3779b97f4a7c15L;
        bits = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L;
        bits = (bits ^ (bits >>> 27)) * 0x94d049bb133111ebL;
        return bits ^ (bits >>> 31);
    }
}

package io.heptad.recipes.partner;

import io.heptad.core.Backoff;
import io.heptad.recipes.Option;
import io.heptad.recipes.Options;
import io.heptad.recipes.Progress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One run of the batch, as its options say.
 *
 * @param items how many items, where there is no input
 * @param input the file of items
 * @param slots how many calls at a time
 * @param rate how many calls a second; 0 for no limit
 * @param tries how many calls an item may cost
 * @param backoff the pause before another try
 * @param timeout how long a call may take
 * @param deadline how long an item may take
 * @param budget how long the batch may take
 * @param stub whether the partner is inside the process
 * @param traits what the partner is like
 * @param progress how progress is shown
 * @param output the folder of the retry input and the charts
 */
record Settings(
        long items,
        Optional<Path> input,
        int slots,
        int rate,
        int tries,
        Backoff backoff,
        Duration timeout,
        Duration deadline,
        Duration budget,
        boolean stub,
        Traits traits,
        Progress.Style progress,
        Path output) {

    /** From how many items on nobody wants to wait for a partner. */
    private static final long MANY = 100_000;

    static final List<Option> OPTIONS = List.of(
            new Option("items", "10000", "how many items"),
            new Option("input", "", "a file of items, one a row, such as the retry input of a run; in place of items"),
            new Option("slots", "20", "how many calls at a time: the size of the pool"),
            new Option(
                    "rate",
                    "100",
                    "how many calls a second: the token bucket; 0 for no limit; the stub has no limit unless this is given"),
            new Option("tries", "3", "how many calls an item may cost"),
            new Option(
                    "backoff",
                    "100ms",
                    "the longest pause before the second try; doubles with each, and each is drawn evenly from zero"
                            + " up; none with the stub unless this is given"),
            new Option("backoff.max", "2s", "the longest pause before any try"),
            new Option("timeout", "5s", "how long one call may take; more than the slowest reply"),
            new Option("deadline", "30s", "how long one item may take, its retries included"),
            new Option(
                    "budget", "", "how long the batch may take; what is not begun by then goes into the retry input"),
            new Option(
                    "partner",
                    "auto",
                    "http, stub (inside the process, answers at once), or auto: stub above 100000 items"),
            new Option(
                    "partner.connections", "20", "how many requests the partner takes at a time; further ones get 503"),
            new Option(
                    "partner.rate", "", "how many requests the partner takes a second; further ones get 429; as rate"),
            new Option("partner.latency", "50ms-180ms", "how long a reply takes"),
            new Option("partner.failing", "3", "percent of the items that get 500, at every try"),
            new Option("partner.slow", "5", "percent of the requests whose reply is slow"),
            new Option("partner.slow.latency", "1s", "how long a slow reply takes"),
            new Option("partner.hangups", "1", "percent of the requests whose reply breaks off in the middle"),
            new Option("seed", "1", "which items fail and which requests are slow follows from it"),
            new Option("progress", "auto", "bar, lines, none, or auto: a bar on a terminal and lines elsewhere"),
            new Option("output", "docs/target/partner-batch", "the folder of the retry input and the charts"));

    /** Who answers. */
    enum Kind {
        AUTO,
        HTTP,
        STUB
    }

    static Settings from(Options options) {
        long items = options.number("items", 1, 1_000_000_000);
        Optional<Path> input = options.path("input");
        if (input.isPresent() && options.isGiven("items")) {
            throw options.refused("items", "must not be given beside input");
        }
        boolean stub = switch (options.choice("partner", Kind.class)) {
            case AUTO -> input.isEmpty() && items > MANY;
            case HTTP -> false;
            case STUB -> true;
        };
        Traits traits = Traits.from(options);
        Duration timeout = options.duration("timeout");
        if (timeout.compareTo(traits.slowest()) <= 0) {
            throw options.refused(
                    "timeout",
                    "must be longer than the partner's slowest reply ("
                            + traits.slowest().toMillis() + " ms), or a call given up would still be in flight there");
        }
        Duration deadline = options.duration("deadline");
        if (deadline.compareTo(timeout) < 0) {
            throw options.refused("deadline", "must be at least the timeout of one call");
        }
        return new Settings(
                items,
                input,
                options.count("slots", 1, 10_000),
                stub && !options.isGiven("rate") ? 0 : options.count("rate", 0, 1_000_000),
                options.count("tries", 1, 100),
                stub && !options.isGiven("backoff") ? attempt -> Duration.ZERO : backoff(options),
                timeout,
                deadline,
                options.text("budget").isEmpty() ? Duration.ofDays(365) : options.duration("budget"),
                stub,
                traits,
                options.choice("progress", Progress.Style.class),
                options.path("output").orElseThrow());
    }

    /** What the run is going to do, in two lines. */
    String announcement(long total) {
        String limit =
                rate == 0 ? "no limit of calls a second" : String.format(Locale.ROOT, "%,d calls a second", rate);
        String whom = stub
                ? "a stub inside this process"
                : String.format(
                        Locale.ROOT,
                        "a partner on the loopback (%,d at a time, %s, replies in %d to %d ms, %.3g%% slow: %d ms)",
                        traits.connections(),
                        traits.rate() == 0 ? "any number a second" : String.format("%,d a second", traits.rate()),
                        traits.quickest().toMillis(),
                        traits.longest().toMillis(),
                        100 * traits.slow(),
                        traits.slowness().toMillis());
        return String.format(
                Locale.ROOT,
                "partner-batch: %,d items, %,d slots, %s, up to %d tries%n  to %s,%n  which fails %.3g%% of the items"
                        + " and cuts off %.3g%% of the replies; seed %d, heap at most %,d MiB",
                total,
                slots,
                limit,
                tries,
                whom,
                100 * traits.failing(),
                100 * traits.hangups(),
                traits.seed(),
                Runtime.getRuntime().maxMemory() >> 20);
    }

    private static Backoff backoff(Options options) {
        Duration first = options.duration("backoff");
        Duration most = options.duration("backoff.max");
        if (most.compareTo(first) < 0) {
            throw options.refused("backoff.max", "must be at least backoff");
        }
        return Backoff.exponential(first, most).withFullJitter();
    }
}

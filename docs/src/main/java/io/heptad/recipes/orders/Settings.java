package io.heptad.recipes.orders;

import io.heptad.recipes.Option;
import io.heptad.recipes.Options;
import io.heptad.recipes.Progress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * One run, as its options say.
 *
 * @param items how many orders
 * @param store where they are kept
 * @param clients how many are at work at a time
 * @param crash the call in whose middle the process is killed
 * @param lease after how long a dead process is noticed
 * @param traits what the other side is like
 * @param progress how progress is shown
 * @param output the folder of the ledger and of the database file
 */
record Settings(
        int items,
        Kind store,
        int clients,
        Crash crash,
        Duration lease,
        Traits traits,
        Progress.Style progress,
        Path output) {

    static final List<Option> OPTIONS = List.of(
            new Option("items", "1000", "how many orders"),
            new Option(
                    "store",
                    "h2",
                    "where they are kept: h2 (a file), or postgres (a server that the run starts and stops)"),
            new Option("clients", "16", "how many orders are at work at a time"),
            new Option(
                    "crash",
                    "charge",
                    "the call that has happened, and whose answer nobody has, when the process is killed: charge, pack,"
                            + " refund, or none"),
            new Option("lease", "3s", "after how long another process goes on with what a dead one was at"),
            new Option("latency", "10ms-60ms", "how long the provider and the packer take"),
            new Option("refused", "2", "percent of the cards that are declined"),
            new Option("unpackable", "5", "percent of the orders that cannot be packed, and are paid back"),
            new Option("lost", "3", "percent of the calls that are carried out, and whose answer is lost"),
            new Option("seed", "1", "which orders and calls these are follows from it"),
            new Option("progress", "auto", "bar, lines, none, or auto: a bar on a terminal and lines elsewhere"),
            new Option("output", "docs/target/orders", "the folder of the ledger and of the database file"));

    /** Which database. */
    enum Kind {
        H2,
        POSTGRES
    }

    /** In the middle of what. */
    enum Crash {
        CHARGE,
        PACK,
        REFUND,
        NONE
    }

    static Settings from(Options options) {
        Duration lease = options.duration("lease");
        if (lease.isZero()) {
            throw options.refused("lease", "must be above zero");
        }
        return new Settings(
                options.count("items", 1, 999_999),
                options.choice("store", Kind.class),
                options.count("clients", 1, 200),
                options.choice("crash", Crash.class),
                lease,
                new Traits(
                        options.durations("latency"),
                        options.percent("refused"),
                        options.percent("unpackable"),
                        options.percent("lost"),
                        options.number("seed", Long.MIN_VALUE, Long.MAX_VALUE)),
                options.choice("progress", Progress.Style.class),
                options.path("output").orElseThrow());
    }
}

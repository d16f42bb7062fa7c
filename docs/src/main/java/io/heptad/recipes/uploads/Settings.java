package io.heptad.recipes.uploads;

import io.heptad.recipes.Option;
import io.heptad.recipes.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One run, as its options say.
 *
 * @param items how many uploads are made, where there is no input
 * @param input the folder of uploads
 * @param rows how many rows an upload has that is made
 * @param broken the share of those that are broken
 * @param parsers the workers of the first stage
 * @param connections the size of the connection pool, and the workers of the second stage
 * @param deliveries the workers of the third stage
 * @param latency how long a delivery takes
 * @param failing the share of deliveries that are refused
 * @param slow the stage that is made slow
 * @param slowBy by how much
 * @param seed which uploads are broken follows from it
 * @param progress how progress is shown
 * @param output the folder of what is made and written
 */
record Settings(
        int items,
        Optional<Path> input,
        int rows,
        double broken,
        int parsers,
        int connections,
        int deliveries,
        List<Duration> latency,
        double failing,
        Slow slow,
        Duration slowBy,
        long seed,
        StageTable.Style progress,
        Path output) {

    static final List<Option> OPTIONS = List.of(
            new Option("items", "5000", "how many uploads are made, where there is no input"),
            new Option("input", "", "a folder of CSV files (customer,product,quantity); in place of items"),
            new Option("rows", "20", "how many rows an upload has that is made"),
            new Option("broken", "4", "percent of the uploads that are made broken, each in one of six ways"),
            new Option("parsers", "4", "the workers of parse: about as many as there are cores"),
            new Option("connections", "10", "the connections of the pool, and with them the workers of validate"),
            new Option("deliveries", "100", "the workers of deliver, which wait for the network"),
            new Option("latency", "50ms-150ms", "how long the receiver takes for a delivery"),
            new Option("refused", "1", "percent of the deliveries that the receiver answers with 500"),
            new Option("slow", "none", "the stage that is made slow: none, parse, validate or deliver"),
            new Option("slow.by", "40ms", "how much longer it then takes for one upload"),
            new Option("seed", "1", "which uploads are broken follows from it"),
            new Option("progress", "auto", "table, lines, none, or auto: a table on a terminal and lines elsewhere"),
            new Option("output", "docs/target/uploads", "the folder of what is made, and of what did not go through"));

    /** The stage that is made slow. */
    enum Slow {
        NONE,
        PARSE,
        VALIDATE,
        DELIVER
    }

    static Settings from(Options options) {
        Optional<Path> input = options.path("input");
        if (input.isPresent()) {
            if (options.isGiven("items")) {
                throw options.refused("items", "must not be given beside input");
            }
            if (!Files.isDirectory(input.get())) {
                throw options.refused("input", "must be a folder that is there");
            }
        }
        return new Settings(
                options.count("items", 1, 1_000_000),
                input,
                options.count("rows", 1, 10_000),
                options.percent("broken"),
                options.count("parsers", 1, 1_000),
                options.count("connections", 1, 1_000),
                options.count("deliveries", 1, 10_000),
                options.durations("latency"),
                options.percent("refused"),
                options.choice("slow", Slow.class),
                options.duration("slow.by"),
                options.number("seed", Long.MIN_VALUE, Long.MAX_VALUE),
                options.choice("progress", StageTable.Style.class),
                options.path("output").orElseThrow());
    }

    List<Path> files() throws IOException {
        return input.isPresent()
                ? UploadFolder.of(input.get())
                : UploadFolder.make(output.resolve("incoming"), items, rows, broken, seed);
    }

    Duration delayOf(Slow stage) {
        return stage == slow ? slowBy : Duration.ZERO;
    }
}

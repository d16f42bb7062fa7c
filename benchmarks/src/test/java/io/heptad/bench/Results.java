package io.heptad.bench;

import java.lang.annotation.Annotation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Mode;

/** Made-up results, of a contest with goals against the peers "slow" and "fast". */
final class Results {
    static final Stamp STAMP = new Stamp("abc123", "Test VM 25", 2, "Some, \"CPU\"", "2026-01-01T00:00:00Z");

    private Results() {}

    @Compare(
            work = "do nothing",
            operation = "item",
            quick = "size=1",
            longForks = "threads=virtual",
            goals = {
                @Compare.Goal(
                        atLeast = 2,
                        of = {"slow", "fast"}),
                @Compare.Goal(atLeast = 3, of = "slow", where = "size=1"),
                @Compare.Goal(atLeast = 1, of = "slow", figure = Figure.HELD)
            },
            without = @Compare.Without(peer = "absent", where = "size=1", because = "it cannot"))
    private static void compared() {}

    static Contest contest(String settings) {
        return contest(settings, Mode.AverageTime);
    }

    static Contest contest(String settings, Mode mode) {
        try {
            Annotation compare = Results.class.getDeclaredMethod("compared").getAnnotation(Compare.class);
            return new Contest(
                    "shape",
                    "method",
                    "io.heptad.bench.shape.Some.method",
                    mode,
                    (Compare) compare,
                    cell(settings),
                    List.of("heptad", "slow", "fast"));
        } catch (NoSuchMethodException gone) {
            throw new AssertionError(gone);
        }
    }

    static Cell cell(String settings) {
        Map<String, String> map = new LinkedHashMap<>();
        for (String setting : settings.split(" ")) {
            map.put(setting.split("=")[0], setting.split("=")[1]);
        }
        return new Cell(map);
    }

    static Reading reading(String peer, double held, double... forks) {
        double mean = java.util.Arrays.stream(forks).average().orElseThrow();
        return new Reading(
                peer,
                mean,
                mean / 10,
                java.util.Arrays.stream(forks).boxed().toList(),
                24,
                held,
                new Reading.Latency(mean, 2 * mean, 30 * mean, 1000));
    }

    static ContestResult result(Contest contest, Reading... readings) {
        Map<String, Reading> map = new LinkedHashMap<>();
        for (Reading reading : readings) {
            map.put(reading.peer(), reading);
        }
        return new ContestResult(contest, map, List.of());
    }

    /** Ours takes 10 ns; "slow" 40, "fast" 15. */
    static ContestResult platform() {
        return result(
                contest("size=1 threads=platform"),
                reading("heptad", 50, 10, 10),
                reading("slow", 100, 40, 40),
                reading("fast", Double.NaN, 15, 15));
    }
}

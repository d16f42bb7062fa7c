package io.heptad.core;

import io.heptad.future.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The main class of a JVM that has neither Micrometer nor JSpecify: loads, links and uses everything else in core. */
final class WithoutMicrometer {
    private WithoutMicrometer() {}

    public static void main(String[] classes) throws Exception {
        require(absent("io.micrometer.core.instrument.MeterRegistry"), "Micrometer is absent");
        require(absent("org.jspecify.annotations.Nullable"), "JSpecify is absent");
        require(absent("io.heptad.core.HeptadMetrics"), "HeptadMetrics needs Micrometer");
        List<String> names = names(Path.of(classes[0]));
        for (String name : names) {
            Class<?> type = Class.forName(name);
            type.getDeclaredMethods(); // resolves every type in their signatures
            type.getDeclaredFields();
            type.getDeclaredConstructors();
        }
        use();
        System.out.println("used " + names.size() + " classes, named module: "
                + Bounded.class.getModule().isNamed());
    }

    private static boolean absent(String name) {
        try {
            Class.forName(name);
            return false;
        } catch (ClassNotFoundException | NoClassDefFoundError expected) {
            return true;
        }
    }

    private static List<String> names(Path classes) throws IOException {
        try (Stream<Path> files = Files.walk(classes)) {
            return files.filter(file -> file.toString().endsWith(".class"))
                    .map(file -> classes.relativize(file)
                            .toString()
                            .replace(".class", "")
                            .replace('/', '.'))
                    .filter(name -> !name.endsWith("-info") && !name.equals("io.heptad.core.HeptadMetrics"))
                    .toList();
        }
    }

    private static void use() throws Exception {
        Shelf shelf = new Shelf();
        DepthEvents.include(shelf);
        DepthTrend trend = DepthTrend.of(shelf::depth, Duration.ofSeconds(1), Ticker.system());
        trend.sample();
        require(trend.slope() == 0, "a slope");
        require(
                DrainRate.of(shelf::depth, Duration.ofSeconds(1), Ticker.system())
                                .timeToDrain(1)
                        == null,
                "no rate");
        require(shelf.metrics().get(0).value().getAsDouble() == 1, "a metric");
        require(
                Backoff.exponential(Duration.ofNanos(1), Duration.ofSeconds(1))
                                .withFullJitter()
                                .delay(9)
                                .toNanos()
                        <= 256,
                "a backoff");
        Body<String, Exception> body = () -> "body";
        Work<String, Integer> work = String::length;
        require(work.apply(body.run()) == 4, "work");
        VoidBody<RuntimeException> refuse = () -> {
            throw new FullException(shelf.name(), shelf.capacity(), shelf.depth(), null);
        };
        try {
            refuse.run();
            require(false, "a refusal");
        } catch (RefusedException refused) {
            require(refused.shape().equals("shelf"), "the shape");
        }
        require(new Outcome.Success<>(1).isSuccess(), "an outcome");
        DepthEvents.exclude(shelf);
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    private static final class Shelf implements Bounded {
        @Override
        public String name() {
            return "shelf";
        }

        @Override
        public List<Metric> metrics() {
            return List.of(
                    new Metric("heptad.shelf.depth", Metric.Kind.GAUGE, "items", "depth", Map.of(), this::depth));
        }

        @Override
        public long capacity() {
            return 1;
        }

        @Override
        public FullPolicy whenFull() {
            return FullPolicy.REJECT;
        }

        @Override
        public long depth() {
            return 1;
        }
    }
}

package io.heptad.core;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.heptad.contract.Watched;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Watched
class HeptadMetricsTest {
    /** A shape that holds nothing but its figures. */
    private static final class Letters implements Measured {
        private final String name;
        private final AtomicLong depth = new AtomicLong();
        private final AtomicLong accepted = new AtomicLong();
        private final AtomicLong ageNanos = new AtomicLong();
        private final List<Metric> metrics;

        Letters(String name) {
            this.name = name;
            Map<String, String> tags = Map.of("name", name);
            metrics = List.of(
                    new Metric("heptad.letters.depth", Metric.Kind.GAUGE, "items", "what waits", tags, depth::get),
                    new Metric("heptad.letters.accepted", Metric.Kind.COUNTER, "items", "all", tags, accepted::get),
                    new Metric("heptad.letters.items", Metric.Kind.COUNTER, "items", "twice", tags, accepted::get),
                    new Metric("heptad.letters.load", Metric.Kind.GAUGE, "", "a share", tags, () -> 0.5),
                    new Metric(
                            "heptad.letters.age",
                            Metric.Kind.GAUGE,
                            "seconds",
                            "the oldest",
                            tags,
                            () -> ageNanos.get() / 1e9));
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public List<Metric> metrics() {
            return metrics;
        }
    }

    private final Letters in = new Letters("in");
    private final Letters out = new Letters("out");

    @Test
    void readsTheFigureWhenAsked() {
        MeterRegistry registry = new SimpleMeterRegistry();
        new HeptadMetrics(in, out).bindTo(registry);
        in.depth.set(7);
        in.accepted.set(11);
        out.depth.set(1);

        assertThat(registry.get("heptad.letters.depth")
                        .tag("name", "in")
                        .gauge()
                        .value())
                .isEqualTo(7);
        assertThat(registry.get("heptad.letters.depth")
                        .tag("name", "out")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(registry.get("heptad.letters.accepted")
                        .tag("name", "in")
                        .functionCounter()
                        .count())
                .isEqualTo(11);
        in.depth.set(3);
        in.accepted.set(12);
        assertThat(registry.get("heptad.letters.depth")
                        .tag("name", "in")
                        .gauge()
                        .value())
                .isEqualTo(3);
        assertThat(registry.get("heptad.letters.accepted")
                        .tag("name", "in")
                        .functionCounter()
                        .count())
                .isEqualTo(12);
    }

    @Test
    void carriesTheUnitAndTheDescription() {
        MeterRegistry registry = new SimpleMeterRegistry();
        new HeptadMetrics(in).bindTo(registry);

        var id = registry.get("heptad.letters.depth").gauge().getId();
        assertThat(id.getBaseUnit()).isEqualTo("items");
        assertThat(id.getDescription()).isEqualTo("what waits");
    }

    @Test
    void addsTheCallersTagsAndKeepsTheShapesOwn() {
        MeterRegistry registry = new SimpleMeterRegistry();
        new HeptadMetrics(Tags.of("region", "north", "name", "overruled"), in).bindTo(registry);

        assertThat(registry.get("heptad.letters.depth").gauge().getId().getTags())
                .containsExactlyInAnyOrderElementsOf(Tags.of("region", "north", "name", "in"));
    }

    /** Each alone, because the function of one figure often reaches the others through its shape. */
    @ParameterizedTest
    @EnumSource
    void keepsAFigureThatNobodyElseHolds(Metric.Kind kind) {
        MeterRegistry registry = new SimpleMeterRegistry();
        WeakReference<Metric> metric = bindAndForget(kind, registry);
        WeakReference<Object> witness = new WeakReference<>(new Object());

        await().until(() -> {
            System.gc();
            return witness.get() == null && (kind == Metric.Kind.COUNTER || metric.get() == null);
        });

        assertThat(registry.get("heptad.letters.lost")
                        .meter()
                        .measure()
                        .iterator()
                        .next()
                        .getValue())
                .isEqualTo(5);
    }

    private static WeakReference<Metric> bindAndForget(Metric.Kind kind, MeterRegistry registry) {
        AtomicLong figure = new AtomicLong(5);
        Metric metric = new Metric("heptad.letters.lost", kind, "items", "", Map.of(), figure::get);
        new HeptadMetrics(new Measured() {
                    @Override
                    public String name() {
                        return "lost";
                    }

                    @Override
                    public List<Metric> metrics() {
                        return List.of(metric);
                    }
                })
                .bindTo(registry);
        return new WeakReference<>(metric);
    }

    @Test
    void bindingTwiceIsBindingOnce() {
        MeterRegistry registry = new SimpleMeterRegistry();
        new HeptadMetrics(in).bindTo(registry);
        new HeptadMetrics(in).bindTo(registry);
        in.accepted.set(2);

        assertThat(registry.getMeters()).hasSize(5);
        assertThat(registry.get("heptad.letters.accepted").functionCounter().count())
                .isEqualTo(2);
    }

    @Test
    void aPrometheusScrapeShowsSensibleNames() throws IOException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new HeptadMetrics(Tags.of("region", "north"), in, out).bindTo(registry);
        in.depth.set(7);
        in.accepted.set(11);
        in.ageNanos.set(1_500_000_000L);
        out.depth.set(1);
        System.gc();

        String page = scrape(registry);

        String tags = "{name=\"in\",region=\"north\"}";
        assertThat(samples(page))
                .contains(
                        entry("heptad_letters_depth_items" + tags, 7.0),
                        entry("heptad_letters_depth_items" + tags.replace("in", "out"), 1.0),
                        entry("heptad_letters_accepted_items_total" + tags, 11.0),
                        entry("heptad_letters_items_total" + tags, 11.0),
                        entry("heptad_letters_load" + tags, 0.5),
                        entry("heptad_letters_age_seconds" + tags, 1.5))
                .hasSize(10);
        assertThat(page)
                .contains("# HELP heptad_letters_depth_items what waits")
                .contains("# TYPE heptad_letters_depth_items gauge")
                .contains("# TYPE heptad_letters_accepted_items_total counter")
                .doesNotContain("items_items", "seconds_seconds", "total_total");
    }

    private static String scrape(PrometheusMeterRegistry registry) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/metrics", exchange -> {
            byte[] body = registry.scrape().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            URI address = URI.create("http://localhost:" + server.getAddress().getPort() + "/metrics");
            try (InputStream body = address.toURL().openStream()) {
                return new String(body.readAllBytes(), StandardCharsets.UTF_8);
            }
        } finally {
            server.stop(0);
        }
    }

    /** Each line of the exposition format that is no comment: the series, and its value. */
    private static Map<String, Double> samples(String page) {
        return Pattern.compile("^([a-z_]+\\{[^}]*}) (\\S+)$", Pattern.MULTILINE)
                .matcher(page)
                .results()
                .collect(toMap((MatchResult line) -> line.group(1), line -> Double.valueOf(line.group(2))));
    }

    @Test
    void refusesNulls() {
        assertThatNullPointerException().isThrownBy(() -> new HeptadMetrics((Measured) null));
        assertThatNullPointerException().isThrownBy(() -> new HeptadMetrics((Measured[]) null));
    }
}

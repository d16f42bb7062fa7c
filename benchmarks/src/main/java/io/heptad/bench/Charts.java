package io.heptad.bench;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.style.Styler.LegendPosition;

/**
 * The results as bars, as SVG and PNG: one chart for each benchmark, cells along the axis, a bar for each peer, with
 * error bars. Throughput is drawn from zero, so that lengths compare; latency percentiles on a logarithmic axis.
 */
final class Charts {
    private static final int CELLS_PER_CHART = 6;
    private static final double NANOS_PER_SECOND = 1e9;

    /** Ours first and strongest; the others are told apart without red against green. */
    private static final Color[] COLORS = {
        new Color(0x00, 0x5F, 0x99),
        new Color(0xE6, 0x9F, 0x00),
        new Color(0x56, 0xB4, 0xE9),
        new Color(0x99, 0x99, 0x99),
        new Color(0xCC, 0x79, 0xA7),
        new Color(0xF0, 0xE4, 0x42),
        new Color(0x44, 0x44, 0x44),
        new Color(0xD5, 0x5E, 0x00)
    };

    private final Path report;
    private final String suffix;
    private final Stamp stamp;
    private final List<Path> written = new ArrayList<>();

    private Charts(Path report, String suffix, Stamp stamp) {
        this.report = report;
        this.suffix = suffix;
        this.stamp = stamp;
    }

    /** Writes the charts of a shape and returns the files. */
    static List<Path> write(Path report, String suffix, Stamp stamp, List<ContestResult> results) throws IOException {
        Charts charts = new Charts(report, suffix, stamp);
        Map<String, List<ContestResult>> byBenchmark = results.stream()
                .filter(result -> !result.readings().isEmpty())
                .collect(Collectors.groupingBy(
                        result -> result.contest().name(), LinkedHashMap::new, Collectors.toList()));
        for (var benchmark : byBenchmark.entrySet()) {
            charts.benchmark(benchmark.getKey(), benchmark.getValue());
        }
        return charts.written;
    }

    /**
     * More cells than a reader can tell apart are split by the last parameter; of a latency each is drawn alone, as a
     * logarithmic axis has no place for a peer that was left out.
     */
    private void benchmark(String name, List<ContestResult> results) throws IOException {
        if (results.getFirst().contest().latency()) {
            for (ContestResult result : results) {
                String cell = result.contest().cell().label();
                chart(name + "-" + cell, name + ", " + cell, "", List.of(result));
            }
            return;
        }
        List<String> params =
                List.copyOf(results.getFirst().contest().cell().settings().keySet());
        if (results.size() <= CELLS_PER_CHART || params.isEmpty()) {
            chart(name, name, "", results);
            return;
        }
        String last = params.getLast();
        Map<String, List<ContestResult>> byValue = results.stream()
                .collect(Collectors.groupingBy(
                        result -> String.valueOf(
                                result.contest().cell().settings().get(last)),
                        LinkedHashMap::new,
                        Collectors.toList()));
        for (var value : byValue.entrySet()) {
            chart(name + "-" + value.getKey(), name + ", " + last + "=" + value.getKey(), last, value.getValue());
        }
    }

    private void chart(String file, String title, String hidden, List<ContestResult> results) throws IOException {
        Contest first = results.getFirst().contest();
        boolean latency = first.latency();
        boolean held = first.compare().figure() == Figure.HELD;
        String operation = first.compare().operation();
        String axis = held
                ? "bytes of heap for one " + operation + " (shorter is better)"
                : latency
                        ? "microseconds, logarithmic (shorter is better)"
                        : "million " + operation + "s a second (longer is better)";
        CategoryChart chart = new CategoryChartBuilder()
                .width(Math.max(1100, 260 + 190 * results.size()))
                .height(560)
                .title(title + ": " + first.compare().work())
                .xAxisTitle(stamp.toString())
                .yAxisTitle(axis)
                .build();
        style(chart, latency);
        if (latency) {
            logarithmic(chart, results.getFirst());
        }
        for (String peer : peers(results)) {
            if (latency) {
                percentiles(chart, results.getFirst().readings().get(peer));
            } else if (held) {
                bars(chart, peer, hidden, results, Reading::held, reading -> 0);
            } else {
                bars(chart, peer, hidden, results, Charts::millionsPerSecond, Charts::error);
            }
        }
        String base = file.replaceAll("[^A-Za-z0-9.-]", "_") + suffix;
        Path png = report.resolve(base + ".png");
        try (OutputStream out = Files.newOutputStream(png)) {
            ChartEncoder.saveChart(chart, out, "png");
        }
        Path svg = report.resolve(base + ".svg");
        var drawn = new ByteArrayOutputStream();
        ChartEncoder.saveChart(chart, drawn, "svg");
        // Text is drawn as outlines with a dozen digits each; two of them are what a screen can show.
        Files.writeString(svg, drawn.toString(StandardCharsets.UTF_8).replaceAll("(\\.\\d\\d)\\d+", "$1"));
        written.add(png);
        written.add(svg);
    }

    private static void style(CategoryChart chart, boolean latency) {
        var styler = chart.getStyler();
        styler.setSeriesColors(COLORS);
        styler.setLegendPosition(LegendPosition.OutsideE);
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setPlotBorderVisible(false);
        // A dashed line is a thousand paths in an SVG.
        styler.setPlotGridLinesStroke(new BasicStroke(0.5f));
        styler.setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 15));
        styler.setAxisTitleFont(new Font(Font.SANS_SERIF, Font.PLAIN, 12));
        styler.setAvailableSpaceFill(0.85);
        if (!latency) {
            styler.setYAxisMin(0.0);
        }
        styler.setYAxisDecimalPattern("#,##0.###");
    }

    /** Whole decades around all percentiles, as bars would otherwise start at a zero that the axis does not have. */
    private static void logarithmic(CategoryChart chart, ContestResult result) {
        var micros = result.readings().values().stream()
                .flatMap(reading -> micros(reading).stream())
                .mapToDouble(Double::doubleValue)
                .summaryStatistics();
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setYAxisMin(Math.pow(10, Math.floor(Math.log10(micros.getMin())) - 1));
        chart.getStyler().setYAxisMax(Math.pow(10, Math.ceil(Math.log10(micros.getMax()))));
    }

    private static List<Double> micros(Reading reading) {
        var latency = reading.latency();
        return Stream.of(latency.p50(), latency.p99(), latency.p999())
                .map(nanos -> Math.max(nanos, 1) / 1000)
                .toList();
    }

    private static Set<String> peers(List<ContestResult> results) {
        return results.stream()
                .flatMap(result -> result.readings().keySet().stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static void bars(
            CategoryChart chart,
            String peer,
            String hidden,
            List<ContestResult> results,
            ToDoubleFunction<Reading> height,
            ToDoubleFunction<Reading> error) {
        List<String> cells = new ArrayList<>();
        List<@Nullable Double> heights = new ArrayList<>();
        List<@Nullable Double> errors = new ArrayList<>();
        for (ContestResult result : results) {
            Reading reading = result.readings().get(peer);
            cells.add(label(result, hidden));
            heights.add(reading == null ? null : height.applyAsDouble(reading));
            errors.add(reading == null ? null : error.applyAsDouble(reading));
        }
        chart.addSeries(peer, cells, heights, errors);
    }

    private static void percentiles(CategoryChart chart, @Nullable Reading reading) {
        if (reading != null) {
            chart.addSeries(reading.peer(), List.of("p50", "p99", "p99.9"), micros(reading));
        }
    }

    private static String label(ContestResult result, String hidden) {
        String label = result.contest().cell().label(hidden);
        return label.isEmpty() ? result.contest().method() : label;
    }

    private static double millionsPerSecond(Reading reading) {
        return NANOS_PER_SECOND / reading.time() / 1e6;
    }

    /** The relative error of a rate is that of the time; one sample has none. */
    private static double error(Reading reading) {
        double share = reading.error() / reading.time();
        return Double.isNaN(share) ? 0 : millionsPerSecond(reading) * Math.min(share, 1);
    }
}

package io.heptad.recipes.partner;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.IChart;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws a run: how long calls and items took, and what the slots, the rate and the heap did meanwhile. */
final class Charts {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 420;
    private static final double[] PERCENTILES = {50, 75, 90, 95, 99, 99.9, 100};

    private Charts() {}

    /** Draws both charts into a folder. */
    static List<Path> draw(Path folder, Histogram calls, Histogram items, List<Sampler.Point> points)
            throws IOException {
        System.setProperty("java.awt.headless", "true");
        Files.createDirectories(folder);
        return List.of(latency(folder, calls, items), timeline(folder, points));
    }

    private static Path latency(Path folder, Histogram calls, Histogram items) throws IOException {
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title("How long it took")
                .xAxisTitle("percentile")
                .yAxisTitle("milliseconds")
                .build();
        chart.getStyler().setLegendPosition(Styler.LegendPosition.InsideNW);
        List<String> names = new ArrayList<>();
        for (double percentile : PERCENTILES) {
            names.add(percentile == 100 ? "max" : "p" + (percentile % 1 == 0 ? "%.0f" : "%.1f").formatted(percentile));
        }
        chart.addSeries("one call", names, millis(calls));
        chart.addSeries("the item: token, calls, pauses", names, millis(items));
        return save(chart, folder.resolve("latency.png"));
    }

    private static List<Double> millis(Histogram micros) {
        List<Double> values = new ArrayList<>();
        for (double percentile : PERCENTILES) {
            values.add(micros.getValueAtPercentile(percentile) / 1_000.0);
        }
        return values;
    }

    private static Path timeline(Path folder, List<Sampler.Point> points) throws IOException {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title("While it ran")
                .xAxisTitle("seconds")
                .yAxisTitle("slots in use, MiB of heap")
                .build();
        chart.getStyler().setYAxisMin(0.0);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
        chart.getStyler().setLegendLayout(Styler.LegendLayout.Horizontal);
        chart.setYAxisGroupTitle(1, "items settled");
        double[] seconds = points.stream().mapToDouble(Sampler.Point::seconds).toArray();
        add(chart, "slots in use", seconds, points.stream().mapToDouble(Sampler.Point::active), Color.BLUE, 0);
        add(chart, "heap, MiB", seconds, points.stream().mapToDouble(Sampler.Point::heap), Color.LIGHT_GRAY, 0);
        add(
                chart,
                "heap after a collection, MiB",
                seconds,
                points.stream().mapToDouble(Sampler.Point::live),
                Color.RED,
                0);
        add(chart, "items settled", seconds, points.stream().mapToDouble(Sampler.Point::done), Color.GREEN, 1);
        return save(chart, folder.resolve("timeline.png"));
    }

    private static void add(
            XYChart chart, String name, double[] x, java.util.stream.DoubleStream y, Color colour, int axis) {
        var series = chart.addSeries(name, x, y.toArray());
        series.setMarker(SeriesMarkers.NONE);
        series.setLineColor(colour);
        series.setYAxisGroup(axis);
    }

    private static Path save(IChart chart, Path file) throws IOException {
        return Files.write(file, ChartEncoder.getBytes(chart, "png"));
    }
}

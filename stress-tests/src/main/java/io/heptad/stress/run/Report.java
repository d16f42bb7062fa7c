package io.heptad.stress.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The summary: a table for the terminal and a page for the browser. */
final class Report {
    private static final String LINE = "%-10s %-9s %6s %14s %9s %9s %8s%n";

    private Report() {}

    static String table(List<Row> rows) {
        StringBuilder table = new StringBuilder();
        table.append(String.format(LINE, "shape", "tool", "tests", "samples", "controls", "failures", "seconds"));
        for (Row row : rows) {
            table.append(String.format(
                    Locale.ROOT,
                    LINE,
                    row.shape(),
                    row.tool(),
                    row.tests(),
                    row.samples() < 0 ? "-" : String.format(Locale.ROOT, "%,d", row.samples()),
                    row.controls() == 0 ? "-" : row.caught() + "/" + row.controls(),
                    row.failures().size(),
                    row.seconds() < 0 ? "" : String.format(Locale.ROOT, "%.0f", row.seconds())));
        }
        return table.toString();
    }

    static String verdict(List<Row> rows, double seconds) {
        long failures = rows.stream().mapToLong(row -> row.failures().size()).sum();
        return String.format(
                Locale.ROOT,
                "%s: %d tests, %,d samples, %d of %d controls caught, %d failures, %.0f s",
                failures == 0 ? "PASSED" : "FAILED",
                rows.stream().mapToInt(Row::tests).sum(),
                rows.stream().mapToLong(row -> Math.max(0, row.samples())).sum(),
                rows.stream().mapToInt(Row::caught).sum(),
                rows.stream().mapToInt(Row::controls).sum(),
                failures,
                seconds);
    }

    static void write(Path file, List<Row> rows, String verdict, String conditions) throws IOException {
        StringBuilder html = new StringBuilder("""
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8"><title>Heptad under stress</title>
                <style>
                body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em; color: #222 }
                table { border-collapse: collapse; width: 100% } td, th { padding: .3em .6em; border-bottom: 1px solid #ddd; text-align: right }
                td:first-child, th:first-child, td:nth-child(2), th:nth-child(2) { text-align: left }
                .bad { color: #b00020; font-weight: bold } .good { color: #14632d; font-weight: bold } li { font-family: monospace }
                </style></head><body><h1>Heptad under stress</h1>
                """);
        boolean passed = rows.stream().allMatch(row -> row.failures().isEmpty());
        html.append("<p class=\"").append(passed ? "good" : "bad").append("\">").append(escape(verdict));
        html.append("</p>\n<p>").append(escape(conditions)).append("</p>\n<table><tr><th>shape</th><th>tool</th>");
        html.append("<th>tests</th><th>samples</th><th>controls caught</th><th>failures</th></tr>\n");
        for (Row row : rows) {
            html.append("<tr><td>").append(escape(row.shape())).append("</td><td>");
            html.append(
                    row.link().isEmpty()
                            ? escape(row.tool())
                            : "<a href=\"" + escape(row.link()) + "\">" + escape(row.tool()) + "</a>");
            html.append("</td><td>").append(row.tests()).append("</td><td>");
            html.append(row.samples() < 0 ? "–" : String.format(Locale.ROOT, "%,d", row.samples()));
            html.append("</td><td>").append(row.controls() == 0 ? "–" : row.caught() + " of " + row.controls());
            html.append("</td><td class=\"")
                    .append(row.failures().isEmpty() ? "good" : "bad")
                    .append("\">");
            html.append(row.failures().size()).append("</td></tr>\n");
        }
        html.append("</table>\n");
        if (!passed) {
            html.append("<h2>Failures</h2><ul>\n");
            rows.stream()
                    .flatMap(row -> row.failures().stream())
                    .forEach(failure -> html.append("<li>")
                            .append(escape(failure.toString()))
                            .append("</li>\n"));
            html.append("</ul>\n");
        }
        Files.writeString(file, html.append("</body></html>\n"));
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}

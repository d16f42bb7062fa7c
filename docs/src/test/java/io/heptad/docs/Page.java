package io.heptad.docs;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toCollection;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One Markdown page of the repository: its code blocks, its links, its headings, its tables. */
record Page(Path path, List<String> lines) {
    static final Path ROOT = root();

    /** A fenced block; {@code source} is the {@code file#region} of the comment right before it, if there is one. */
    record Block(int line, String language, String source, String text) {}

    private static final Pattern SOURCE = Pattern.compile("<!-- (\\S+#\\S+) -->");
    private static final Pattern LINK = Pattern.compile("!?\\[[^]]*]\\(([^)\\s]+)\\)");

    static Page of(Path path) {
        try {
            return new Page(path, Files.readAllLines(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Page of(String belowRoot) {
        return of(ROOT.resolve(belowRoot));
    }

    /** README, docs and .github: every page that a reader may open. */
    static List<Page> all() {
        return Stream.of("README.md", "docs", ".github")
                .map(ROOT::resolve)
                .filter(Files::exists)
                .flatMap(Page::walk)
                .filter(path -> path.toString().endsWith(".md"))
                .filter(path -> !path.toString().contains("target"))
                .map(Page::of)
                .toList();
    }

    List<Block> blocks() {
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith("```")) {
                int end = i + 1;
                while (end < lines.size() && !lines.get(end).equals("```")) {
                    end++;
                }
                var source = SOURCE.matcher(i == 0 ? "" : lines.get(i - 1).strip());
                blocks.add(new Block(
                        i + 1,
                        lines.get(i).substring(3).strip(),
                        source.matches() ? source.group(1) : "",
                        String.join("\n", lines.subList(i + 1, Math.min(end, lines.size())))));
                i = end;
            }
        }
        return blocks;
    }

    /** Targets of links outside code blocks. */
    List<String> links() {
        return prose().flatMap(line ->
                        LINK.matcher(line).results().map(MatchResult::group).map(Page::target))
                .toList();
    }

    /** The anchors that GitHub makes of the headings. */
    Set<String> anchors() {
        return prose().filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("^#+ +", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .collect(toCollection(TreeSet::new));
    }

    /** The rows of the table whose heading row starts with the given cell; each row its cells. */
    List<List<String>> table(String firstHeading) {
        return prose().dropWhile(line -> !line.startsWith("| " + firstHeading + " |"))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> Stream.of(line.substring(1, line.lastIndexOf('|')).split("(?<!\\\\)\\|"))
                        .map(String::strip)
                        .toList())
                .toList();
    }

    private Stream<String> prose() {
        List<String> outside = new ArrayList<>();
        boolean fenced = false;
        for (String line : lines) {
            if (line.startsWith("```")) {
                fenced = !fenced;
            } else if (!fenced) {
                outside.add(line);
            }
        }
        return outside.stream();
    }

    /** The text between {@code @start region="name"} and {@code @end}, moved to the left edge. */
    static String region(Path file, String name) {
        List<String> inside = of(file).lines().stream()
                .dropWhile(line -> !line.matches(".*@start region=\"?" + name + "\"?( .*)?"))
                .skip(1)
                .takeWhile(line -> !line.strip().matches("(//|<!--) @end.*"))
                .toList();
        int indent = inside.stream()
                .filter(line -> !line.isBlank())
                .mapToInt(line -> line.length() - line.stripLeading().length())
                .min()
                .orElseThrow(() -> new IllegalArgumentException("no region " + name + " in " + file));
        return inside.stream()
                .map(line -> line.isBlank() ? "" : line.substring(indent))
                .collect(joining("\n"));
    }

    @Override
    public String toString() {
        return ROOT.relativize(path).toString();
    }

    private static String target(String link) {
        return LINK.matcher(link).replaceFirst("$1");
    }

    private static Stream<Path> walk(Path below) {
        try (var all = Files.walk(below)) {
            return all.filter(Files::isRegularFile).sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path root() {
        try {
            return Path.of("..").toRealPath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

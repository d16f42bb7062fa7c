package io.heptad.stress.mutant;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Makes the weakened controls: for each {@code src/mutants/<shape>/<Name>.mutant} a copy of the shipped sources with one
 * guard taken away, and beside it the jcstress scenario that has to notice. The build runs this file as a program.
 *
 * <pre>
 * guard: what is taken away, and what it prevents
 * source: queue/src/main/java/io/heptad/queue
 * scenario: queue/Handing#takeAgainstPut      (or "none": the mutant is met by another tool)
 * tier: quick                                 (or "full")
 *
 * file: BoundedQueue.java
 * &lt;&lt;&lt;&lt;
 * the shipped text, which must occur exactly once
 * ====
 * the weakened text
 * &gt;&gt;&gt;&gt;
 * </pre>
 */
public final class MutantSources {
    /*
     * Text, not bytecode or an AST: a patch reads like a diff, and a refactoring that touches the guard fails the build
     * at the patch instead of leaving a control that tests nothing. Nothing copied is kept in the repository.
     * The scenario is copied too (jcstress needs concrete types), so shipped class and control run the very same steps.
     */
    private static final String CONTROL = "Control";

    private MutantSources() {}

    /**
     * Writes all mutants.
     *
     * @param args the root of the project, and the directory to write to
     * @throws IOException if a file cannot be read or written
     */
    public static void main(String[] args) throws IOException {
        Path root = Path.of(args[0]);
        Path out = Path.of(args[1]);
        try {
            int written = writeAll(root, out);
            System.out.println("mutants: " + written + " written to " + out.getFileName());
        } catch (IllegalStateException e) {
            System.err.println("mutants: " + e.getMessage());
            System.exit(1);
        }
    }

    static int writeAll(Path root, Path out) throws IOException {
        Path specs = root.resolve("stress-tests/src/mutants");
        List<Path> files;
        try (Stream<Path> walk = Files.walk(specs)) {
            files = walk.filter(p -> p.toString().endsWith(".mutant")).sorted().toList();
        }
        Map<Path, String> sources = new LinkedHashMap<>();
        for (Path file : files) {
            add(sources, root, out, file);
        }
        deleteAllBut(sources.keySet(), out);
        for (Map.Entry<Path, String> source : sources.entrySet()) {
            if (!Files.exists(source.getKey())
                    || !Files.readString(source.getKey()).equals(source.getValue())) { // else it was compiled already
                Files.createDirectories(source.getKey().getParent());
                Files.writeString(source.getKey(), source.getValue());
            }
        }
        return files.size();
    }

    private static void add(Map<Path, String> written, Path root, Path out, Path file) throws IOException {
        Spec spec = Spec.parse(file);
        String from = spec.source.substring(spec.source.indexOf("io/heptad/")).replace('/', '.');
        String name = file.getFileName().toString().replace(".mutant", "");
        String to = "io.heptad.mutant." + file.getParent().getFileName() + "." + name.toLowerCase(Locale.ROOT);
        Path target = out.resolve(to.replace('.', '/'));

        Map<String, String> sources = new LinkedHashMap<>();
        try (Stream<Path> list = Files.list(root.resolve(spec.source))) {
            for (Path source :
                    list.filter(p -> p.toString().endsWith(".java")).sorted().toList()) {
                if (!source.getFileName().toString().endsWith("-info.java")) {
                    sources.put(source.getFileName().toString(), Files.readString(source));
                }
            }
        }
        for (Hunk hunk : spec.hunks) {
            String text = sources.get(hunk.file);
            if (text == null) {
                throw new IllegalStateException(file + ": no " + hunk.file + " in " + spec.source);
            }
            sources.put(hunk.file, replaceOnce(text, hunk, file));
        }
        for (Map.Entry<String, String> source : sources.entrySet()) {
            written.put(target.resolve(source.getKey()), rename(source.getValue(), from, to));
        }
        if (!spec.scenario.equals("none")) {
            written.put(target.resolve(CONTROL + ".java"), control(root, spec, from, to, file));
        }
    }

    private static String replaceOnce(String text, Hunk hunk, Path file) {
        int at = text.indexOf(hunk.search);
        if (at < 0 || text.indexOf(hunk.search, at + 1) >= 0) {
            throw new IllegalStateException(file + ": must occur exactly once in " + hunk.file + ", but "
                    + (at < 0 ? "does not occur" : "occurs more often") + ":\n" + hunk.search);
        }
        return text.substring(0, at) + hunk.replacement + text.substring(at + hunk.search.length());
    }

    private static String rename(String text, String from, String to) {
        return Pattern.compile("\\b" + Pattern.quote(from) + "\\b")
                .matcher(text)
                .replaceAll(to);
    }

    private static String control(Path root, Spec spec, String from, String to, Path file) throws IOException {
        String[] place = spec.scenario.split("#", 2);
        Path source = root.resolve("stress-tests/src/main/java/io/heptad/stress/" + place[0] + ".java");
        String text = Files.readString(source);
        StringBuilder control = new StringBuilder("package ").append(to).append(";\n\n");
        Matcher imports = Pattern.compile("(?m)^import .*;$").matcher(text);
        while (imports.find()) {
            control.append(rename(imports.group(), from, to)).append('\n');
        }
        String member = member(text, place[1], file).replaceAll("(?m)^ *@(Quick|Description\\(.*\\))\\n", "");
        control.append("\n/** ").append(spec.guard).append(" */\n");
        if (spec.quick) {
            control.append("@io.heptad.stress.Quick\n");
        }
        control.append("@org.openjdk.jcstress.annotations.Description(\"Control: ")
                .append(spec.guard.replace("\"", "'"))
                .append("\")\n")
                .append("@Outcome(expect = Expect.ACCEPTABLE_INTERESTING, desc = \"the weakened guard was noticed\")\n")
                .append(rename(member, from, to)
                        .replaceFirst("public static (final )?class " + place[1] + "\\b", "public $1class " + CONTROL)
                        .replaceAll("\\b" + place[1] + "\\(", CONTROL + "("));
        return control.toString();
    }

    /** The nested class with its annotations; relies on the formatter for the indentation of its first and last line. */
    static String member(String text, String name, Path file) {
        Matcher head = Pattern.compile("(?m)^    public static (final )?class " + name + "\\b.*\\{$")
                .matcher(text);
        if (!head.find()) {
            throw new IllegalStateException(file + ": no scenario " + name);
        }
        int start = text.lastIndexOf("\n\n", head.start());
        int end = text.indexOf("\n    }\n", head.end());
        String member = text.substring(start + 2, end + 7);
        return member.replaceFirst("(?s)^\\s*/\\*\\*.*?\\*/\\n", "");
    }

    private static void deleteAllBut(Set<Path> kept, Path dir) throws IOException {
        if (Files.exists(dir)) {
            List<Path> old;
            try (Stream<Path> walk = Files.walk(dir)) {
                old = walk.filter(path -> Files.isRegularFile(path) && !kept.contains(path))
                        .toList();
            }
            for (Path path : old) {
                Files.delete(path);
            }
        }
    }

    private record Hunk(String file, String search, String replacement) {}

    private record Spec(String guard, String source, String scenario, boolean quick, List<Hunk> hunks) {
        static Spec parse(Path path) throws IOException {
            Map<String, String> head = new LinkedHashMap<>();
            List<Hunk> hunks = new ArrayList<>();
            String file = null;
            StringBuilder search = null;
            StringBuilder replacement = null;
            for (String line : Files.readString(path).split("\n", -1)) {
                if (search == null && line.startsWith("file: ")) {
                    file = line.substring(6).strip();
                } else if (search == null && line.equals("<<<<")) {
                    search = new StringBuilder();
                } else if (search == null && line.contains(": ")) {
                    head.put(
                            line.substring(0, line.indexOf(": ")),
                            line.substring(line.indexOf(": ") + 2).strip());
                } else if (search != null && replacement == null && line.equals("====")) {
                    replacement = new StringBuilder();
                } else if (search != null && line.equals(">>>>")) {
                    hunks.add(new Hunk(file, chop(search), replacement == null ? "" : chop(replacement)));
                    search = null;
                    replacement = null;
                } else if (search != null) {
                    (replacement == null ? search : replacement).append(line).append('\n');
                }
            }
            for (String key : List.of("guard", "source", "scenario", "tier")) {
                if (!head.containsKey(key)) {
                    throw new IllegalStateException(path + ": no line \"" + key + ": …\"");
                }
            }
            if (hunks.isEmpty()) {
                throw new IllegalStateException(path + ": nothing is weakened");
            }
            return new Spec(
                    head.get("guard"),
                    head.get("source"),
                    head.get("scenario"),
                    head.get("tier").equals("quick"),
                    hunks);
        }

        private static String chop(StringBuilder text) {
            return text.isEmpty() ? "" : text.substring(0, text.length() - 1);
        }
    }
}

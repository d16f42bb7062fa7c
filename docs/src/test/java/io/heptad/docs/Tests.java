package io.heptad.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The tests of all modules, by class name: so that a page can name one and be held to it. */
final class Tests {
    private static final Map<String, String> SOURCES = sources();

    private Tests() {}

    /** Whether there is such a test: {@code Class#method}, {@code Class#JcstressTest}, or a whole {@code Class}. */
    static boolean has(String test) {
        String[] names = test.split("#");
        String source = SOURCES.get(names[0]);
        if (source == null || !source.contains("Test")) {
            return false;
        }
        return names.length == 1
                || isAnnotated(source, "void " + names[1] + "(", "@(Parameterized|Repeated)?Test\\b")
                || isAnnotated(source, "class " + names[1] + " ", "@JCStressTest\\b");
    }

    /** Whether the annotation stands between the declaration and the empty line before it. */
    private static boolean isAnnotated(String source, String declaration, String annotation) {
        int at = source.indexOf(declaration);
        return at >= 0
                && Pattern.compile(annotation)
                        .matcher(source.substring(Math.max(0, source.lastIndexOf("\n\n", at)), at))
                        .find();
    }

    private static Map<String, String> sources() {
        Map<String, String> sources = new TreeMap<>();
        try {
            Files.walkFileTree(Page.ROOT, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    String name = folder.getFileName().toString();
                    return name.equals("target") || name.equals(".git")
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    String name = file.getFileName().toString();
                    if (name.endsWith(".java") && file.toString().contains("src")) {
                        sources.merge(name.replace(".java", ""), Files.readString(file), String::concat);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sources;
    }
}

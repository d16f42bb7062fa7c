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

/** The tests of all modules, by class name: so that a page can name one and be held to it. */
final class Tests {
    private static final Map<String, String> SOURCES = sources();

    private Tests() {}

    /** Whether there is such a test: {@code Class#method}, or a whole {@code Class}. */
    static boolean has(String test) {
        String[] names = test.split("#");
        String source = SOURCES.get(names[0]);
        return source != null && (names.length == 1 || source.matches("(?s).*\\W" + names[1] + "\\(.*"));
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

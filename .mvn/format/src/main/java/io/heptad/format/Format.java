package io.heptad.format;

import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.FormatterException;
import com.palantir.javaformat.java.ImportOrderer;
import com.palantir.javaformat.java.JavaFormatterOptions;
import com.palantir.javaformat.java.RemoveUnusedImports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code Format check|apply ROOT}: every Java source below ROOT, in the one format. */
public final class Format {
    private Format() {}

    public static void main(String[] args) throws Exception {
        boolean apply = switch (args[0]) {
            case "apply" -> true;
            case "check" -> false;
            default -> throw new IllegalArgumentException("mode must be check or apply, but is " + args[0]);
        };
        Path root = Path.of(args[1]);
        List<Path> wrong = new ArrayList<>();
        for (Path source : sources(root)) {
            String is = Files.readString(source);
            String should;
            try {
                should = format(is);
            } catch (FormatterException cannotParse) {
                throw new IllegalStateException(source + ": " + cannotParse.getMessage(), cannotParse);
            }
            if (!should.equals(is)) {
                wrong.add(root.relativize(source));
                if (apply) {
                    Files.writeString(source, should);
                }
            }
        }
        wrong.forEach(path -> System.out.println((apply ? "formatted " : "not formatted: ") + path));
        if (!apply && !wrong.isEmpty()) {
            System.out.println("Run: mvn -Pformat -pl :heptad-format");
            System.exit(1);
        }
    }

    private static String format(String source) throws FormatterException {
        JavaFormatterOptions options = JavaFormatterOptions.builder()
                .style(JavaFormatterOptions.Style.PALANTIR)
                .formatJavadoc(false)
                .build();
        String imports = ImportOrderer.reorderImports(
                RemoveUnusedImports.removeUnusedImports(source), JavaFormatterOptions.Style.PALANTIR);
        return Formatter.createFormatter(options).formatSource(imports);
    }

    private static List<Path> sources(Path root) throws IOException {
        try (var all = Files.walk(root)) {
            return all.filter(path -> path.toString().endsWith(".java"))
                    .filter(path -> {
                        String below = root.relativize(path).toString().replace('\\', '/');
                        return below.contains("src/") && !below.contains("target/") && !below.startsWith(".git/");
                    })
                    .sorted()
                    .toList();
        }
    }
}

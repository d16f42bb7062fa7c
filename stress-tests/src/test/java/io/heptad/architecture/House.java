package io.heptad.architecture;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;

/** The published modules as they were built: their sources, their class files, their descriptors, and the two lists. */
record House(List<Module> modules, PublicTypes publicTypes, Exceptions exceptions) {
    /** The seven: module name to folder. */
    static final Map<String, String> FOLDERS = new TreeMap<>(Map.of(
            "io.heptad.core", "core",
            "io.heptad.sync", "sync",
            "io.heptad.queue", "queue",
            "io.heptad.pool", "pool",
            "io.heptad.actor", "actor",
            "io.heptad.pipeline", "workflow/pipeline",
            "io.heptad.gate", "workflow/gate"));

    /** One published module. */
    record Module(
            String name, Path sources, ModuleDescriptor descriptor, List<ClassNode> classes, JavaClasses dependencies) {
        static Module of(String name, Path folder) {
            Path output = folder.resolve("target/classes");
            List<ClassNode> classes = files(output, path -> path.toString().endsWith(".class")).stream()
                    .filter(path -> !path.endsWith("module-info.class"))
                    .map(Module::read)
                    .toList();
            try (var in = Files.newInputStream(output.resolve("module-info.class"))) {
                return new Module(
                        name,
                        folder.resolve("src/main/java"),
                        ModuleDescriptor.read(in),
                        classes,
                        new ClassFileImporter().importPath(output));
            } catch (IOException e) {
                throw new UncheckedIOException("not built: " + output, e);
            }
        }

        List<Path> sourceFiles() {
            return files(sources, path -> path.toString().endsWith(".java"));
        }

        /** Class files that are types, nested ones too. */
        Stream<ClassNode> types() {
            return classes.stream().filter(type -> !type.name.endsWith("package-info"));
        }

        /** Types that code in another module can name: public, and nested in nothing that is not. */
        Stream<ClassNode> publicTypes() {
            Map<String, ClassNode> byName = new TreeMap<>();
            classes.forEach(type -> byName.put(type.name, type));
            return types().filter(type -> isPublic(type, byName));
        }

        private static boolean isPublic(ClassNode type, Map<String, ClassNode> byName) {
            boolean nested = false;
            for (var inner : type.innerClasses) {
                if (inner.name.equals(type.name)) {
                    if (inner.outerName == null || (inner.access & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED)) == 0) {
                        return false;
                    }
                    nested = true;
                    if (!isPublic(byName.get(inner.outerName), byName)) {
                        return false;
                    }
                }
            }
            return nested || (type.access & Opcodes.ACC_PUBLIC) != 0;
        }

        private static ClassNode read(Path path) {
            try {
                ClassNode node = new ClassNode();
                new ClassReader(Files.readAllBytes(path)).accept(node, ClassReader.SKIP_FRAMES);
                return node;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Each public type of the seven; which of them users implement; which are promised but not yet there. */
    record PublicTypes(Set<String> all, Set<String> roles, Set<String> planned) {
        static PublicTypes parse(List<String> lines) {
            Map<String, Set<String>> marks = new TreeMap<>();
            for (String line : entries(lines)) {
                List<String> words = List.of(line.split("\\s+"));
                Set<String> rest = new TreeSet<>(words.subList(1, words.size()));
                if (!Set.of("role", "planned").containsAll(rest)) {
                    throw new IllegalArgumentException("after a type only \"role\" or \"planned\" may stand: " + line);
                }
                marks.put(words.get(0), rest);
            }
            return new PublicTypes(marks.keySet(), marked(marks, "role"), marked(marks, "planned"));
        }

        private static Set<String> marked(Map<String, Set<String>> marks, String word) {
            return marks.keySet().stream()
                    .filter(type -> marks.get(type).contains(word))
                    .collect(toSet());
        }
    }

    /** What a rule lets pass, each with its reason. */
    record Exceptions(Map<String, String> reasons) {
        static Exceptions parse(List<String> lines) {
            Map<String, String> reasons = new TreeMap<>();
            for (String line : entries(lines)) {
                String[] parts = line.split("\\s*\\|\\s*", 3);
                if (parts.length < 3 || parts[2].isBlank()) {
                    throw new IllegalArgumentException("an exception is \"rule | place | reason\": " + line);
                }
                reasons.put(parts[0] + " | " + parts[1], parts[2]);
            }
            return new Exceptions(reasons);
        }
    }

    /** The modules found below {@code root}; the lists as given. */
    static House at(Path root, List<String> publicTypes, List<String> exceptions) {
        List<Module> modules = new ArrayList<>();
        FOLDERS.forEach((name, folder) -> {
            if (Files.isDirectory(root.resolve(folder))) {
                modules.add(Module.of(name, root.resolve(folder)));
            }
        });
        return new House(modules, PublicTypes.parse(publicTypes), Exceptions.parse(exceptions));
    }

    /** {@code io/heptad/core/Metric$Kind} as a user writes it. */
    static String dotted(String internalName) {
        return internalName.replace('/', '.').replace('$', '.');
    }

    static String packageOf(String dottedOrInternal) {
        String name = dottedOrInternal.replace('/', '.');
        return Stream.of(name.split("\\."))
                .takeWhile(part -> !part.isEmpty() && Character.isLowerCase(part.charAt(0)) && !part.contains("-"))
                .collect(joining("."));
    }

    private static List<String> entries(List<String> lines) {
        return lines.stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
    }

    private static List<Path> files(Path below, Predicate<Path> which) {
        if (!Files.isDirectory(below)) {
            return List.of();
        }
        try (var all = Files.walk(below)) {
            return all.filter(which).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

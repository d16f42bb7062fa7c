package io.heptad.architecture;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;

/**
 * A small sound house with one thing wrong, compiled for real: which rule must see it, and at which place.
 *
 * @param sources file below the root to its text; stands beside, or in place of, the sound ones
 */
record Breach(Rule rule, String place, Map<String, String> sources, List<String> publicTypes, List<String> exceptions) {
    private static final List<String> SOUND_TYPES = List.of(
            "io.heptad.core.Thing", "io.heptad.queue.Queue", "io.heptad.pipeline.Pipeline", "io.heptad.gate.Gate");

    private static final Map<String, String> SOUND = sound();

    static final List<Breach> ALL = List.of(
            breach(Rule.ARROWS, "io.heptad.gate.Gate")
                    .with("workflow/gate", "module-info", """
                            module io.heptad.gate {
                                requires io.heptad.pipeline;
                                requires static org.jspecify;
                                exports io.heptad.gate;
                            }""")
                    .with("workflow/gate", "io/heptad/gate/Gate", """
                            package io.heptad.gate;
                            public final class Gate { io.heptad.pipeline.Pipeline pipeline; }"""),
            breach(Rule.ARROWS, "io.heptad.queue").with("queue", "module-info", """
                    module io.heptad.queue {
                        requires io.heptad.gate;
                        requires static org.jspecify;
                        exports io.heptad.queue;
                    }"""),
            breach(Rule.ARROWS, "io.heptad.core.Other")
                    .with(
                            "core",
                            "io/heptad/core/Other",
                            "package io.heptad.core; class Other { io.heptad.future.Later[] it; }")
                    .with("core", "io/heptad/future/Later", "package io.heptad.future; public final class Later {}")
                    .with("core", "io/heptad/future/package-info", marked("io.heptad.future"))
                    .with("core", "module-info", """
                            module io.heptad.core {
                                requires static org.jspecify;
                                exports io.heptad.core;
                                exports io.heptad.future;
                            }""")
                    .listing("io.heptad.future.Later"),
            breach(Rule.NO_CYCLES, "io.heptad.gate")
                    .with(
                            "workflow/gate",
                            "io/heptad/gate/Other",
                            "package io.heptad.gate; class Other { io.heptad.gate.saga.Saga it; }")
                    .with(
                            "workflow/gate",
                            "io/heptad/gate/saga/Saga",
                            "package io.heptad.gate.saga; public final class Saga { io.heptad.gate.Gate it; }")
                    .with("workflow/gate", "io/heptad/gate/saga/package-info", marked("io.heptad.gate.saga"))
                    .with("workflow/gate", "module-info", """
                            module io.heptad.gate {
                                requires static org.jspecify;
                                exports io.heptad.gate;
                                exports io.heptad.gate.saga;
                            }""")
                    .listing("io.heptad.gate.saga.Saga"),
            breach(Rule.NO_DEPENDENCIES, "io.heptad.core").with("core", "module-info", """
                    module io.heptad.core { requires org.jspecify; exports io.heptad.core; }"""),
            breach(Rule.PUBLIC_TYPES, "io.heptad.queue.Another").inQueue("public final class Another {}"),
            breach(Rule.PUBLIC_TYPES, "io.heptad.queue.Queue.Part").with("queue", "io/heptad/queue/Queue", """
                    package io.heptad.queue;
                    public final class Queue { public static final class Part {} }"""),
            breach(Rule.PUBLIC_TYPES, "io.heptad.queue.Gone").listing("io.heptad.queue.Gone"),
            breach(Rule.EXPORTS, "io.heptad.queue.inner")
                    .with(
                            "queue",
                            "io/heptad/queue/inner/Inner",
                            "package io.heptad.queue.inner; public final class Inner {}")
                    .with("queue", "io/heptad/queue/inner/package-info", marked("io.heptad.queue.inner"))
                    .listing("io.heptad.queue.inner.Inner"),
            breach(Rule.EXPORTS, "io.heptad.queue").with("queue", "module-info", """
                    module io.heptad.queue { requires static org.jspecify; exports io.heptad.queue to java.sql; }"""),
            breach(Rule.EXPORTS, "io.heptad.queue").with("queue", "module-info", """
                    open module io.heptad.queue { requires static org.jspecify; exports io.heptad.queue; }"""),
            breach(Rule.FINAL, "io.heptad.queue.Extended")
                    .inQueue("public class Extended {}")
                    .listing("io.heptad.queue.Extended"),
            breach(Rule.FINAL, "io.heptad.queue.Implemented")
                    .inQueue("public interface Implemented {}")
                    .listing("io.heptad.queue.Implemented"),
            breach(Rule.NO_MONITORS, "io.heptad.queue.Locked.put")
                    .inQueue("class Locked { synchronized void put() {} }"),
            breach(Rule.NO_MONITORS, "io.heptad.queue.Locked.put")
                    .inQueue(
                            "class Locked { void put() { Runnable later = () -> { synchronized (this) { hashCode(); } }; } }"),
            breach(Rule.NO_MONITORS, "io.heptad.queue.Locked.put")
                    .inQueue("class Locked { void put() throws InterruptedException { wait(7); } }"),
            breach(Rule.NO_MONITORS, "io.heptad.queue.Locked.put")
                    .inQueue("class Locked { void put() { notifyAll(); } }"),
            breach(Rule.NO_SLEEP, "io.heptad.queue.Slow.take")
                    .inQueue("class Slow { void take() throws InterruptedException { Thread.sleep(1); } }"),
            breach(Rule.NO_SLEEP, "io.heptad.queue.Slow.take")
                    .inQueue(
                            "class Slow { void take() throws Exception { java.util.concurrent.TimeUnit.DAYS.sleep(1); } }"),
            breach(Rule.NOTHING_UNBOUNDED, "io.heptad.queue.Deep.<init>")
                    .inQueue("class Deep { Object it = new java.util.concurrent.LinkedBlockingQueue<Object>(); }"),
            breach(Rule.NOTHING_UNBOUNDED, "io.heptad.queue.Deep.<init>")
                    .inQueue(
                            "class Deep { java.util.function.Supplier<?> it = java.util.concurrent.ConcurrentLinkedQueue::new; }"),
            breach(Rule.NOTHING_UNBOUNDED, "io.heptad.queue.Deep.<init>")
                    .inQueue("class Deep { Object it = java.util.concurrent.Executors.newFixedThreadPool(1); }"),
            breach(Rule.NOTHING_UNBOUNDED, "io.heptad.queue.Deep.<init>")
                    .inQueue("class Deep { Object it = java.util.concurrent.CompletableFuture.runAsync(() -> {}); }"),
            breach(Rule.NO_STATIC_STATE, "io.heptad.queue.Shared.count").inQueue("class Shared { static int count; }"),
            breach(Rule.NO_STATIC_STATE, "io.heptad.queue.Shared.ALL")
                    .inQueue(
                            "class Shared { static final java.util.Map<String, String> ALL = new java.util.HashMap<>(); }"),
            breach(Rule.NO_STATIC_STATE, "io.heptad.queue.Shared.ALL")
                    .inQueue("class Shared { static final Object[] ALL = new Object[1]; }"),
            breach(Rule.NULL_MARKED, "io.heptad.queue")
                    .with("queue", "io/heptad/queue/package-info", "/** Unmarked. */ package io.heptad.queue;"),
            breach(Rule.SHORT_FILES, "Long.java").inQueue("class Long {" + "\n".repeat(500) + "}"),
            breach(Rule.NAMES, "io.heptad.queue.QueueUtil").inQueue("class QueueUtil {}"),
            breach(Rule.NAMES, "io.heptad.queue.AbstractQueue").inQueue("abstract class AbstractQueue {}"),
            breach(Rule.NO_GET, "io.heptad.queue.Queue.getDepth").with("queue", "io/heptad/queue/Queue", """
                    package io.heptad.queue;
                    public final class Queue { public int getDepth() { return 0; } }"""),
            breach(Rule.EXCEPTIONS_IN_USE, "NO_SLEEP | io.heptad.queue.Queue.take")
                    .excepting("NO_SLEEP | io.heptad.queue.Queue.take | it slept once"));

    static Breach none() {
        return breach(Rule.NAMES, "");
    }

    private static Breach breach(Rule rule, String place) {
        return new Breach(rule, place, Map.of(), List.of(), List.of());
    }

    private Breach with(String folder, String file, String source) {
        Map<String, String> more = new TreeMap<>(sources);
        more.put(folder + "/src/main/java/" + file + ".java", source);
        return new Breach(rule, place, more, publicTypes, exceptions);
    }

    private Breach inQueue(String type) {
        String name = type.replaceAll("(?s).*?(?:class|interface) (\\w+).*", "$1");
        return with("queue", "io/heptad/queue/" + name, "package io.heptad.queue; " + type);
    }

    private Breach listing(String publicType) {
        return new Breach(rule, place, sources, List.of(publicType), exceptions);
    }

    Breach excepting(String exception) {
        return new Breach(rule, place, sources, publicTypes, List.of(exception));
    }

    House build(Path root) throws IOException {
        Map<String, String> all = new TreeMap<>(SOUND);
        all.putAll(sources);
        List<String> arguments = new ArrayList<>(List.of(
                "--release", "21", "-proc:none", "-d", root.resolve("out").toString(), "--module-path", jspecify()));
        for (var source : all.entrySet()) {
            Path file = root.resolve(source.getKey());
            Files.createDirectories(file.getParent());
            Files.writeString(file, source.getValue());
            arguments.add(file.toString());
        }
        House.FOLDERS.forEach((name, folder) -> {
            if (Files.isDirectory(root.resolve(folder))) {
                arguments.add("--module-source-path");
                arguments.add(name + "=" + root.resolve(folder).resolve("src/main/java"));
            }
        });
        compile(arguments);
        for (var module : House.FOLDERS.entrySet()) {
            if (Files.isDirectory(root.resolve(module.getValue()))) {
                Files.createDirectories(root.resolve(module.getValue()).resolve("target"));
                Files.move(
                        root.resolve("out").resolve(module.getKey()),
                        root.resolve(module.getValue()).resolve("target/classes"));
            }
        }
        return House.at(
                root, Stream.concat(SOUND_TYPES.stream(), publicTypes.stream()).toList(), exceptions);
    }

    private static void compile(List<String> arguments) throws IOException {
        var compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        List<String> options =
                arguments.stream().filter(word -> !word.endsWith(".java")).toList();
        List<Path> files = arguments.stream()
                .filter(word -> word.endsWith(".java"))
                .map(Path::of)
                .toList();
        try (var manager = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(
                            said, manager, null, options, null, manager.getJavaFileObjectsFromPaths(files))
                    .call();
            if (!compiled) {
                throw new IllegalStateException(said.toString());
            }
        }
    }

    private static String jspecify() {
        try {
            return Path.of(NullMarked.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, String> sound() {
        Map<String, String> sources = new TreeMap<>();
        for (String type : SOUND_TYPES) {
            String name = type.substring(type.lastIndexOf('.') + 1);
            String module = House.packageOf(type);
            String java = House.FOLDERS.get(module) + "/src/main/java/";
            String folder = java + module.replace('.', '/') + "/";
            sources.put(
                    java + "module-info.java",
                    Stream.of(
                                    "module " + module + " {",
                                    "requires static org.jspecify;",
                                    "exports " + module + ";",
                                    "}")
                            .collect(joining("\n")));
            sources.put(folder + "package-info.java", marked(module));
            sources.put(folder + name + ".java", "package " + module + "; public final class " + name + " {}");
        }
        return sources;
    }

    private static String marked(String name) {
        return "@org.jspecify.annotations.NullMarked package " + name + ";";
    }

    @Override
    public String toString() {
        return rule + " at " + place + Arrays.toString(sources.keySet().toArray());
    }
}

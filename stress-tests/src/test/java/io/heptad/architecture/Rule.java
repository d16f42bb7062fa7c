package io.heptad.architecture;

import static io.heptad.architecture.House.dotted;
import static io.heptad.architecture.House.packageOf;
import static java.util.stream.Collectors.toCollection;
import static org.objectweb.asm.Opcodes.ACC_ENUM;
import static org.objectweb.asm.Opcodes.ACC_FINAL;
import static org.objectweb.asm.Opcodes.ACC_PROTECTED;
import static org.objectweb.asm.Opcodes.ACC_PUBLIC;
import static org.objectweb.asm.Opcodes.ACC_STATIC;
import static org.objectweb.asm.Opcodes.ACC_SYNCHRONIZED;
import static org.objectweb.asm.Opcodes.ACC_SYNTHETIC;
import static org.objectweb.asm.Opcodes.MONITORENTER;

import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import io.heptad.architecture.House.Module;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** A rule of the house: what it forbids, why, and where it is broken. */
enum Rule {
    ARROWS("a shape must be usable, and changeable, without the shapes it does not stand on", Rule::arrows),
    NO_CYCLES("packages that need each other are one package with a wall through it", Rule::cycles),
    NO_DEPENDENCIES("a concurrency library that brings others along dictates their versions", Rule::dependencies),
    PUBLIC_TYPES("what is public is promised for years, so it is promised on purpose", Rule::publicTypes),
    EXPORTS("what a module exports and what is public are the same set, seen by everyone alike", Rule::exports),
    FINAL("a subclass of a lock can break it from outside; a type that users hold says all it can do", Rule::open),
    NO_MONITORS("on Java 21 a virtual thread that waits in a monitor takes its carrier with it", Rule::monitors),
    NO_SLEEP("a sleep is a guess about another thread; wait for the thing itself, with its time limit", Rule::sleeps),
    NOTHING_UNBOUNDED("an unbounded queue, or an executor with one, is an out-of-memory put off", Rule::unbounded),
    NO_STATIC_STATE("static state is shared by users who do not know of each other, and outlives them", Rule::statics),
    NULL_MARKED("a caller must see from the type what may be null", Rule::unmarked),
    SHORT_FILES("what does not fit in a head does not get reviewed; extract a collaborator", Rule::longFiles),
    NAMES("a name like Manager or Util says that nobody found out what the thing is", Rule::names),
    NO_GET("one style of accessor: depth(), as records have it", Rule::getters),
    EXCEPTIONS_IN_USE("an exception that nothing needs any more would hide the next breach", house -> List.of());

    final String reason;
    private final Function<House, List<String>> find;

    Rule(String reason, Function<House, List<String>> find) {
        this.reason = reason;
        this.find = find;
    }

    /** Where the house breaks this rule, one sentence each; places that the house excepts are left out. */
    List<String> violations(House house) {
        if (this == EXCEPTIONS_IN_USE) {
            return unused(house);
        }
        return find.apply(house).stream()
                .filter(found -> house.exceptions().reasons().keySet().stream()
                        .noneMatch(exception -> excepts(exception, found)))
                .toList();
    }

    /** A finding starts with the place, then a colon. */
    private boolean excepts(String exception, String found) {
        return found.startsWith(exception.substring(exception.indexOf('|') + 2) + ":")
                && exception.startsWith(name() + " |");
    }

    private static List<String> unused(House house) {
        return house.exceptions().reasons().keySet().stream()
                .filter(exception -> Stream.of(values())
                        .filter(rule -> rule != EXCEPTIONS_IN_USE)
                        .flatMap(
                                rule -> rule.find.apply(house).stream().filter(found -> rule.excepts(exception, found)))
                        .findAny()
                        .isEmpty())
                .map(exception -> exception + ": nothing there breaks this rule")
                .toList();
    }

    // ---- arrows

    /** Package prefix to the prefixes it may name. Patterns 5 and 7 do not know each other. */
    private static final Map<String, Set<String>> MAY_USE = Map.of(
            "core", Set.of(),
            "future", Set.of("core"),
            "sync", Set.of("core", "future"),
            "queue", Set.of("core", "future"),
            "pool", Set.of("core", "future"),
            "actor", Set.of("core", "future", "queue"),
            "pipeline", Set.of("core", "future", "queue", "pool"),
            "gate", Set.of("core", "future", "sync", "pool"));

    private static List<String> arrows(House house) {
        Set<String> found = new TreeSet<>();
        for (Module module : house.modules()) {
            module.dependencies().stream()
                    .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                    .forEach(arrow -> {
                        String from = shape(arrow.getOriginClass().getPackageName());
                        String to = shape(
                                arrow.getTargetClass().getBaseComponentType().getPackageName());
                        if (!from.isEmpty()
                                && !to.isEmpty()
                                && !from.equals(to)
                                && !MAY_USE.get(from).contains(to)) {
                            found.add(arrow.getOriginClass().getName() + ": " + from + " may not use " + to);
                        }
                    });
            String self = shape(module.name());
            module.descriptor().requires().stream()
                    .map(Requires::name)
                    .filter(name -> name.startsWith("io.heptad."))
                    .filter(name -> !MAY_USE.get(self).contains(shape(name)))
                    .forEach(name -> found.add(module.name() + ": requires " + name));
        }
        return List.copyOf(found);
    }

    /** {@code gate} for {@code io.heptad.gate.saga}; empty for a package that is not Heptad's. */
    private static String shape(String packageName) {
        String[] parts = packageName.split("\\.");
        return parts.length > 2 && packageName.startsWith("io.heptad.") ? parts[2] : "";
    }

    private static List<String> cycles(House house) {
        return house.modules().stream()
                .flatMap(module -> SlicesRuleDefinition.slices()
                        .matching("io.heptad.(**)")
                        .should()
                        .beFreeOfCycles()
                        .allowEmptyShould(true)
                        .evaluate(module.dependencies())
                        .getFailureReport()
                        .getDetails()
                        .stream()
                        .map(cycle -> module.name() + ": " + cycle))
                .toList();
    }

    private static List<String> dependencies(House house) {
        return house.modules().stream()
                .flatMap(module -> module.descriptor().requires().stream()
                        .filter(needed -> !needed.modifiers().contains(Requires.Modifier.STATIC))
                        .map(Requires::name)
                        .filter(name -> !name.matches("(java|jdk|io\\.heptad)\\..*"))
                        .map(name -> module.name() + ": needs " + name + " at run time"))
                .toList();
    }

    // ---- API

    private static List<String> publicTypes(House house) {
        Set<String> is = house.modules().stream()
                .flatMap(Module::publicTypes)
                .map(type -> dotted(type.name))
                .collect(toCollection(TreeSet::new));
        Set<String> accident = new TreeSet<>(is);
        accident.removeAll(house.publicTypes().all());
        Set<String> gone = new TreeSet<>(house.publicTypes().all());
        gone.removeAll(is);
        gone.removeAll(house.publicTypes().planned());
        return Stream.concat(
                        accident.stream().map(type -> type + ": public, but not in public-types.txt"),
                        gone.stream().map(type -> type + ": in public-types.txt, but not public"))
                .toList();
    }

    private static List<String> exports(House house) {
        Set<String> found = new TreeSet<>();
        for (Module module : house.modules()) {
            Set<String> expected =
                    module.publicTypes().map(type -> packageOf(type.name)).collect(toCollection(TreeSet::new));
            Map<String, ModuleDescriptor.Exports> exported = new TreeMap<>();
            module.descriptor().exports().forEach(export -> exported.put(export.source(), export));
            exported.forEach((name, export) -> {
                if (export.isQualified()) {
                    found.add(name + ": exported to " + export.targets() + " only");
                }
                if (!expected.contains(name)) {
                    found.add(name + ": exported, but holds no public type");
                }
            });
            expected.removeAll(exported.keySet());
            expected.forEach(name -> found.add(name + ": holds public types, but is not exported"));
            if (module.descriptor().isOpen() || !module.descriptor().opens().isEmpty()) {
                found.add(module.name() + ": open to reflection");
            }
        }
        return List.copyOf(found);
    }

    private static List<String> open(House house) {
        return house.modules().stream()
                .flatMap(Module::publicTypes)
                .filter(type -> (type.access & (ACC_FINAL | ACC_ENUM)) == 0)
                .filter(type -> type.permittedSubclasses == null)
                .map(type -> dotted(type.name))
                .filter(type -> !house.publicTypes().roles().contains(type))
                .map(type -> type + ": neither final, sealed, an enum nor a record, and no role that users implement")
                .toList();
    }

    private static List<String> getters(House house) {
        return house.modules().stream()
                .flatMap(Module::publicTypes)
                .flatMap(type -> type.methods.stream()
                        .filter(method -> (method.access & (ACC_PUBLIC | ACC_PROTECTED)) != 0)
                        .filter(method -> (method.access & ACC_SYNTHETIC) == 0)
                        .filter(method -> method.name.matches("(get|is)[A-Z].*|get"))
                        .filter(method -> !method.name.startsWith("is") || !method.desc.endsWith(")Z"))
                        .map(method -> dotted(type.name) + "." + method.name + ": get-prefix"))
                .toList();
    }

    // ---- what main code may not do

    private static List<String> monitors(House house) {
        return inEachMethod(
                house,
                (type, method) -> (method.access & ACC_SYNCHRONIZED) != 0
                        || instructions(method).anyMatch(opcode -> opcode == MONITORENTER)
                        || calls(method)
                                .anyMatch(call -> (call.name.equals("wait") && call.desc.matches("\\((J|JI)?\\)V"))
                                        || (call.name.matches("notify|notifyAll") && call.desc.equals("()V"))),
                "synchronized, wait or notify");
    }

    private static List<String> sleeps(House house) {
        return inEachMethod(
                house,
                (type, method) -> calls(method)
                        .anyMatch(call -> call.name.equals("sleep")
                                && call.owner.matches("java/lang/Thread|java/util/concurrent/TimeUnit")),
                "sleeps");
    }

    private static List<String> unbounded(House house) {
        return inEachMethod(
                house,
                (type, method) -> calls(method).anyMatch(Rule::makesSomethingUnbounded)
                        || references(method).anyMatch(Rule::makesSomethingUnbounded),
                "an unbounded JDK queue, or an executor that has one");
    }

    private static boolean makesSomethingUnbounded(MethodInsnNode call) {
        boolean constructor = call.name.equals("<init>");
        return switch (call.owner) {
            case "java/util/concurrent/LinkedBlockingQueue", "java/util/concurrent/LinkedBlockingDeque" ->
                constructor && !call.desc.equals("(I)V");
            case "java/util/concurrent/ConcurrentLinkedQueue",
                    "java/util/concurrent/ConcurrentLinkedDeque",
                    "java/util/concurrent/LinkedTransferQueue",
                    "java/util/concurrent/PriorityBlockingQueue",
                    "java/util/concurrent/DelayQueue",
                    "java/util/concurrent/ScheduledThreadPoolExecutor",
                    "java/util/concurrent/ForkJoinPool",
                    "java/util/Timer" -> constructor || call.name.equals("commonPool");
            case "java/util/concurrent/Executors" -> call.name.startsWith("new");
            case "java/util/concurrent/CompletableFuture", "java/util/concurrent/CompletionStage" ->
                call.name.endsWith("Async") && !call.desc.contains("Ljava/util/concurrent/Executor;");
            default -> false;
        };
    }

    private static final Pattern MUTABLE = Pattern.compile("""
            \\[.*\
            |Ljava/util/concurrent/atomic/.*\
            |Ljava/util/(concurrent/)?\\w*(Map|Set|List|Deque|Queue|Collection|Vector|Stack);\
            |Ljava/lang/(ThreadLocal|StringBuilder|StringBuffer);\
            |Ljava/util/(Random|Properties|BitSet);\
            |Ljava/util/concurrent/\\w*(Lock|Executor|ExecutorService|Semaphore|CountDownLatch);\
            |Ljava/util/concurrent/locks/.*""");

    private static List<String> statics(House house) {
        return house.modules().stream()
                .flatMap(Module::types)
                .flatMap(type -> type.fields.stream()
                        .filter(field -> (field.access & ACC_STATIC) != 0 && (field.access & ACC_SYNTHETIC) == 0)
                        .filter(Rule::isMutable)
                        .map(field -> dotted(type.name) + "." + field.name + ": static, and can change"))
                .toList();
    }

    private static boolean isMutable(FieldNode field) {
        return (field.access & ACC_FINAL) == 0 || MUTABLE.matcher(field.desc).matches();
    }

    private static List<String> inEachMethod(House house, BiPredicate<ClassNode, MethodNode> broken, String what) {
        return house.modules().stream()
                .flatMap(Module::types)
                .flatMap(type -> type.methods.stream()
                        .filter(method -> broken.test(type, method))
                        .map(method -> dotted(type.name) + "." + plain(method.name) + ": " + what))
                .distinct()
                .toList();
    }

    /** A lambda's body is named after the method it stands in. */
    private static String plain(String method) {
        return method.startsWith("lambda$") ? method.split("\\$")[1] : method;
    }

    private static Stream<Integer> instructions(MethodNode method) {
        return Stream.of(method.instructions.toArray()).map(instruction -> instruction.getOpcode());
    }

    private static Stream<MethodInsnNode> calls(MethodNode method) {
        return Stream.of(method.instructions.toArray())
                .filter(MethodInsnNode.class::isInstance)
                .map(MethodInsnNode.class::cast);
    }

    /** Method references ({@code LinkedTransferQueue::new}) as if they were calls. */
    private static Stream<MethodInsnNode> references(MethodNode method) {
        return Stream.of(method.instructions.toArray())
                .filter(org.objectweb.asm.tree.InvokeDynamicInsnNode.class::isInstance)
                .flatMap(dynamic -> Stream.of(((org.objectweb.asm.tree.InvokeDynamicInsnNode) dynamic).bsmArgs))
                .filter(org.objectweb.asm.Handle.class::isInstance)
                .map(org.objectweb.asm.Handle.class::cast)
                .map(handle -> new MethodInsnNode(
                        org.objectweb.asm.Opcodes.INVOKESTATIC, handle.getOwner(), handle.getName(), handle.getDesc()));
    }

    // ---- sources and names

    private static List<String> unmarked(House house) {
        Set<String> found = new TreeSet<>();
        for (Module module : house.modules()) {
            Set<String> marked = module.classes().stream()
                    .filter(type -> type.name.endsWith("package-info"))
                    .filter(type -> Stream.concat(
                                    nullToEmpty(type.visibleAnnotations), nullToEmpty(type.invisibleAnnotations))
                            .anyMatch(annotation -> annotation.desc.equals("Lorg/jspecify/annotations/NullMarked;")))
                    .map(type -> packageOf(type.name))
                    .collect(toCollection(TreeSet::new));
            module.types()
                    .map(type -> packageOf(type.name))
                    .filter(name -> !marked.contains(name))
                    .forEach(name -> found.add(name + ": its package-info is not @NullMarked"));
        }
        return List.copyOf(found);
    }

    private static <T> Stream<T> nullToEmpty(List<T> list) {
        return list == null ? Stream.empty() : list.stream();
    }

    private static List<String> longFiles(House house) {
        return house.modules().stream()
                .flatMap(module -> module.sourceFiles().stream())
                .filter(path -> lines(path) > 500)
                .map(path -> path.getFileName() + ": " + lines(path) + " lines without javadoc, of at most 500")
                .toList();
    }

    /** Javadoc is not counted: it is the contract, read elsewhere, and saying more of it must cost nothing. */
    private static long lines(Path path) {
        try {
            String source = Files.readString(path);
            return JAVADOC.matcher(source).replaceAll("").lines().count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final Pattern JAVADOC = Pattern.compile("(?m)^\\s*/\\*\\*(?s:.*?)\\*/\\n");

    private static final Pattern VAGUE =
            Pattern.compile("(Abstract|Base|Default)[A-Z].*|.*(Manager|Helpers?|Utils?|Utilities|Impl|Misc)");

    private static List<String> names(House house) {
        return house.modules().stream()
                .flatMap(Module::types)
                .map(type -> dotted(type.name))
                .filter(type ->
                        VAGUE.matcher(type.substring(type.lastIndexOf('.') + 1)).matches())
                .map(type -> type + ": says nothing")
                .toList();
    }
}

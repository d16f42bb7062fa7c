package io.heptad.bench;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Every contest there is, from the list that JMH's processor wrote and the annotations on the methods it names. */
final class Catalog {
    private static final String PEER = "peer";

    private final List<Contest> contests;

    private Catalog(List<Contest> contests) {
        this.contests = contests;
    }

    static Catalog ofClassPath() {
        var silent = OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT);
        List<Contest> contests = new ArrayList<>();
        for (BenchmarkListEntry entry : BenchmarkList.defaultList().getAll(silent, List.of())) {
            contests.addAll(contests(entry));
        }
        return new Catalog(List.copyOf(contests));
    }

    List<Contest> contests() {
        return contests;
    }

    SortedSet<String> shapes() {
        return contests.stream().map(Contest::shape).collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * The contests that a run of this mode consists of, by shape. A regular expression other than {@code .*} picks from
     * all cells, so that quick mode can run a cell that is otherwise left to full mode.
     */
    Map<String, List<Contest>> select(String shapes, RunMode mode, String include) {
        Pattern pattern;
        try {
            pattern = Pattern.compile(include);
        } catch (PatternSyntaxException notOne) {
            throw new UsageException(
                    "bench.include is '" + include + "', which is no regular expression: " + notOne.getDescription());
        }
        boolean everyCell = mode != RunMode.QUICK || !include.equals(".*");
        Map<String, List<Contest>> selected = new LinkedHashMap<>();
        for (String shape : named(shapes)) {
            List<Contest> of = contests.stream()
                    .filter(contest -> contest.shape().equals(shape))
                    .filter(contest -> everyCell || contest.quick())
                    .filter(contest -> pattern.matcher(contest.label()).find())
                    .toList();
            if (!of.isEmpty()) {
                selected.put(shape, of);
            }
        }
        if (selected.isEmpty()) {
            throw new UsageException("bench.include is '" + include + "', which matches none of: "
                    + named(shapes).stream()
                            .flatMap(shape -> contests.stream()
                                    .filter(contest -> contest.shape().equals(shape)))
                            .map(contest -> System.lineSeparator() + "  " + contest.label())
                            .collect(Collectors.joining()));
        }
        return selected;
    }

    private Set<String> named(String shapes) {
        if (shapes.equals("all")) {
            return shapes();
        }
        Set<String> named = new LinkedHashSet<>();
        for (String shape : shapes.split(",", -1)) {
            if (!shapes().contains(shape.strip())) {
                throw new UsageException(
                        "bench is '" + shapes + "', but must be 'all' or some of: " + String.join(",", shapes()));
            }
            named.add(shape.strip());
        }
        return named;
    }

    private static List<Contest> contests(BenchmarkListEntry entry) {
        Method method = method(entry);
        Compare compare = method.getAnnotation(Compare.class);
        if (compare == null || entry.getMode() == Mode.Throughput) {
            throw new IllegalStateException(entry.getUsername() + " must carry @Compare and measure time");
        }
        Map<String, List<String>> params = params(method);
        List<String> peers = params.remove(PEER);
        if (peers == null) {
            throw new IllegalStateException(entry.getUsername() + " must have a @Param named " + PEER);
        }
        String shape = method.getDeclaringClass().getPackageName();
        String name = shape.substring(shape.lastIndexOf('.') + 1);
        return cells(params).stream()
                .map(cell -> new Contest(
                        name,
                        method.getName(),
                        entry.getUsername(),
                        entry.getMode(),
                        compare,
                        cell,
                        peers.stream()
                                .filter(peer -> !leftOut(compare, cell, peer))
                                .toList()))
                .filter(contest -> !contest.peers().isEmpty())
                .toList();
    }

    private static boolean leftOut(Compare compare, Cell cell, String peer) {
        return Arrays.stream(compare.without())
                .anyMatch(without -> List.of(without.peer()).contains(peer) && cell.matches(without.where()));
    }

    private static Method method(BenchmarkListEntry entry) {
        String name = entry.getUsername().substring(entry.getUsername().lastIndexOf('.') + 1);
        try {
            return Arrays.stream(Class.forName(entry.getUserClassQName()).getMethods())
                    .filter(method -> method.getName().equals(name))
                    .findAny()
                    .orElseThrow(() -> new IllegalStateException(entry.getUsername() + " is listed but has no method"));
        } catch (ClassNotFoundException stale) {
            throw new IllegalStateException(entry.getUsername() + " is listed but has no class: build again", stale);
        }
    }

    /** The {@code @Param} fields of the benchmark's class and of the states that its method takes, as declared. */
    private static Map<String, List<String>> params(Method method) {
        Map<String, List<String>> params = new LinkedHashMap<>();
        List<Class<?>> holders = new ArrayList<>();
        if (method.getDeclaringClass().isAnnotationPresent(State.class)) {
            holders.add(method.getDeclaringClass());
        }
        holders.addAll(Arrays.stream(method.getParameterTypes())
                .filter(type -> type.isAnnotationPresent(State.class))
                .toList());
        for (Class<?> holder : holders) {
            for (var field : holder.getFields()) {
                Param param = field.getAnnotation(Param.class);
                if (param != null) {
                    params.put(field.getName(), List.of(param.value()));
                }
            }
        }
        return params;
    }

    private static List<Cell> cells(Map<String, List<String>> params) {
        List<Map<String, String>> settings = List.of(Map.of());
        for (var param : params.entrySet()) {
            settings = settings.stream()
                    .flatMap(start -> param.getValue().stream().map(value -> {
                        Map<String, String> longer = new LinkedHashMap<>(start);
                        longer.put(param.getKey(), value);
                        return longer;
                    }))
                    .toList();
        }
        return settings.stream().map(Cell::new).toList();
    }
}

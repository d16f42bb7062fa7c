package io.heptad.bench;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** One setting of every parameter but the peer, in the order in which the benchmark declares them. */
record Cell(Map<String, String> settings) {
    Cell {
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }

    /** Whether each parameter that the pattern names has one of the values it names. */
    boolean matches(String pattern) {
        if (pattern.isBlank()) {
            return true;
        }
        return Arrays.stream(pattern.strip().split(" +", -1)).allMatch(term -> {
            List<String> sides = List.of(term.split("=", 2));
            String value = settings.get(sides.get(0));
            if (value == null || sides.size() < 2) {
                throw new IllegalArgumentException(
                        "pattern '" + pattern + "' names '" + term + "', but the parameters are " + settings.keySet());
            }
            return List.of(sides.get(1).split("\\|", -1)).contains(value);
        });
    }

    boolean matchesAny(String... patterns) {
        return Arrays.stream(patterns).anyMatch(this::matches);
    }

    String label() {
        return label("");
    }

    /** As {@link #label()}, without one parameter. */
    String label(String without) {
        return settings.entrySet().stream()
                .filter(setting -> !setting.getKey().equals(without))
                .map(setting -> setting.getKey() + "=" + setting.getValue())
                .collect(Collectors.joining(" "));
    }
}

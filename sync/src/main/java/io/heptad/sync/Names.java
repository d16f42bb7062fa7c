package io.heptad.sync;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The names that users give. */
final class Names {
    private Names() {}

    static String notBlank(String parameter, String name) {
        if (Objects.requireNonNull(name, parameter).isBlank()) {
            throw new IllegalArgumentException(parameter + " must not be blank, but is \"" + name + "\"");
        }
        return name;
    }

    /** Each name to its place, in order; at least one, and none twice. */
    static Map<String, Integer> distinct(String parameter, List<String> names) {
        if (names.isEmpty()) {
            throw new IllegalArgumentException(parameter + " must name at least one, but is empty");
        }
        Map<String, Integer> places = LinkedHashMap.newLinkedHashMap(names.size());
        for (int i = 0; i < names.size(); i++) {
            String name = notBlank(parameter + "[" + i + "]", names.get(i));
            if (places.putIfAbsent(name, i) != null) {
                throw new IllegalArgumentException(parameter + " must differ, but \"" + name + "\" is there twice");
            }
        }
        return places;
    }

    static int place(String parameter, Map<String, Integer> places, String name) {
        Integer place = places.get(Objects.requireNonNull(name, parameter));
        if (place == null) {
            throw new IllegalArgumentException(
                    parameter + " must be one of " + places.keySet() + ", but is \"" + name + "\"");
        }
        return place;
    }
}

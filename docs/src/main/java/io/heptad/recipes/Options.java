package io.heptad.recipes;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The options of one run, checked as they are read: every refusal names the option, the value and what would be right.
 *
 * <p>An empty value counts as not given, because that is what an unset property of the build looks like here.
 */
public final class Options {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,12})(ns|us|ms|s|m|h)");

    private final Map<String, Option> known = new LinkedHashMap<>();
    private final Map<String, String> given = new LinkedHashMap<>();

    private Options() {}

    /**
     * Reads {@code name=value} pairs.
     *
     * @param known the options that there are
     * @param pairs what was given
     * @return the options of this run
     * @throws BadOptionException if a pair has no {@code =}, or names an option that there is not
     */
    public static Options of(List<Option> known, List<String> pairs) {
        Options options = new Options();
        for (Option option : known) {
            options.known.put(option.name(), option);
        }
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw new BadOptionException("an option is name=value, but this is \"" + pair + "\"");
            }
            String name = pair.substring(0, equals);
            String value = pair.substring(equals + 1).strip();
            if (value.isEmpty()) {
                continue;
            }
            if (!options.known.containsKey(name)) {
                throw new BadOptionException("there is no option " + name + " here (its value was \"" + value
                        + "\"); there is " + String.join(", ", options.known.keySet()));
            }
            options.given.put(name, value);
        }
        return options;
    }

    /**
     * Whether a value was given.
     *
     * @param name the option
     * @return false if its fallback holds
     */
    public boolean isGiven(String name) {
        return given.containsKey(name);
    }

    /**
     * The value as it was typed, or the fallback.
     *
     * @param name the option
     * @return the text; empty where neither was there
     */
    public String text(String name) {
        Option option = known.get(name);
        if (option == null) {
            throw new IllegalArgumentException("name must be a declared option, but is " + name);
        }
        return given.getOrDefault(name, option.fallback());
    }

    /**
     * A whole number.
     *
     * @param name the option
     * @param least the least value allowed
     * @param most the greatest value allowed
     * @return the number
     */
    public long number(String name, long least, long most) {
        String text = text(name);
        try {
            long value = Long.parseLong(text.replace("_", ""));
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException notANumber) {
            // The answer below says what was typed and what would be right; the parser's own adds nothing.
        }
        throw refused(name, "must be a whole number from " + least + " to " + most);
    }

    /**
     * A whole number that fits an int.
     *
     * @param name the option
     * @param least the least value allowed
     * @param most the greatest value allowed
     * @return the number
     */
    public int count(String name, int least, int most) {
        return (int) number(name, least, most);
    }

    /**
     * A share.
     *
     * @param name the option, in percent
     * @return the share, from 0 to 1
     */
    public double percent(String name) {
        try {
            double value = Double.parseDouble(text(name));
            if (value >= 0 && value <= 100) {
                return value / 100;
            }
        } catch (NumberFormatException notANumber) {
            // As above.
        }
        throw refused(name, "must be a percentage from 0 to 100");
    }

    /**
     * A length of time.
     *
     * @param name the option, such as {@code 250ms}, {@code 30s} or {@code 2m}
     * @return the time
     */
    public Duration duration(String name) {
        return parse(name, text(name));
    }

    /**
     * A range of time.
     *
     * @param name the option, such as {@code 60ms-200ms}; a single time is a range of one
     * @return the least and the greatest
     */
    public List<Duration> durations(String name) {
        List<Duration> ends = Stream.of(text(name).split("-", 2))
                .map(part -> parse(name, part.strip()))
                .toList();
        if (ends.getFirst().compareTo(ends.getLast()) > 0) {
            throw refused(name, "must have its shorter time first");
        }
        return ends;
    }

    /**
     * One of a few words.
     *
     * @param name the option
     * @param words the enum whose constants are the words, in lower case
     * @param <E> the enum
     * @return the constant
     */
    public <E extends Enum<E>> E choice(String name, Class<E> words) {
        String text = text(name);
        for (E word : words.getEnumConstants()) {
            if (word(word).equals(text)) {
                return word;
            }
        }
        throw refused(
                name,
                "must be one of "
                        + Stream.of(words.getEnumConstants()).map(Options::word).collect(Collectors.joining(", ")));
    }

    /**
     * A file or a folder.
     *
     * @param name the option
     * @return the path; empty where none was given
     */
    public Optional<Path> path(String name) {
        String text = text(name);
        return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
    }

    /**
     * The refusal of a value.
     *
     * @param name the option
     * @param rule what would be right, as in "must be …"
     * @return the exception to throw
     */
    public BadOptionException refused(String name, String rule) {
        return new BadOptionException("option " + name + " " + rule + ", but is \"" + text(name) + "\"");
    }

    private Duration parse(String name, String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw refused(name, "must be a time such as 250ms, 30s or 2m");
        }
        long amount = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ns" -> Duration.ofNanos(amount);
            case "us" -> Duration.ofNanos(amount * 1_000);
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            default -> Duration.ofHours(amount);
        };
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

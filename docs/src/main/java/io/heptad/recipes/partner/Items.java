package io.heptad.recipes.partner;

import io.heptad.recipes.BadOptionException;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The items of a run, one at a time: numbered ones, or the first column of a file. It remembers those that were handed
 * out and are not settled, so that a run that is stopped can say what is left; there are at most as many as the pool
 * holds.
 */
final class Items implements Iterator<String>, Closeable {
    private final Iterator<String> source;
    private final Closeable under;
    private final long total;
    private final BooleanSupplier over;
    private final Map<String, Integer> open = new ConcurrentHashMap<>();

    private Items(Iterator<String> source, Closeable under, long total, BooleanSupplier over) {
        this.source = source;
        this.under = under;
        this.total = total;
        this.over = over;
    }

    /** Numbered items. After {@code over} turns true, no more are handed out. */
    static Items numbered(long count, BooleanSupplier over) {
        Iterator<String> numbers = new Iterator<>() {
            private long next = 1;

            @Override
            public boolean hasNext() {
                return next <= count;
            }

            @Override
            public String next() {
                return "item-" + next++;
            }
        };
        return new Items(numbers, () -> {}, count, over);
    }

    /** The first column of each row of a file, after its header. */
    static Items of(Path file, BooleanSupplier over) throws IOException {
        long rows = 0;
        try (BufferedReader lines = open(file)) {
            for (Rows all = new Rows(file, lines); all.hasNext(); all.next()) {
                rows++;
            }
        }
        BufferedReader lines = open(file);
        return new Items(new Rows(file, lines), lines, rows, over);
    }

    private static BufferedReader open(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new BadOptionException("option input must be a file of items, but is \"" + file + "\"");
        }
        return Files.newBufferedReader(file);
    }

    long total() {
        return total;
    }

    @Override
    public boolean hasNext() {
        return !over.getAsBoolean() && source.hasNext();
    }

    @Override
    public String next() {
        String item = source.next();
        open.merge(item, 1, Integer::sum);
        return item;
    }

    void settled(String item) {
        open.computeIfPresent(item, (same, count) -> count == 1 ? null : count - 1);
    }

    /** What was handed out and not settled, then at most so many of those not handed out; answers whether that was all. */
    boolean left(long most, Consumer<String> each) {
        open.forEach((item, count) -> {
            for (int i = 0; i < count; i++) {
                each.accept(item);
            }
        });
        for (long i = 0; i < most && source.hasNext(); i++) {
            each.accept(source.next());
        }
        return !source.hasNext();
    }

    @Override
    public void close() throws IOException {
        under.close();
    }

    /** The rows of a file. The items become parts of a URL, so a row that could not be one is refused here. */
    private static final class Rows implements Iterator<String> {
        private final Path file;
        private final BufferedReader lines;
        private long number;
        private @Nullable String next;

        Rows(Path file, BufferedReader lines) {
            this.file = file;
            this.lines = lines;
            advance();
        }

        private void advance() {
            try {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    number++;
                    String item = line.split(",", 2)[0].strip();
                    if (item.isEmpty() || (number == 1 && item.equals(RetryFile.ITEM))) {
                        continue;
                    }
                    if (!item.matches("[A-Za-z0-9._-]{1,200}")) {
                        throw new BadOptionException("option input: line " + number + " of " + file
                                + " must start with an item of letters, digits, '.', '_' and '-', but is \"" + line
                                + "\"");
                    }
                    next = item;
                    return;
                }
                next = null;
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public String next() {
            String item = next;
            if (item == null) {
                throw new NoSuchElementException();
            }
            advance();
            return item;
        }
    }
}

package io.heptad.recipes.orders;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The books of the other side: a file to which lines are added and never changed. What it has done, and what it has declined,
 * is on the disk before anybody hears of it, so a key that has been seen is known also after a restart.
 */
final class Ledger implements AutoCloseable {
    /** What a line says. */
    enum Entry {
        /** It was done: this is where money moves. */
        BOOKED,
        /** It was not done, and never will be under this key. */
        DECLINED,
        /** The key had been seen: nothing was done, and the first answer given again. */
        REPEATED,
        /** The answer did not get through. */
        LOST
    }

    /**
     * One line.
     *
     * @param at when
     * @param caller who asked
     * @param kind for what: charge, pack, refund
     * @param key under which key
     * @param order for which order
     * @param cents how much
     * @param entry what was done
     * @param reply what was answered
     */
    record Line(
            Instant at, String caller, String kind, String key, String order, long cents, Entry entry, String reply) {

        private static Line parse(String text) {
            String[] part = text.split("\t", -1);
            return new Line(
                    Instant.parse(part[0]),
                    part[1],
                    part[2],
                    part[3],
                    part[4],
                    Long.parseLong(part[5]),
                    Entry.valueOf(part[6]),
                    part[7]);
        }

        private String text() {
            return String.join(
                    "\t", at.toString(), caller, kind, key, order, Long.toString(cents), entry.name(), reply);
        }
    }

    /** What to say to a caller. */
    record Answer(Line line, boolean yes) {}

    private final FileChannel file;
    private final ReentrantLock lock = new ReentrantLock(); // the file and the two below
    private final Map<String, Line> seen = new HashMap<>();
    private final Map<String, Integer> booked = new HashMap<>();

    private Ledger(FileChannel file) {
        this.file = file;
    }

    static Ledger open(Path path) throws IOException {
        List<Line> lines = Files.exists(path) ? read(path) : List.of();
        Ledger ledger = new Ledger(FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
        lines.forEach(ledger::learn);
        return ledger;
    }

    static List<Line> read(Path path) throws IOException {
        return Files.readAllLines(path).stream().map(Line::parse).toList();
    }

    private void learn(Line line) {
        if (line.entry == Entry.BOOKED || line.entry == Entry.DECLINED) {
            seen.put(line.kind + " " + line.key, line);
        }
        if (line.entry == Entry.BOOKED) {
            booked.merge(line.kind, 1, Integer::sum);
        }
    }

    /** Books or declines what is asked for the first time; says again what was said of a key that has been seen. */
    Answer enter(String caller, String kind, String key, String order, long cents, Optional<String> refusal)
            throws IOException {
        lock.lock();
        try {
            Line first = seen.get(kind + " " + key);
            Line line;
            if (first != null) {
                line = new Line(Instant.now(), caller, kind, key, order, cents, Entry.REPEATED, first.reply);
            } else {
                line = new Line(
                        Instant.now(),
                        caller,
                        kind,
                        key,
                        order,
                        cents,
                        refusal.isPresent() ? Entry.DECLINED : Entry.BOOKED,
                        refusal.orElseGet(() -> kind + "-" + (booked.getOrDefault(kind, 0) + 1)));
            }
            write(line, first == null);
            learn(line);
            return new Answer(line, (first == null ? line : first).entry == Entry.BOOKED);
        } finally {
            lock.unlock();
        }
    }

    /** Notes that an answer did not get through. */
    void lost(Line line, String why) throws IOException {
        lock.lock();
        try {
            write(
                    new Line(Instant.now(), line.caller, line.kind, line.key, line.order, line.cents, Entry.LOST, why),
                    false);
        } finally {
            lock.unlock();
        }
    }

    /** How often a kind was booked. */
    int booked(String kind) {
        lock.lock();
        try {
            return booked.getOrDefault(kind, 0);
        } finally {
            lock.unlock();
        }
    }

    private void write(Line line, boolean mustLast) throws IOException {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(line.text() + "\n");
        while (bytes.hasRemaining()) {
            int ignored = file.write(bytes);
        }
        if (mustLast) {
            file.force(false);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}

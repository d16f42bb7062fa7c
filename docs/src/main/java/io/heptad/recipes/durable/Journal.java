package io.heptad.recipes.durable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A file to which lines are added and never changed: {@code +NUMBER ITEM} when an item is accepted, {@code -NUMBER} when
 * it is done. A line counts once it is whole; each is on the disk before the method returns. Not thread-safe: its queue
 * serialises.
 */
final class Journal implements AutoCloseable {
    private final FileChannel file;

    private Journal(FileChannel file) {
        this.file = file;
    }

    /** Opens the file and hands over what it says is accepted and not done, in order. */
    static Journal open(Path path, Map<Long, String> undone) throws IOException {
        long whole = 0;
        if (Files.exists(path)) {
            String text = Files.readString(path);
            int end = text.lastIndexOf('\n') + 1; // what follows was cut off by the crash, and was never acknowledged
            whole = text.substring(0, end).getBytes(StandardCharsets.UTF_8).length;
            text.substring(0, end).lines().forEach(line -> read(line, undone));
        }
        FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        file.truncate(whole);
        file.position(whole);
        return new Journal(file);
    }

    private static void read(String line, Map<Long, String> undone) {
        if (line.charAt(0) == '-') {
            undone.remove(Long.parseLong(line.substring(1)));
        } else {
            int space = line.indexOf(' ');
            undone.put(Long.parseLong(line.substring(1, space)), line.substring(space + 1));
        }
    }

    /** The map to hand to {@link #open}. */
    static Map<Long, String> nothing() {
        return new LinkedHashMap<>();
    }

    void accepted(long number, String item) throws IOException {
        write("+" + number + " " + item + "\n");
    }

    void done(long number) throws IOException {
        write("-" + number + "\n");
    }

    private void write(String line) throws IOException {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(line);
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
        file.force(false);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}

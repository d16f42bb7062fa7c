package io.heptad.recipes.partner;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * What has to be tried again, one row an item, with the reason: the input of the next pass. Rows are written as items
 * fail, so any number of them takes no memory. The file appears whole, when it is published; until then, and if the run
 * breaks, the one before it stays: it may be the input of this very run.
 */
final class RetryFile implements AutoCloseable {
    /** The head of the first column. */
    static final String ITEM = "item";

    private final Path file;
    private final Path part;
    private final BufferedWriter rows;
    private long count;

    RetryFile(Path file) throws IOException {
        this.file = file;
        this.part = file.resolveSibling(file.getFileName() + ".part");
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        this.rows = Files.newBufferedWriter(part);
        rows.write(ITEM + ",reason\n");
    }

    void add(String item, String reason) {
        try {
            rows.write(item);
            rows.write(",\"");
            rows.write(reason.replace("\"", "\"\"").replace('\n', ' '));
            rows.write("\"\n");
            count++;
        } catch (IOException full) {
            throw new UncheckedIOException(full);
        }
    }

    long count() {
        return count;
    }

    Path file() {
        return file;
    }

    void publish() throws IOException {
        rows.close();
        Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void close() throws IOException {
        rows.close();
        Files.deleteIfExists(part);
    }
}

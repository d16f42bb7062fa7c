package io.heptad.recipes.uploads;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.commons.csv.CSVException;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVRecord;

/**
 * An uploaded order file.
 *
 * @param name the name of the file
 * @param customer who sent it
 * @param lines what is ordered
 * @param digest the SHA-256 of the file
 */
record Upload(String name, String customer, List<Line> lines, String digest) {
    /** What the first row of a file says. */
    static final List<String> HEADER = List.of("customer", "product", "quantity");

    private static final CSVFormat FORMAT =
            CSVFormat.RFC4180.builder().setHeader().setSkipHeaderRecord(true).get();

    /** One row. */
    record Line(String product, int quantity) {}

    /** The first stage: reads a file. Work for a processor. */
    static Upload parse(Path file) throws IOException, RefusedUploadException {
        String name = String.valueOf(file.getFileName());
        byte[] bytes = Files.readAllBytes(file);
        List<Line> lines = new ArrayList<>();
        String customer = "";
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8);
                var rows = FORMAT.parse(reader)) {
            if (!rows.getHeaderNames().equals(HEADER)) {
                throw new RefusedUploadException("header");
            }
            for (CSVRecord row : rows) {
                if (row.size() != HEADER.size()) {
                    throw new RefusedUploadException("columns");
                }
                if (!customer.isEmpty() && !customer.equals(row.get(0))) {
                    throw new RefusedUploadException("two customers");
                }
                customer = row.get(0);
                lines.add(new Line(row.get(1), quantity(row.get(2))));
            }
        } catch (CSVException | MalformedInputException | UncheckedIOException broken) {
            throw new RefusedUploadException("not CSV");
        } catch (IllegalArgumentException twice) { // a column of the header
            throw new RefusedUploadException("header");
        }
        if (lines.isEmpty()) {
            throw new RefusedUploadException("empty");
        }
        return new Upload(name, customer, List.copyOf(lines), digest(bytes));
    }

    private static int quantity(String text) throws RefusedUploadException {
        try {
            int quantity = Integer.parseInt(text);
            if (quantity > 0) {
                return quantity;
            }
        } catch (NumberFormatException notANumber) {
            // Refused below, as a number that cannot be is.
        }
        throw new RefusedUploadException("quantity");
    }

    private static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }
}

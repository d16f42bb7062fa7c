package io.heptad.recipes.uploads;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** The uploads of a run: those of a folder, or some that are made. */
final class UploadFolder {
    private UploadFolder() {}

    /** The CSV files of a folder, by name. */
    static List<Path> of(Path folder) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "*.{csv,CSV}")) {
            found.forEach(files::add);
        }
        Collections.sort(files);
        return files;
    }

    /** Makes a folder of uploads, some of them broken, each in its way. */
    static List<Path> make(Path folder, int uploads, int rows, double broken, long seed) throws IOException {
        Files.createDirectories(folder);
        for (Path old : of(folder)) {
            Files.delete(old);
        }
        SplittableRandom random = new SplittableRandom(seed);
        List<Path> files = new ArrayList<>();
        for (int i = 1; i <= uploads; i++) {
            Path file = folder.resolve(String.format(Locale.ROOT, "upload-%06d.csv", i));
            Files.write(file, text(random.split(), rows, broken).getBytes(StandardCharsets.UTF_8));
            files.add(file);
        }
        return files;
    }

    private static String text(SplittableRandom random, int rows, double broken) {
        int fault = random.nextDouble() < broken ? random.nextInt(6) : -1;
        int customer;
        do {
            customer = random.nextInt(1, Catalogue.CUSTOMERS + 1);
        } while (customer % 100 == 0); // blocked
        String sender = fault == 0 ? "c" + (Catalogue.CUSTOMERS + customer) : fault == 1 ? "c100" : "c" + customer;
        StringBuilder text = new StringBuilder(String.join(",", Upload.HEADER)).append("\r\n");
        if (fault == 2) {
            return text.toString();
        }
        int bad = random.nextInt(rows);
        for (int row = 0; row < rows; row++) {
            String product = "p" + random.nextInt(1, Catalogue.PRODUCTS + 1);
            String quantity = Integer.toString(random.nextInt(1, 100));
            if (row == bad && fault >= 3) {
                switch (fault) {
                    case 3 -> product = "p0";
                    case 4 -> quantity = "many";
                    default -> quantity += ",too much";
                }
            }
            text.append(sender)
                    .append(',')
                    .append(product)
                    .append(',')
                    .append(quantity)
                    .append("\r\n");
        }
        return text.toString();
    }
}

package io.heptad.recipes.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.heptad.recipes.BadOptionException;
import io.heptad.recipes.BrokenRunException;
import io.heptad.recipes.Options;
import io.heptad.recipes.Recipes;
import io.heptad.recipes.orders.Ledger.Entry;
import io.heptad.recipes.orders.Ledger.Line;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The whole recipe, small: real processes, real databases, real sockets, a real kill. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OrdersTest {
    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private String run(String... options) throws Exception {
        List<String> all =
                new ArrayList<>(List.of("latency=1ms-10ms", "lease=1s", "output=" + folder, "progress=none"));
        all.addAll(List.of(options));
        try {
            Orders.run(Options.of(Orders.OPTIONS, all), new PrintStream(out, true, StandardCharsets.UTF_8));
        } catch (BrokenRunException broken) {
            throw new AssertionError(out.toString(StandardCharsets.UTF_8), broken);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private static long number(String said, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(said);
        assertThat(matcher.find()).as("%s in %s", pattern, said).isTrue();
        return Long.parseLong(matcher.group(1).replace(",", ""));
    }

    @ParameterizedTest
    @CsvSource({"h2, charge", "h2, refund", "postgres, charge"})
    void whatAKilledProcessWasAtIsFinishedByTheNextAndTheBooksAgree(String store, String crash) throws Exception {
        String said = run("items=40", "clients=8", "unpackable=30", "store=" + store, "crash=" + crash);

        assertThat(said)
                .contains("Done: 40 of 40 orders")
                .containsPattern("shop-1 \\(process \\d+\\) was killed: [1-9]\\d* orders had an action under way");
        assertThat(number(said, "doubles +(\\d+)")).isZero();
        assertThat(number(said, "lost +(\\d+)\\R")).isZero();
        assertThat(number(said, "stuck +(\\d+)")).isZero();
        assertThat(number(said, "(\\d+) of them were taken over and settled"))
                .as("a server may still carry out the last commit of a dead client, so not always all of them")
                .isBetween(1L, number(said, "(\\d+) orders had an action under way"));

        // The money, counted here from the other side's own books, as far as one can without the audit.
        List<Line> ledger = Ledger.read(folder.resolve("ledger.tsv"));
        Line killed = ledger.stream()
                .filter(line -> line.entry() == Entry.LOST && line.reply().endsWith("was killed"))
                .findFirst()
                .orElseThrow();
        assertThat(killed.kind()).isEqualTo(crash);
        List<Line> ofIt = ledger.stream()
                .filter(line -> line.key().equals(killed.key()) && line.kind().equals(crash))
                .toList();
        assertThat(ofIt).extracting(Line::entry).startsWith(Entry.BOOKED, Entry.LOST, Entry.REPEATED);
        assertThat(ofIt.getLast().caller()).isEqualTo("shop-2");
        assertThat(ledger.stream().filter(line -> line.entry() == Entry.BOOKED).map(line -> line.kind() + line.order()))
                .doesNotHaveDuplicates();

        String timeline = said.substring(said.indexOf(killed.order() + ", step by step"));
        assertThat(timeline.lines().map(line -> line.replaceFirst("^ +[\\d:.]+ +", "")))
                .filteredOn(line -> line.contains("intent") || line.contains("fence") || line.contains(killed.key()))
                .anySatisfy(line -> assertThat(line).startsWith("shop-1").contains("intent", killed.key(), "fence 1"))
                .anySatisfy(line -> assertThat(line).startsWith("shop-2").contains("takes over", "fence "))
                // under fence 2, or a later one: on a slow machine the second process may overstay its lease too
                .anySatisfy(line -> assertThat(line)
                        .startsWith("shop-2")
                        .contains("outcome", "is done")
                        .doesNotContain("fence 1;"));
        assertThat(timeline)
                .containsSubsequence(
                        "shop-1    Placed",
                        "intent: ",
                        "shop-1 asks, and it is done",
                        "the answer to shop-1 is lost: shop-1 (process ",
                        "takes over",
                        "shop-2 asks with the same key: ",
                        "outcome: ")
                .contains("shop-2    starts: shop-2 (process ", "the lease of the dead ends");
    }

    @Test
    void withoutACrashOneProcessDoesItAll() throws Exception {
        String said = run("items=20", "crash=none", "lost=30");

        assertThat(said).contains("Done: 20 of 20 orders", "step by step").doesNotContain("killed", "shop-2");
        assertThat(number(said, "doubles +(\\d+)")).isZero();
        assertThat(number(said, "([\\d,]+) answers were lost")).isPositive();
    }

    @Test
    void aCrashThatFoundNoCallIsNoCrashAndTheRunSaysSo() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> run("items=4", "crash=refund", "unpackable=0"))
                .havingCause()
                .withMessageContaining("there was no refund");
    }

    @Test
    void refusesWhatCannotBeAndSaysWhichOptionAndWhichValue() {
        assertThat(Stream.of("items=0", "store=oracle", "clients=0", "crash=mail", "lease=0s", "refused=101", "lost=x"))
                .allSatisfy(option -> {
                    String[] pair = option.split("=", 2);
                    assertThatExceptionOfType(BadOptionException.class)
                            .isThrownBy(() -> run(option))
                            .withMessageContaining("option " + pair[0] + " ")
                            .withMessageContaining("\"" + pair[1] + "\"");
                });
    }

    // ---- what is left behind

    private Process start(String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                Recipes.class.getName(),
                "orders",
                "items=4000",
                "crash=none",
                "progress=lines",
                "output=" + folder));
        command.addAll(List.of(options));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    @ParameterizedTest
    @EnumSource(Settings.Kind.class)
    void aSignalEndsItWithinASecondAndLeavesNoProcessAndNoServerBehind(Settings.Kind store) throws Exception {
        Process process = start("store=" + store.name().toLowerCase(Locale.ROOT));
        StringBuilder said = new StringBuilder();
        List<ProcessHandle> children = List.of();
        long signalled = 0;
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                said.append(line).append('\n');
                if (signalled == 0 && line.contains(" of 4,000 ")) {
                    children = process.descendants().toList();
                    signalled = System.nanoTime();
                    process.toHandle().destroy(); // as kill does: the process alone, whose children hear nothing
                }
            }
        }
        int code = process.waitFor();
        Duration took = Duration.ofNanos(System.nanoTime() - signalled);

        assertThat(code).as(said::toString).isEqualTo(128 + 15);
        assertThat(said.toString())
                .contains("Stopped after ", "orders: stopped")
                .doesNotContain("without a report", "broken", "Exception");
        assertThat(took).isLessThan(Duration.ofMillis(1_500)); // a second, and the end of the process itself
        assertThat(children).isNotEmpty();
        for (ProcessHandle child : children) {
            Object ignored = child.onExit().get(10, TimeUnit.SECONDS);
        }
        assertThat(folder.resolve("flight")).doesNotExist();
        if (store == Settings.Kind.POSTGRES) {
            int port = (int) number(said.toString(), "on port (\\d+) ");
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close());
        }
    }

    @Test
    void aShopEndsWithWhoeverHasStartedItHoweverThatEnded() throws Exception {
        Process process = start();
        List<ProcessHandle> children = List.of();
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (children.isEmpty() && line.contains(" of 4,000 ")) {
                    children = process.descendants().toList();
                    process.toHandle().destroyForcibly();
                }
            }
        }
        assertThat(process.waitFor()).isEqualTo(128 + 9);
        assertThat(children).isNotEmpty();
        for (ProcessHandle child : children) {
            Object ignored = child.onExit().get(10, TimeUnit.SECONDS);
        }
    }

    // ---- the other side

    @Test
    void aKeyThatWasSeenIsAnsweredAsBeforeAlsoAfterARestart() throws Exception {
        Path books = folder.resolve("books.tsv");
        try (Ledger ledger = Ledger.open(books)) {
            assertThat(ledger.enter("one", "charge", "k1", "A", 500, Optional.empty())
                            .line()
                            .reply())
                    .isEqualTo("charge-1");
            assertThat(ledger.enter("one", "charge", "k2", "B", 500, Optional.of("no"))
                            .yes())
                    .isFalse();
        }
        try (Ledger ledger = Ledger.open(books)) {
            Ledger.Answer again = ledger.enter("two", "charge", "k1", "A", 500, Optional.empty());
            assertThat(again.yes()).isTrue();
            assertThat(again.line().entry()).isEqualTo(Entry.REPEATED);
            assertThat(again.line().reply()).isEqualTo("charge-1");
            assertThat(ledger.enter("two", "charge", "k2", "B", 500, Optional.empty())
                            .yes())
                    .as("a no is a no, also if it would be a yes today")
                    .isFalse();
            assertThat(ledger.booked("charge")).isEqualTo(1);
        }
        assertThat(Files.readAllLines(books)).hasSize(4);
    }
}

package io.heptad.recipes.orders;

import com.zaxxer.hikari.HikariDataSource;
import io.heptad.gate.PhaseStore;
import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.recipes.BrokenRunException;
import io.heptad.recipes.Option;
import io.heptad.recipes.Options;
import io.heptad.recipes.Progress;
import io.heptad.recipes.orders.Ledger.Line;
import io.heptad.recipes.orders.Order.Event;
import io.heptad.recipes.orders.Settings.Crash;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A thousand orders go from placed to delivered in a process that is killed in the middle, with money taken that it had not heard
 * of. A second process finds what was left, finishes, and the store and the provider's ledger are compared.
 */
public final class Orders {
    /** What can be set. */
    public static final List<Option> OPTIONS = Settings.OPTIONS;

    private final Settings settings;
    private final PrintStream out;
    private final Path books;
    private final Set<Integer> finished = ConcurrentHashMap.newKeySet();
    private final List<ShopProcess> processes = new ArrayList<>();
    private final Map<String, ActionRow<Event>> left = new HashMap<>();
    private final AtomicReference<@Nullable Line> fatal = new AtomicReference<>();

    private Orders(Settings settings, PrintStream out) {
        this.settings = settings;
        this.out = out;
        this.books = settings.output().resolve("ledger.tsv");
    }

    /**
     * Runs the orders, kills, restarts and compares.
     *
     * @param options what was set
     * @param out where to say what happens
     * @throws Exception if a process or the database could not be started, or the books do not agree
     */
    public static void run(Options options, PrintStream out) throws Exception {
        new Orders(Settings.from(options), out).run();
    }

    private void run() throws Exception {
        long start = System.nanoTime();
        Files.createDirectories(settings.output());
        Files.deleteIfExists(books);
        out.printf(
                Locale.ROOT,
                "orders: %,d orders, %d at a time%s%n",
                settings.items(),
                settings.clients(),
                settings.crash() == Crash.NONE
                        ? ""
                        : "; in the middle of a " + word(settings.crash()) + " the process is killed");
        try (Home home = Home.of(settings.store(), settings.output());
                Provider provider = Provider.open(settings.traits(), books)) {
            say("kept in %s; the ledger is %s", home, books);
            try {
                run(home, provider);
            } catch (InterruptedException ctrlC) {
                say(
                        "Stopped after %,d of %,d orders; what was under way is open in the store, and the next process would"
                                + " go on with it",
                        finished.size(), settings.items());
                throw ctrlC;
            } finally {
                processes.forEach(ShopProcess::close);
                deleteAll(settings.output().resolve("flight"));
            }
            say(
                    "Done: %,d of %,d orders in %.1f s",
                    finished.size(), settings.items(), (System.nanoTime() - start) / 1e9);
            compare(home, provider);
        }
    }

    private void run(Home home, Provider provider) throws Exception {
        ShopProcess first = start(home, provider, "shop-1");
        if (first.killed() != null) {
            lookAtWhatIsLeft(home, first);
            ShopProcess ignored = start(home, provider, "shop-2");
        } else if (settings.crash() != Crash.NONE) {
            throw new BrokenRunException("option crash must find its call, but there was no " + word(settings.crash())
                    + " in the second half of " + settings.items() + " orders: nothing was killed");
        }
    }

    /** Runs a process of the shop until it has ended, or is killed. */
    private ShopProcess start(Home home, Provider provider, String name) throws Exception {
        boolean again = !processes.isEmpty();
        int done = finished.size();
        Shop.Task task = new Shop.Task(
                name, home.url(), provider.uri(), settings.items(), settings.clients(), settings.lease(), again);
        try (Progress progress =
                Progress.of(settings.progress(), name, Math.max(1, settings.items() - done), out, () -> "")) {
            ShopProcess process = ShopProcess.start(task, settings.output(), number -> {
                if (finished.add(number)) {
                    progress.done(finished.size() - done);
                }
            });
            processes.add(process);
            if (!again && settings.crash() != Crash.NONE) {
                provider.setTrap(word(settings.crash()), (settings.items() + 1) / 2, line -> {
                    fatal.set(line);
                    Object ignored = process.kill();
                    return process + " was killed";
                });
            }
            try {
                process.await();
            } catch (InterruptedException ctrlC) {
                process.close(); // before the progress is
                throw ctrlC;
            }
            return process;
        }
    }

    private void lookAtWhatIsLeft(Home home, ShopProcess dead) {
        try (HikariDataSource connections = home.open()) {
            PhaseStore<Order, Event> store = Shop.store(connections);
            for (int number = 1; number <= settings.items(); number++) {
                store.actions(Order.id(number)).stream()
                        .filter(ActionRow::isUnfinished)
                        .forEach(row -> left.put(row.id(), row));
            }
        }
        say(
                "%s was killed: %,d orders had an action under way, and nobody knows what became of it. Another one starts",
                dead, left.size());
    }

    private void compare(Home home, Provider provider) throws IOException {
        List<Line> ledger = Ledger.read(books);
        try (HikariDataSource connections = home.open()) {
            PhaseStore<Order, Event> store = Shop.store(connections);
            Audit audit = Audit.of(store, settings.items(), ledger);
            audit.print(out);
            List<String> wrong = new ArrayList<>(audit.wrong());
            wrong.addAll(mails(store, provider.mails()));
            settled(store);
            subject(ledger)
                    .ifPresent(id -> Timeline.of(id, store, Optional.ofNullable(left.get(id)), ledger, processes)
                            .print(out));
            out.flush();
            if (!wrong.isEmpty()) {
                throw new BrokenRunException("store and ledger must agree, but: " + String.join("; ", wrong));
            }
        }
    }

    /** Mails may be lost. None may speak of a payment that is not in the store. */
    private List<String> mails(PhaseStore<Order, Event> store, Map<String, Integer> mails) {
        long paid = 0;
        for (int number = 1; number <= settings.items(); number++) {
            paid += store.history(Order.id(number)).stream().anyMatch(commit -> commit.phase() instanceof Order.Paid)
                    ? 1
                    : 0;
        }
        say("  mails               %,10d of %,d receipts; a mail may be lost with its process", mails.size(), paid);
        return mails.keySet().stream()
                .filter(id -> store.history(id).stream().noneMatch(commit -> commit.phase() instanceof Order.Paid))
                .map(id -> id + " had a receipt by mail, but was never paid")
                .toList();
    }

    private void settled(PhaseStore<Order, Event> store) {
        if (left.isEmpty()) {
            return;
        }
        long done = left.values().stream()
                .flatMap(row ->
                        store.actions(row.id()).stream().filter(now -> now.key().equals(row.key())))
                .filter(now -> !now.isUnfinished() && now.fence() > 1)
                .count();
        say("  left by the dead    %,10d actions; %,d of them were taken over and settled", left.size(), done);
    }

    /** The order that the crash hit; without one, an order whose answer was lost. */
    private Optional<String> subject(List<Line> ledger) {
        Line hit = fatal.get();
        return hit != null
                ? Optional.of(hit.order())
                : ledger.stream()
                        .filter(line -> line.entry() == Ledger.Entry.LOST)
                        .map(Line::order)
                        .findFirst();
    }

    private void say(String format, Object... values) {
        out.printf(Locale.ROOT, "  " + format + "%n", values);
        out.flush();
    }

    private static String word(Crash crash) {
        return crash.name().toLowerCase(Locale.ROOT);
    }

    private static void deleteAll(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(path);
                }
            }
        }
    }
}

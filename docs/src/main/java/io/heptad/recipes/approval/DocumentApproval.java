package io.heptad.recipes.approval;

import io.heptad.gate.Committed;
import io.heptad.gate.IllegalTransitionException;
import io.heptad.gate.OutboxMessage;
import io.heptad.gate.PhaseStore;
import io.heptad.recipes.BrokenRunException;
import io.heptad.recipes.Option;
import io.heptad.recipes.Options;
import io.heptad.recipes.approval.Document.Approve;
import io.heptad.recipes.approval.Document.Event;
import io.heptad.recipes.approval.Document.Expired;
import io.heptad.recipes.approval.Document.InReview;
import io.heptad.recipes.approval.Document.Publish;
import io.heptad.recipes.approval.Document.Published;
import io.heptad.recipes.approval.Document.Reject;
import io.heptad.recipes.approval.Document.Revise;
import io.heptad.recipes.approval.Document.Submit;
import io.heptad.recipes.approval.Document.Withdraw;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Documents go through review: two have to approve, within a time; what is published is announced, and the announcement must
 * come. In the middle everything is closed, with reviews that nobody has answered and announcements that have not left.
 */
public final class DocumentApproval {
    /** What can be set. */
    public static final List<Option> OPTIONS = List.of(
            new Option("items", "100", "how many documents"),
            new Option("reviewers", "2", "how many have to approve"),
            new Option("within", "2s", "how long they have, from the last approval on"),
            new Option("output", "docs/target/document-approval", "the folder of the database file"));

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneOffset.UTC);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final int items;
    private final Document.Rules rules;
    private final Path file;
    private final PrintStream out;
    private final Site site = new Site();
    private final Subscriber subscriber = new Subscriber();
    private int refused;
    private int late;

    private DocumentApproval(int items, Document.Rules rules, Path file, PrintStream out) {
        this.items = items;
        this.rules = rules;
        this.file = file;
        this.out = out;
    }

    /**
     * Takes the documents through.
     *
     * @param options what was set
     * @param out where to say what happens
     * @throws Exception if the database could not be opened, or something was lost
     */
    public static void run(Options options, PrintStream out) throws Exception {
        Path folder = options.path("output").orElseThrow();
        Files.createDirectories(folder);
        Files.deleteIfExists(folder.resolve("documents.mv.db"));
        new DocumentApproval(
                        options.count("items", 1, 100_000),
                        new Document.Rules(options.count("reviewers", 1, 100), options.duration("within")),
                        folder.resolve("documents"),
                        out)
                .run();
    }

    private void run() throws Exception {
        say(
                "document-approval: %,d documents, each to be approved by %d within %,d ms",
                items, rules.reviewers(), rules.within().toMillis());
        try (Office office = Office.open(file, rules, site)) {
            for (int number = 1; number <= items; number++) {
                work(office, id(number), number);
            }
            say("  refused: %,d that would have published what is still in review", refused);
            say("  closed: %s", phases(office.store()));
            say("  nobody has carried a message yet: they wait in the store");
        }
        try (Office office = Office.open(file, rules, site)) {
            int left = 0;
            say("  opened again by another gate");
            Duration patience = PATIENCE.plus(rules.within());
            long deadline = System.nanoTime() + patience.toNanos();
            while (isWaiting(office.store()) || !office.store().outbox(1).isEmpty()) {
                left += office.send(subscriber);
                if (System.nanoTime() - deadline > 0) {
                    throw new BrokenRunException("after " + patience + " reviews or messages still wait: "
                            + phases(office.store()) + ", " + office.store().outbox(1));
                }
                TimeUnit.MILLISECONDS.sleep(5); // the timers are the gate's
            }
            compare(office.store(), left);
        }
    }

    /** What becomes of a document follows from its number: of ten two are forgotten, one is rejected, one withdrawn. */
    private void work(Office office, String id, int number) throws InterruptedException {
        office.draft(id, "Document " + number);
        try {
            Document ignored = office.tell(id, new Submit());
            switch (number % 10) {
                case 0 -> {} // forgotten by all
                case 1 -> approve(office, id, rules.reviewers() - 1); // by the last of them
                case 2 -> {
                    ignored = office.tell(id, new Reject("reviewer-1", "no sources"));
                    ignored = office.tell(id, new Revise());
                    ignored = office.tell(id, new Submit());
                    publish(office, id);
                }
                case 3 -> {
                    publish(office, id);
                    ignored = office.tell(id, new Withdraw());
                }
                case 4 -> {
                    publishTooEarly(office, id);
                    publish(office, id);
                }
                default -> publish(office, id);
            }
        } catch (IllegalTransitionException tooLate) {
            if (!(office.store().current(id).orElseThrow().phase() instanceof Expired)) {
                throw tooLate;
            }
            late++; // this machine was slower than the reviewers may be: it has expired, as it must
        }
    }

    private void publish(Office office, String id) throws InterruptedException {
        approve(office, id, rules.reviewers());
        Document ignored = office.tell(id, new Publish());
    }

    private void publishTooEarly(Office office, String id) throws InterruptedException {
        try {
            throw new BrokenRunException(id + " was published without a review: " + office.tell(id, new Publish()));
        } catch (IllegalTransitionException asItMust) {
            refused++;
        }
    }

    private static void approve(Office office, String id, int reviewers) throws InterruptedException {
        for (int reviewer = 1; reviewer <= reviewers; reviewer++) {
            Document ignored = office.tell(id, new Approve("reviewer-" + reviewer));
        }
    }

    private boolean isWaiting(PhaseStore<Document, Event> store) {
        return ids().stream().anyMatch(id -> store.current(id).orElseThrow().phase() instanceof InReview);
    }

    private void compare(PhaseStore<Document, Event> store, int left) {
        Set<String> owed = new HashSet<>();
        int published = 0;
        List<String> wrong = new ArrayList<>();
        for (String id : ids()) {
            List<Committed<Document, Event>> history = store.history(id);
            history.stream()
                    .filter(commit -> commit.phase() instanceof Published || commit.phase() instanceof Expired)
                    .forEach(commit -> owed.add(id + "/" + commit.version()));
            boolean isPublished = history.getLast().phase() instanceof Published;
            published += isPublished ? 1 : 0;
            if (isPublished != site.pages().containsKey(id)) {
                wrong.add(id + " is " + history.getLast().phase() + ", and the site has "
                        + site.pages().get(id));
            }
        }
        List<String> told = subscriber.told().stream().map(OutboxMessage::id).toList();
        Set<String> lost = new HashSet<>(owed);
        told.forEach(lost::remove);
        say("  reviews that ran out of time expired by themselves: %s", phases(store));
        say(
                "  messages: %,d owed, %,d came, %,d of them twice and left out by their id; doubles %,d, lost %,d",
                owed.size(), told.size(), subscriber.repeats(), told.size() - new HashSet<>(told).size(), lost.size());
        say(
                "  pages on the site: %,d, published in the store: %,d",
                site.pages().size(), published);
        if (late > 0) {
            say("  came too late to be reviewed: %,d", late);
        }
        timeline(store);
        if (!lost.isEmpty() || told.size() != owed.size() || left != owed.size()) {
            wrong.add("of " + owed.size() + " messages " + left + " have left and " + told.size() + " have come; lost "
                    + lost);
        }
        if (!wrong.isEmpty()) {
            throw new BrokenRunException("nothing must be lost, but: " + wrong);
        }
    }

    /** The document with the longest story. */
    private void timeline(PhaseStore<Document, Event> store) {
        ids().stream()
                .map(store::history)
                .reduce((one, other) -> other.size() > one.size() ? other : one)
                .ifPresent(history -> {
                    say("  %s, step by step (UTC)", history.getFirst().id());
                    history.forEach(commit -> say(
                            "    %s  %s%s",
                            TIME.format(commit.at()),
                            commit.phase(),
                            commit.event() == null ? "" : ", by " + commit.event()));
                });
    }

    private Map<String, Integer> phases(PhaseStore<Document, Event> store) {
        Map<String, Integer> phases = new TreeMap<>();
        ids().forEach(id ->
                phases.merge(store.current(id).orElseThrow().phase().getClass().getSimpleName(), 1, Integer::sum));
        return phases;
    }

    private List<String> ids() {
        return IntStream.rangeClosed(1, items).mapToObj(DocumentApproval::id).toList();
    }

    private static String id(int number) {
        return "document-" + number;
    }

    private void say(String format, Object... values) {
        out.printf(Locale.ROOT, format + "%n", values);
        out.flush();
    }
}

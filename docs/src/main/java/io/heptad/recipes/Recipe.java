package io.heptad.recipes;

import io.heptad.recipes.approval.DocumentApproval;
import io.heptad.recipes.boundary.TrustBoundary;
import io.heptad.recipes.durable.KillAndRebuild;
import io.heptad.recipes.growth.SilentGrowth;
import io.heptad.recipes.launch.LaunchFirst;
import io.heptad.recipes.orders.Orders;
import io.heptad.recipes.partner.PartnerBatch;
import io.heptad.recipes.readiness.Readiness;
import io.heptad.recipes.rooms.Rooms;
import io.heptad.recipes.uploads.Uploads;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The recipes that there are. */
@SuppressWarnings("ImmutableEnumChecker") // the list is a copy, the program a static method
public enum Recipe {
    /** Patterns 2, 3 and 4 together, on real sockets. */
    PARTNER_BATCH(
            "partner-batch",
            "10,000 items through a partner that takes 20 at a time and 100 a second; a report, and what to retry",
            PartnerBatch.OPTIONS,
            PartnerBatch::run),
    /** Pattern 2, rejecting. */
    TRUST_BOUNDARY(
            "trust-boundary",
            "an HTTP endpoint before a queue that rejects: a flood gets 429 and Retry-After, and holds no thread",
            TrustBoundary.OPTIONS,
            TrustBoundary::run),
    /** Pattern 2, and what a bound is for. */
    SILENT_GROWTH(
            "silent-growth",
            "a queue with a bound too large to meet: no error, and everything later and later; depth and slope tell",
            SilentGrowth.OPTIONS,
            SilentGrowth::run),
    /** Pattern 2, and what it does not survive. */
    KILL_AND_REBUILD(
            "kill-and-rebuild",
            "a process is killed with items in its queue: in memory they are lost, in a journal none is",
            KillAndRebuild.OPTIONS,
            KillAndRebuild::run),
    /** Pattern 4, and pattern 3 as its limit. */
    LAUNCH_FIRST(
            "launch-first",
            "ten calls of 50 ms in 500 ms or in 50; five thousand at once, or ten at a time through a pool",
            LaunchFirst.OPTIONS,
            LaunchFirst::run),
    /** Pattern 1: once, for all. */
    READINESS(
            "readiness",
            "requests come before the service is ready: so many wait, one more gets 503; a part that fails is named",
            Readiness.OPTIONS,
            Readiness::run),
    /** Pattern 5, on real files, a real database and real sockets. */
    UPLOADS(
            "uploads",
            "CSV files through parse (CPU), validate (database) and deliver (network); the stage that cannot keep up is named",
            Uploads.OPTIONS,
            Uploads::run),
    /** Pattern 6: one owner for each room. */
    ROOMS(
            "rooms",
            "50 rooms of 4 players: each room's commands are applied as they were accepted, and one that hangs delays none",
            Rooms.OPTIONS,
            Rooms::run),
    /** Pattern 7, on a real database, and a process that is really killed. */
    ORDERS(
            "orders",
            "1,000 orders in a process that is killed in the middle of a charge; another goes on, and the books agree",
            Orders.OPTIONS,
            Orders::run),
    /** Pattern 7 without a single order. */
    DOCUMENT_APPROVAL(
            "document-approval",
            "documents in review, by the same gate: a timer for who does not answer, an announcement that must come",
            DocumentApproval.OPTIONS,
            DocumentApproval::run);

    private final String title;
    private final String line;
    private final List<Option> options;
    private final Program program;

    Recipe(String title, String line, List<Option> options, Program program) {
        this.title = title;
        this.line = line;
        this.options = List.copyOf(options);
        this.program = program;
    }

    /**
     * The recipe of a name.
     *
     * @param title the name, as in {@code -Drecipe=NAME}
     * @return the recipe; empty if there is none of that name
     */
    public static Optional<Recipe> named(String title) {
        return Stream.of(values()).filter(recipe -> recipe.title.equals(title)).findFirst();
    }

    /**
     * Its name.
     *
     * @return the name, as in {@code -Drecipe=NAME}
     */
    public String title() {
        return title;
    }

    /**
     * What it shows.
     *
     * @return one line
     */
    public String line() {
        return line;
    }

    /**
     * What can be set.
     *
     * @return the options, in the order of its page
     */
    public List<Option> options() {
        return options;
    }

    void run(Options given, PrintStream out) throws Exception {
        program.run(given, out);
    }
}

package io.heptad.recipes.orders;

import io.heptad.gate.Committed;
import io.heptad.gate.PhaseStore;
import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.gate.PhaseStore.State;
import io.heptad.recipes.orders.Ledger.Line;
import io.heptad.recipes.orders.Order.Event;
import java.io.PrintStream;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What happened to one order: from its rows in the store, from the other side's ledger, and from what became of the processes. */
final class Timeline {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneOffset.UTC);

    private record Row(Instant at, String who, String what) {}

    private final String id;
    private final List<ShopProcess> processes;
    private final List<Row> rows = new ArrayList<>();

    private Timeline(String id, List<ShopProcess> processes) {
        this.id = id;
        this.processes = processes;
    }

    /**
     * What is known of an order.
     *
     * @param id the order
     * @param store where it is
     * @param left its unfinished action, as it was when its process had been killed
     * @param ledger the other side's books
     * @param processes the processes of the shop, in their order
     */
    static Timeline of(
            String id,
            PhaseStore<Order, Event> store,
            Optional<ActionRow<Event>> left,
            List<Line> ledger,
            List<ShopProcess> processes) {
        Timeline timeline = new Timeline(id, processes);
        List<ActionRow<Event>> actions = store.actions(id);
        store.history(id).forEach(commit -> timeline.commit(commit, actions));
        actions.forEach(timeline::intent);
        ledger.stream().filter(line -> line.order().equals(id)).forEach(timeline::booked);
        processes.forEach(timeline::process);
        left.ifPresent(timeline::leftBehind);
        return timeline;
    }

    private void add(Instant at, String who, String what) {
        rows.add(new Row(at, who, what));
    }

    private void commit(Committed<Order, Event> commit, List<ActionRow<Event>> actions) {
        String outcome = actions.stream()
                .filter(row -> row.version() == commit.version() - 1 && row.state() == State.DONE)
                .map(row -> "outcome: " + name(row) + " is done, written under fence " + row.fence() + "; ")
                .findFirst()
                .orElse("");
        String event = commit.event() == null ? "" : ", by " + commit.event();
        add(commit.at(), whoRan(commit.at()), outcome + commit.phase() + event);
    }

    private void intent(ActionRow<Event> row) {
        String where = row.undo() ? "; in the commit that wrote down " + row.event() : "";
        String what = "intent: " + name(row) + ", under the key " + row.key() + ", fence 1" + where;
        add(row.firstSentAt(), whoRan(row.firstSentAt()), what);
    }

    private void booked(Line line) {
        String who = line.kind().equals("pack") ? "packer" : "provider";
        String caller = line.caller();
        String reply = line.reply();
        switch (line.entry()) {
            case BOOKED -> add(line.at(), who, caller + " asks, and it is done: " + reply);
            case DECLINED -> add(line.at(), who, caller + " asks, and it cannot be done: " + reply);
            case REPEATED -> add(line.at(), who, caller + " asks with the same key: " + reply + ", as before");
            case LOST -> add(line.at(), who, "the answer to " + caller + " is lost: " + reply);
        }
    }

    private void process(ShopProcess process) {
        if (process != processes.getFirst()) {
            add(process.started(), process.name(), "starts: " + process);
        }
        process.takeovers()
                .filter(takeover -> takeover.key().contains("/" + id + "/"))
                .forEach(takeover -> {
                    String what = "takes over " + takeover.key() + ": fence " + takeover.fence();
                    add(takeover.at(), process.name(), what);
                });
    }

    private void leftBehind(ActionRow<Event> row) {
        add(row.leaseUntil(), "", "the lease of the dead ends; until now its action was nobody else's");
    }

    private static String name(ActionRow<Event> row) {
        return row.undo() ? "the undo of " + row.action() : row.action();
    }

    /** The processes ran one after the other. */
    private String whoRan(Instant at) {
        return processes.stream()
                .filter(process -> !process.started().isAfter(at))
                .reduce((earlier, later) -> later)
                .map(ShopProcess::name)
                .orElse("");
    }

    void print(PrintStream out) {
        out.printf("  %s, step by step (UTC)%n", id);
        rows.sort(Comparator.comparing(Row::at));
        rows.forEach(row -> out.printf("    %s  %-8s  %s%n", TIME.format(row.at), row.who, row.what));
    }
}

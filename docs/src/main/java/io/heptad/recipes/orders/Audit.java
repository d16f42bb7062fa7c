package io.heptad.recipes.orders;

import io.heptad.gate.Committed;
import io.heptad.gate.PhaseStore;
import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.recipes.orders.Ledger.Entry;
import io.heptad.recipes.orders.Ledger.Line;
import io.heptad.recipes.orders.Order.Cancelled;
import io.heptad.recipes.orders.Order.Delivered;
import io.heptad.recipes.orders.Order.Event;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Two books, kept by two parties, beside each other: what the store says of each order, and what the other side says that it
 * was asked for and did. Neither was made from the other.
 */
final class Audit {
    private static final int SENTENCES_MAX = 10;

    private final Map<String, Integer> phases = new TreeMap<>();
    private final List<String> doubles = new ArrayList<>();
    private final List<String> lost = new ArrayList<>();
    private final List<String> stuck = new ArrayList<>();
    private final Map<String, Integer> booked;
    private final Map<Entry, Long> entries = new HashMap<>();
    private int orders;
    private int delivered;
    private int paidBack;
    private int notCharged;
    private long worth;
    private long charged;
    private long refunded;

    private Audit(List<Line> ledger) {
        booked = new HashMap<>();
        for (Line line : ledger) {
            entries.merge(line.entry(), 1L, Long::sum);
            if (line.entry() == Entry.BOOKED) {
                booked.merge(line.kind(), 1, Integer::sum);
                booked.merge(line.kind() + " " + line.order(), 1, Integer::sum);
                charged += line.kind().equals("charge") ? line.cents() : 0;
                refunded += line.kind().equals("refund") ? line.cents() : 0;
            }
        }
    }

    /** All orders of a run, against the ledger. */
    static Audit of(PhaseStore<Order, Event> store, int items, List<Line> ledger) {
        Audit audit = new Audit(ledger);
        for (int number = 1; number <= items; number++) {
            audit.look(store, Order.id(number), Order.first(number).cents());
        }
        return audit;
    }

    private void look(PhaseStore<Order, Event> store, String id, long cents) {
        orders++;
        List<Committed<Order, Event>> history = store.history(id);
        if (history.isEmpty()) {
            lost.add(id + " is not in the store");
            return;
        }
        Order phase = history.getLast().phase();
        if (!store.current(id).orElseThrow().equals(history.getLast())) {
            lost.add(id + " is " + store.current(id) + ", but its history ends with " + history.getLast());
        }
        phases.merge(phase.getClass().getSimpleName().toLowerCase(Locale.ROOT), 1, Integer::sum);
        for (ActionRow<Event> action : store.actions(id)) {
            if (action.isUnfinished()) {
                stuck.add(id + " has " + action.state() + " " + action.key() + ": " + action.lastError());
            }
        }
        compare(id, phase, cents);
    }

    // @start region=compare
    private void compare(String id, Order phase, long cents) {
        int charges = booked("charge", id);
        int refunds = booked("refund", id);
        int parcels = booked("pack", id);
        if (charges > 1 || refunds > 1 || parcels > 1) {
            doubles.add(id + " was charged " + charges + ", paid back " + refunds + ", packed " + parcels + " times");
        }
        switch (phase) {
            case Delivered done -> {
                delivered++;
                worth += cents;
                agree(id, phase, charges >= 1 && refunds == 0 && parcels >= 1);
            }
            case Cancelled end
            when end.refunded() -> {
                paidBack++;
                agree(id, phase, charges >= 1 && refunds >= 1 && parcels == 0);
            }
            case Cancelled end -> {
                notCharged++;
                agree(id, phase, charges == 0 && refunds == 0 && parcels == 0);
            }
            default -> stuck.add(id + " is still " + phase);
        }
    }
    // @end

    private void agree(String id, Order phase, boolean agreed) {
        if (!agreed) {
            lost.add(id + " is " + phase + ", but was charged " + booked("charge", id) + ", paid back "
                    + booked("refund", id) + ", packed " + booked("pack", id) + " times");
        }
    }

    private int booked(String kind, String id) {
        return booked.getOrDefault(kind + " " + id, 0);
    }

    int doubles() {
        return doubles.size();
    }

    int lost() {
        return lost.size();
    }

    int stuck() {
        return stuck.size();
    }

    /** What is wrong, in sentences; empty if the two books agree. */
    List<String> wrong() {
        List<String> wrong = new ArrayList<>(doubles);
        wrong.addAll(lost);
        wrong.addAll(stuck);
        if (wrong.isEmpty() && charged - refunded != worth) {
            wrong.add("kept are " + money(charged - refunded) + ", but delivered were goods for " + money(worth));
        }
        return wrong;
    }

    void print(PrintStream out) {
        line(out, "  audit                      store     ledger");
        line(out, "    delivered           %,10d     charged and packed", delivered);
        line(out, "    cancelled, paid back%,10d     charged and paid back", paidBack);
        line(out, "    cancelled           %,10d     never charged", notCharged);
        phases.forEach((phase, count) -> {
            if (!phase.equals("delivered") && !phase.equals("cancelled")) {
                line(out, "    %-20s%,10d", phase, count);
            }
        });
        line(out, "    of orders           %,10d", orders);
        line(
                out,
                "    charges             %,10d %,10d   %s",
                delivered + paidBack,
                booked.getOrDefault("charge", 0),
                money(charged));
        line(
                out,
                "    refunds             %,10d %,10d   %s",
                paidBack,
                booked.getOrDefault("refund", 0),
                money(refunded));
        line(
                out,
                "    parcels             %,10d %,10d   kept %s, goods for %s",
                delivered,
                booked.getOrDefault("pack", 0),
                money(charged - refunded),
                money(worth));
        line(
                out,
                "    calls               %10s %,10d   %,d answers were lost, %,d keys came again and booked nothing",
                "",
                count(Entry.BOOKED) + count(Entry.DECLINED) + count(Entry.REPEATED),
                count(Entry.LOST),
                count(Entry.REPEATED));
        line(out, "    doubles             %,10d", doubles());
        line(out, "    lost                %,10d", lost());
        line(out, "    stuck               %,10d", stuck());
        wrong().stream().limit(SENTENCES_MAX).forEach(sentence -> line(out, "    wrong: %s", sentence));
    }

    private long count(Entry entry) {
        return entries.getOrDefault(entry, 0L);
    }

    static String money(long cents) {
        return String.format(Locale.ROOT, "%,d.%02d", cents / 100, cents % 100);
    }

    private static void line(PrintStream out, String format, Object... values) {
        out.printf(Locale.ROOT, format + "%n", values);
    }
}

package io.heptad.stress.crash;

import static java.util.stream.Collectors.groupingBy;

import io.heptad.gate.Committed;
import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.gate.PhaseStore.State;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Whether the provider's ledger, the status of each order, its log and its actions say the same. */
public final class Audit {
    private final Shop shop;
    private final Path ledger;

    /**
     * An audit that reads the store of a shop.
     *
     * @param shop whose store
     * @param ledger the provider's file
     */
    public Audit(Shop shop, Path ledger) {
        this.shop = shop;
        this.ledger = ledger;
    }

    /**
     * How many actions of any order are not at their end.
     *
     * @param database the shared database
     * @return their number
     * @throws SQLException if the database fails
     */
    public static int unfinished(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT COUNT(*) FROM heptad_action WHERE open_entity IS NOT NULL")) {
            row.next();
            return row.getInt(1);
        }
    }

    /**
     * What is wrong, in sentences, of orders that have no unfinished action.
     *
     * @param orders their ids
     * @param atTheEnd whether all of them were brought to their end
     * @return nothing, if all say the same
     * @throws IOException if the ledger cannot be read
     */
    public List<String> disagreements(Iterable<String> orders, boolean atTheEnd) throws IOException {
        Map<String, List<Ledger.Entry>> ofOrder = Ledger.read(ledger).stream().collect(groupingBy(Ledger.Entry::order));
        List<String> found = new ArrayList<>();
        for (String id : orders) {
            disagreements(id, ofOrder.getOrDefault(id, List.of()), atTheEnd, found);
        }
        return found;
    }

    private void disagreements(String id, List<Ledger.Entry> happened, boolean atTheEnd, List<String> found) {
        Order phase = shop.store.current(id).map(Committed::phase).orElse(null);
        List<Committed<Order, Order.Event>> history = shop.store.history(id);
        long charges = count(happened, "charge");
        long refunds = count(happened, "refund");
        boolean refunded = phase instanceof Order.Cancelled(String how) && how.equals("yes");
        boolean unpaid =
                phase == null || phase instanceof Order.Placed || (phase instanceof Order.Cancelled && !refunded);
        if (charges != (unpaid ? 0 : 1) || refunds != (refunded ? 1 : 0)) {
            found.add(id + " is " + phase + ", but was charged " + charges + " and refunded " + refunds + " times");
        }
        Set<String> done = shop.store.actions(id).stream()
                .filter(row -> row.state() == State.DONE)
                .map(ActionRow::key)
                .collect(Collectors.toSet());
        Set<String> keys = happened.stream().map(Ledger.Entry::key).collect(Collectors.toSet());
        if (!done.equals(keys)) {
            found.add(id + " has done " + done + ", but the provider " + keys);
        }
        if (phase != null && !history.getLast().phase().equals(phase)) {
            found.add(id + " is " + phase + ", but its log ends with " + history.getLast());
        }
        for (int i = 0; i < history.size(); i++) {
            if (history.get(i).version() != i + 1) {
                found.add(id + " has a log with a gap: " + history);
            }
        }
        if (atTheEnd && !isEnd(id, phase)) {
            found.add(id + " ended as " + phase);
        }
    }

    private static boolean isEnd(String id, Order phase) {
        return id.endsWith("unpackable")
                ? new Order.Cancelled("yes").equals(phase)
                : id.endsWith("poor") ? new Order.Cancelled("no").equals(phase) : phase instanceof Order.Shipped;
    }

    private static long count(List<Ledger.Entry> ledger, String kind) {
        return ledger.stream().filter(entry -> entry.kind().equals(kind)).count();
    }
}

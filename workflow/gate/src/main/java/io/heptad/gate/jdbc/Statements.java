package io.heptad.gate.jdbc;

/** Every statement of a store, in one place. The first parameter is the name of the store wherever there is one. */
final class Statements {
    /*
     * Each is written so that only one index fits. A database keeps a plan as long as nothing tells it better, and makes it
     * while the tables are empty, or while no action is open; then all indexes look alike, and whichever begins with the gate
     * is as good as another. With 10,000 actions open because a provider is away, each renewal would read all of them, and
     * on tables that nobody has counted yet, each turn all that there ever was. Hence:
     *
     * - the indexes of actions begin with what tells one action from the others; only those of what is open, or parked, which
     *   is read as a whole, begin with the gate;
     * - an action that is not closed is named by open_entity, as entity_id would also fit those that are;
     * - a statement about one action says state <> 'parked' and not state = 'open', or PostgreSQL takes the index of the open ones.
     *
     * StatementPlansTest asks both databases for their plans.
     */
    static final String ENTITY =
            "version, phase_type, phase_version, phase, event_type, event_version, event, updated_at, "
                    + "timers, declines";
    static final String ACTION = "a.action_key, a.entity_id, a.name, a.kind, a.undoes, a.version, a.state, a.fence, "
            + "a.lease_until, a.event_id, a.asked_type, a.asked_version, a.asked, a.event_type, a.event_version, a.event, "
            + "a.request_type, a.request_version, a.request, a.result_type, a.result_version, a.result, "
            + "a.first_sent_at, a.attempts, a.last_error";
    static final int ACTION_COLUMNS = 25;
    static final String EVENT =
            "v.version, v.phase_type, v.phase_version, v.phase, v.event_type, v.event_version, v.event, "
                    + "v.asked_type, v.asked_version, v.asked, v.action, v.reason, v.at";

    private static final String NO_ACTION =
            " AND NOT EXISTS (SELECT 1 FROM heptad_action o WHERE o.gate = t.gate AND o.open_entity = t.entity_id"
                    + " AND o.open_entity IS NOT NULL)";
    private static final String TIMER_AND_ENTITY =
            " FROM heptad_timer t JOIN heptad_entity e ON e.gate = t.gate AND e.id = t.entity_id AND e.version = t.version"
                    + " WHERE t.gate = ?";

    // ---- a transaction

    final String lock;
    final String lockAndWait;
    final String now;
    final String current = "SELECT " + ENTITY + " FROM heptad_entity WHERE gate = ? AND id = ?";
    final String unfinished = "SELECT " + ACTION + " FROM heptad_action a WHERE a.gate = ? AND a.open_entity = ?";
    final String answered =
            "SELECT " + EVENT + " FROM heptad_event v WHERE v.gate = ? AND v.entity_id = ?" + " AND v.event_id = ?";
    final String answeredAndUnfinished = "SELECT " + ACTION + ", " + EVENT + " FROM (SELECT 1) one"
            + " LEFT JOIN heptad_action a ON a.gate = ? AND a.open_entity = ?"
            + " LEFT JOIN heptad_event v ON v.gate = ? AND v.entity_id = ? AND v.event_id = ?";
    final String first =
            "SELECT " + EVENT + " FROM heptad_event v WHERE v.gate = ? AND v.entity_id = ? AND v.version = 1";
    final String undoable =
            "SELECT " + ACTION + " FROM heptad_action a WHERE a.gate = ? AND a.entity_id = ? AND a.name = ?"
                    + " AND a.kind = 'do' AND a.state = 'done' AND NOT EXISTS (SELECT 1 FROM heptad_action u"
                    + " WHERE u.gate = a.gate AND u.entity_id = a.entity_id AND u.undoes = a.action_key AND u.state = 'done')"
                    + " ORDER BY a.number DESC LIMIT 1";
    final String declined = "SELECT COUNT(*) FROM heptad_action a WHERE a.gate = ? AND a.entity_id = ? AND a.name = ?"
            + " AND a.kind = ? AND a.version = ? AND a.state = 'declined'";

    final String insertEntity = "INSERT INTO heptad_entity (gate, id, " + ENTITY + ") VALUES (" + marks(12) + ")";
    final String updateEntity = "UPDATE heptad_entity SET version = ?, phase_type = ?, phase_version = ?, phase = ?,"
            + " event_type = ?, event_version = ?, event = ?, updated_at = ?, timers = ?, declines = ?"
            + " WHERE gate = ? AND id = ? AND version = ?";
    final String insertEvent =
            "INSERT INTO heptad_event (gate, entity_id, event_id, version, phase_type, phase_version,"
                    + " phase, event_type, event_version, event, asked_type, asked_version, asked, action, reason, at)"
                    + " VALUES (" + marks(16) + ")";
    final String nameEvent = "UPDATE heptad_event SET event_id = ?, asked_type = ?, asked_version = ?, asked = ?"
            + " WHERE gate = ? AND entity_id = ? AND version = ? AND event_id IS NULL";
    final String insertAction =
            "INSERT INTO heptad_action (gate, action_key, entity_id, name, kind, undoes, version, state,"
                    + " open_entity, fence, lease_until, event_id, asked_type, asked_version, asked, event_type, event_version,"
                    + " event, request_type, request_version, request, first_sent_at, attempts, last_error)"
                    + " VALUES (" + marks(24) + ")";
    final String close = "UPDATE heptad_action SET state = ?, open_entity = NULL, result_type = ?, result_version = ?,"
            + " result = ?, last_error = COALESCE(?, last_error)"
            + " WHERE gate = ? AND action_key = ? AND open_entity = ? AND fence = ?";
    final String insertTimer =
            "INSERT INTO heptad_timer (gate, entity_id, version, number, due, claimed_until, event_type,"
                    + " event_version, event) VALUES (" + marks(9) + ")";
    final String deleteTimer =
            "DELETE FROM heptad_timer WHERE gate = ? AND entity_id = ? AND version = ? AND number = ?";
    final String deleteTimers = "DELETE FROM heptad_timer WHERE gate = ? AND entity_id = ? AND version < ?";
    final String insertMessage;

    // ---- open actions

    final String renew;
    final String failed;
    final String park = "UPDATE heptad_action SET state = 'parked', last_error = ?" + whereOpen();
    final String unpark;
    final String expired;
    final String take;
    final String figures;
    final String dueTimers;
    final String nextDue;

    // ---- reading

    final String history = "SELECT " + EVENT + " FROM heptad_event v WHERE v.gate = ? AND v.entity_id = ?"
            + " AND v.version IS NOT NULL ORDER BY v.version";
    final String actions =
            "SELECT " + ACTION + " FROM heptad_action a WHERE a.gate = ? AND a.entity_id = ? ORDER BY a.number";
    final String byKey = "SELECT " + ACTION + " FROM heptad_action a WHERE a.gate = ? AND a.action_key = ?"
            + " AND a.state IN ('open', 'parked')";
    final String parked = "SELECT " + ACTION + " FROM heptad_action a WHERE a.gate = ? AND a.state = 'parked'"
            + " ORDER BY a.first_sent_at, a.number LIMIT ?";
    final String outbox = "SELECT id, order_key, destination, type, payload FROM heptad_outbox WHERE gate = ?"
            + " ORDER BY position LIMIT ?";
    final String sent = "DELETE FROM heptad_outbox WHERE gate = ? AND id = ?";

    private final String clock;
    private final String due;
    private final String later;

    Statements(Dialect dialect) {
        clock = dialect.clock();
        due = dialect.due();
        later = dialect.later();
        now = "SELECT " + clock;
        lock = dialect.waits() ? lockOrNothing() : lockAtOnce();
        lockAndWait = dialect.waits() ? lockAndWait() : lock;
        insertMessage = dialect.name() == Dialect.Name.H2
                ? "MERGE INTO heptad_outbox (gate, id, order_key, destination, type, payload, at) KEY (gate, id) VALUES ("
                        + marks(7) + ")"
                : "INSERT INTO heptad_outbox (gate, id, order_key, destination, type, payload, at) VALUES (" + marks(7)
                        + ") ON CONFLICT (gate, id) DO NOTHING";
        renew = "UPDATE heptad_action SET lease_until = " + later + whereOpen();
        failed = "UPDATE heptad_action SET lease_until = " + later + ", attempts = attempts + 1, last_error = ?"
                + whereOpen();
        unpark = "UPDATE heptad_action SET state = 'open', lease_until = " + clock
                + " WHERE gate = ? AND action_key = ? AND open_entity = ? AND state <> 'open'";
        expired = "SELECT " + ACTION + ", a.number, e.phase_type, e.phase_version, e.phase FROM heptad_action a"
                + " JOIN heptad_entity e ON e.gate = a.gate AND e.id = a.entity_id"
                + " WHERE a.gate = ? AND a.state = 'open' AND a.lease_until <= " + due
                + " AND (a.lease_until > ? OR (a.lease_until = ? AND a.number > ?))"
                + " ORDER BY a.lease_until, a.number LIMIT ?";
        take = "UPDATE heptad_action SET fence = fence + 1, lease_until = " + later + whereOpen()
                + " AND lease_until <= " + due;
        figures = figures("open") + " UNION ALL " + figures("parked");
        dueTimers =
                "SELECT t.position, t.entity_id, t.version, t.number, t.due, t.event_type, t.event_version, t.event,"
                        + " e.phase_type, e.phase_version, e.phase" + TIMER_AND_ENTITY
                        + " AND t.claimed_until <= " + due + NO_ACTION
                        + " AND (t.due > ? OR (t.due = ? AND t.position > ?)) ORDER BY t.due, t.position LIMIT ?";
        nextDue = "SELECT " + clock + ", (SELECT MIN(a.lease_until) FROM heptad_action a WHERE a.gate = ?"
                + " AND a.state = 'open'), (SELECT t.claimed_until" + TIMER_AND_ENTITY + NO_ACTION
                + " ORDER BY t.claimed_until LIMIT 1)";
    }

    /**
     * Waits for the entity, so many milliseconds at most, and gives the time at which it was locked: the outer select is
     * worked out after the inner one has its lock. There the limit is taken back: statements of a local action have their
     * own. There is always one row, also without an entity.
     */
    private String lockAndWait() {
        return "SELECT " + clock
                + ", x.*, set_config('lock_timeout', COALESCE(x.prior, current_setting('lock_timeout')), true)"
                + " FROM (SELECT 1) one LEFT JOIN (SELECT " + ENTITY + ", p.prior FROM heptad_entity CROSS JOIN"
                + " (SELECT current_setting('lock_timeout') AS prior, set_config('lock_timeout', ?, true) AS patience) p"
                + " WHERE p.patience IS NOT NULL AND gate = ? AND id = ? FOR UPDATE OF heptad_entity) x ON TRUE";
    }

    /** Locks the entity or fails, and gives the time at which it was locked. There is always one row, also without an entity. */
    private String lockOrNothing() {
        return "SELECT " + clock + ", x.* FROM (SELECT 1) one LEFT JOIN (SELECT " + ENTITY
                + " FROM heptad_entity WHERE gate = ? AND id = ? FOR UPDATE NOWAIT) x ON TRUE";
    }

    /** Locks the entity or fails. No row if there is no entity. */
    private String lockAtOnce() {
        return "SELECT " + clock + ", " + ENTITY + " FROM heptad_entity WHERE gate = ? AND id = ? FOR UPDATE NOWAIT";
    }

    /** Of these entities those that nobody is at. For {@code id IN} H2 would look through all of the store's. */
    static String lockEntities(int count) {
        return "SELECT id FROM heptad_entity WHERE (gate, id) IN ((?, ?)" + ", (?, ?)".repeat(count - 1)
                + ") FOR UPDATE SKIP LOCKED";
    }

    /** Of these timers those that nobody is at, and nobody has taken meanwhile. */
    String lockTimers(int count) {
        return "SELECT position FROM heptad_timer WHERE position IN (" + marks(count) + ") AND claimed_until <= " + due
                + " FOR UPDATE SKIP LOCKED";
    }

    String takeTimers(int count) {
        return "UPDATE heptad_timer SET claimed_until = " + later + " WHERE position IN (" + marks(count) + ")";
    }

    private String figures(String state) {
        return "SELECT '" + state + "', COUNT(*), MIN(a.first_sent_at), " + clock + " FROM heptad_action a"
                + " WHERE a.gate = ? AND a.state = '" + state + "'";
    }

    private static String whereOpen() {
        return " WHERE gate = ? AND action_key = ? AND open_entity = ? AND fence = ? AND state <> 'parked'";
    }

    private static String marks(int count) {
        return "?" + ", ?".repeat(count - 1);
    }
}

package io.heptad.recipes.approval;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.heptad.gate.Answer;
import io.heptad.gate.Committed;
import io.heptad.gate.Gate;
import io.heptad.gate.OutboxMessage;
import io.heptad.gate.jdbc.HeptadSchema;
import io.heptad.gate.jdbc.JdbcPhaseStore;
import io.heptad.recipes.BrokenRunException;
import io.heptad.recipes.approval.Document.Event;
import io.heptad.recipes.approval.Document.Expired;
import io.heptad.recipes.approval.Document.Published;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** One process of the office: the gate on the file that all of them share, one after the other. */
final class Office implements AutoCloseable {
    private static final int MESSAGES = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final HikariDataSource connections;
    private final JdbcPhaseStore<Document, Event> store;
    private final Gate<Document, Event> gate;

    private Office(HikariDataSource connections, JdbcPhaseStore<Document, Event> store, Gate<Document, Event> gate) {
        this.connections = connections;
        this.store = store;
        this.gate = gate;
    }

    static Office open(Path file, Document.Rules rules, Site site) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("documents");
        config.setJdbcUrl("jdbc:h2:async:" + file.toAbsolutePath().normalize() + ";WRITE_DELAY=0");
        HikariDataSource connections = new HikariDataSource(config);
        try {
            HeptadSchema.create(connections);
            JdbcPhaseStore<Document, Event> store = JdbcPhaseStore.of("documents", connections, Document.codec());
            return new Office(connections, store, gate(store, rules, site));
        } catch (RuntimeException broken) {
            connections.close();
            throw broken;
        }
    }

    private static Gate<Document, Event> gate(JdbcPhaseStore<Document, Event> store, Document.Rules rules, Site site) {
        // @start region=gate
        return Gate.<Document, Event>builder("documents", rules::next)
                .store(store)
                .action(
                        Document.UPLOAD,
                        attempt -> site.put(attempt.key(), attempt.id(), attempt.input()),
                        (attempt, address) -> site.remove(attempt.key(), attempt.id()))
                .durably(
                        "announcement",
                        Published.class,
                        now -> message(now, "published " + now.phase().address()))
                .durably(
                        "reminder",
                        Expired.class,
                        now -> message(now, "expired: " + now.phase().title()))
                // @end
                .backoff(attempt -> Duration.ofMillis(20))
                .sweepEvery(Duration.ofMillis(200))
                .build();
    }

    private static OutboxMessage message(Committed<? extends Document, Event> now, String text) {
        return new OutboxMessage(now.id() + "/" + now.version(), now.id(), "subscribers", "news", text);
    }

    JdbcPhaseStore<Document, Event> store() {
        return store;
    }

    /** Makes a draft. */
    void draft(String id, String title) {
        Object ignored = gate.create(id, new Document.Draft(title, 1));
    }

    /** Hands an event in, and waits for what becomes of it. */
    Document tell(String id, Event event) throws InterruptedException {
        Answer<Document, Event> answer = gate.handle(id, event);
        if (answer instanceof Committed<Document, Event> committed) {
            return committed.phase();
        }
        throw new BrokenRunException(id + " must have been moved by " + event + ", but: " + answer);
    }

    // @start region=relay
    /** Sends what waits: at least once each, and in order for each document. */
    int send(Subscriber to) {
        int left = 0;
        Set<String> held = new HashSet<>();
        for (OutboxMessage message : store.outbox(MESSAGES)) {
            if (held.contains(message.orderKey())) {
                continue; // an earlier one of its document has not left
            }
            try {
                to.receive(message);
                left += store.sent(message.id()) ? 1 : 0;
            } catch (IOException unknown) {
                Object ignored = held.add(message.orderKey()); // it stays, and is sent again
            }
        }
        return left;
    }
    // @end

    /** Ends as a process should: calls come to their end, timers and messages stay in the store. */
    @Override
    public void close() {
        try {
            if (!gate.close(PATIENCE)) {
                throw new BrokenRunException("calls must end within " + PATIENCE + ", but: " + gate);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt(); // closed all the same; what is under way is in the store
        } finally {
            connections.close();
        }
    }
}

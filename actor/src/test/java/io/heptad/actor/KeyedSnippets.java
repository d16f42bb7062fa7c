package io.heptad.actor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** The examples of the javadoc and of the guide. */
@Watched
class KeyedSnippets {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Map<String, Room> store = new ConcurrentHashMap<>();

    // @start region="room"
    sealed interface Command {
        record Move(String player, int by) implements Command {}

        record Look(Reply<Integer> reply) implements Command {}
    }

    record Room(int position, int moves) {}

    static Room handle(Room room, Command command, ActorContext<Command> context) {
        return switch (command) {
            case Command.Move move -> new Room(room.position() + move.by(), room.moves() + 1);
            case Command.Look look -> {
                look.reply().ok(room.position());
                yield room;
            }
        };
    }

    // @end

    private KeyedActors<String, Command> open() {
        // @start region="builder"
        KeyedActors<String, Command> rooms = KeyedActors.named("rooms", String.class, Command.class)
                .mailbox(100, FullPolicy.REJECT) // of one room
                .totalQueued(10_000) // of all rooms together
                .state(id -> store.getOrDefault(id, new Room(0, 0)), KeyedSnippets::handle)
                .maxLive(1_000)
                .idleAfter(Duration.ofMinutes(5))
                .onPassivate(store::put)
                .start();
        // @end
        return rooms;
    }

    @Test
    void rooms() throws Exception {
        try (KeyedActors<String, Command> rooms = open()) {
            // @start region="rooms"
            rooms.send("room-7", new Command.Move("ann", 3)); // the owner of room-7 comes to life and loads its state
            rooms.send("room-7", new Command.Move("bob", -1)); // handled after ann's, never at the same time
            rooms.send("room-8", new Command.Move("cyd", 2)); // another owner: waits for neither
            int position = rooms.<Integer>call("room-7", Command.Look::new, Duration.ofSeconds(1));
            // @end
            assertThat(position).isEqualTo(2);
            assertThat(rooms.close(PATIENCE)).isTrue();
        }
        assertThat(store).isEqualTo(Map.of("room-7", new Room(2, 2), "room-8", new Room(2, 1)));
    }

    @Test
    void position() throws Exception {
        try (KeyedActors<String, Command> sale = open()) {
            // @start region="position"
            CompletableFuture<Integer> bought = sale.ask("seat-12", Command.Look::new, Duration.ofSeconds(30));
            sale.position("seat-12", bought).ifPresent(place -> System.out.println("You are number " + place));
            // @end
            assertThat(bought.get()).isZero();
        }
    }

    @Test
    void backlog() throws Exception {
        List<String> lines = new ArrayList<>();
        try (KeyedActors<String, Command> rooms = open()) {
            // @start region="backlog"
            for (Backlog<String> one : rooms.backlog(3)) {
                lines.add(one.key() + ": " + one.depth() + " wait, the first for " + one.oldestAge());
            }
            // @end
            assertThat(rooms.close(PATIENCE)).isTrue();
        }
        assertThat(lines).isEmpty();
    }

    @Test
    void flood() throws Exception {
        try (KeyedActors<String, Command> rooms = open()) {
            // @start region="refused"
            try {
                rooms.send("room-7", new Command.Move("ann", 1));
            } catch (FullException full) { // of this room, or of all: the message says which
                System.out.println("try again in " + full.retryAfter());
            }
            // @end
            assertThat(rooms.close(PATIENCE)).isTrue();
        }
    }
}

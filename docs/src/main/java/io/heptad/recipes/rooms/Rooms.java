package io.heptad.recipes.rooms;

import io.heptad.actor.Backlog;
import io.heptad.actor.KeyedActors;
import io.heptad.actor.KeyedStats;
import io.heptad.core.FullPolicy;
import io.heptad.recipes.BrokenRunException;
import io.heptad.recipes.Option;
import io.heptad.recipes.Options;
import io.heptad.recipes.rooms.Room.Command;
import io.heptad.sync.KeyedLock;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A game of many rooms in one process: each room has one owner, its players' commands are applied in the order in which
 * they were accepted, and a room that hangs delays no other.
 */
public final class Rooms {
    /** What can be set. */
    public static final List<Option> OPTIONS = List.of(
            new Option("rooms", "50", "how many rooms there are"),
            new Option("players", "4", "how many players are in each"),
            new Option("commands", "100", "how many commands each player gives"),
            new Option("live", "20", "how many rooms may be in memory at once; the others are stored"),
            new Option("mailbox", "16", "how many commands may wait for one room"),
            new Option("hanging", "1", "how many rooms hang until all others have finished, fewer than live"));

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** What was seen in the middle, and what came of it. */
    record Seen(List<Backlog<String>> stuck, Map<String, List<Command.Play>> stored, KeyedStats end) {}

    private Rooms() {}

    /**
     * Plays all games.
     *
     * @param options what was set
     * @param out where to say what happened
     * @throws Exception if the games could not be played, or not as they must be
     */
    public static void run(Options options, PrintStream out) throws Exception {
        int rooms = options.count("rooms", 2, 10_000);
        int players = options.count("players", 1, 100);
        int commands = options.count("commands", 1, 10_000);
        int live = options.count("live", 1, 10_000);
        int mailbox = options.count("mailbox", 1, 10_000);
        int hanging = options.count("hanging", 0, Math.min(rooms, live) - 1);
        out.printf(
                Locale.ROOT,
                "rooms: %,d rooms of %d players, %,d commands each; %,d rooms in memory, %,d commands wait for a room%n",
                rooms,
                players,
                commands,
                live,
                mailbox);

        Seen seen = play(rooms, players, commands, live, mailbox, hanging);

        out.printf(
                Locale.ROOT,
                "  %,d of them hung while the other %,d were played to the end%n",
                hanging,
                rooms - hanging);
        seen.stuck.forEach(stuck -> out.printf(
                Locale.ROOT, "    %s: %,d commands wait, and its players at the door%n", stuck.key(), stuck.depth()));
        long inOrder = seen.stored.values().stream()
                .filter(played -> isAsAccepted(played, players * commands))
                .count();
        out.printf(
                Locale.ROOT,
                "  %,d commands were applied; in %,d of %,d rooms in the order in which they were accepted%n",
                seen.stored.values().stream().mapToLong(List::size).sum(),
                inOrder,
                rooms);
        out.printf(
                Locale.ROOT,
                "  loaded %,d times, stored %,d times; left in memory: %,d rooms, %,d commands%n",
                seen.end.loaded(),
                seen.end.passivated(),
                seen.end.keys(),
                seen.end.depth());
        if (inOrder != rooms || seen.end.keys() != 0 || seen.end.loaded() != seen.end.passivated()) {
            throw new BrokenRunException(
                    "every room must be as its commands were accepted, and stored as often as it was" + " loaded, but "
                            + inOrder + " are, and " + seen.end);
        }
    }

    /** Numbered as they were accepted, none missing and none twice. */
    static boolean isAsAccepted(List<Command.Play> played, int all) {
        for (int i = 0; i < played.size(); i++) {
            if (played.get(i).number() != i + 1) {
                return false;
            }
        }
        return played.size() == all;
    }

    static Seen play(int rooms, int players, int commands, int live, int mailbox, int hanging) throws Exception {
        Map<String, List<Command.Play>> store = new ConcurrentHashMap<>();
        // @start region=rooms
        KeyedActors<String, Command> owners = KeyedActors.named("rooms", String.class, Command.class)
                .mailbox(mailbox, FullPolicy.BLOCK) // of one room: its players wait
                .totalQueued(mailbox * Math.max(live, rooms)) // of all rooms
                .state(id -> new Room(store.getOrDefault(id, List.of())), Room::handle)
                .maxLive(live) // the room that has been idle for longest is stored
                .onPassivate((id, room) -> store.put(id, room.played()))
                .start();
        // @end
        CountDownLatch released = new CountDownLatch(1);
        List<Future<?>> games = new ArrayList<>();
        List<Backlog<String>> stuck;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CountDownLatch begun = new CountDownLatch(hanging);
            for (int room = 0; room < hanging; room++) {
                owners.send(id(room), new Command.Hang(begun, released));
            }
            begun.await();
            Door door = new Door(owners);
            List<Future<?>> stuckGames = new ArrayList<>();
            for (int room = 0; room < rooms; room++) {
                String id = id(room);
                for (int player = 0; player < players; player++) {
                    int me = player;
                    Future<?> game = threads.submit(() -> {
                        for (int turn = 0; turn < commands; turn++) {
                            door.play(id, me, turn);
                        }
                        return null;
                    });
                    (room < hanging ? stuckGames : games).add(game);
                }
            }
            for (Future<?> game : games) {
                game.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            int deep = Math.min(mailbox, players * commands);
            until(() -> owners.backlog(rooms).stream()
                            .filter(one -> one.depth() == deep)
                            .count()
                    >= hanging);
            stuck = hanging == 0 ? List.of() : owners.backlog(hanging);
            released.countDown();
            for (Future<?> game : stuckGames) {
                game.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            released.countDown();
        }
        if (!owners.close(PATIENCE)) {
            throw new BrokenRunException("after " + PATIENCE + " not all rooms are stored: " + owners.stats());
        }
        return new Seen(stuck, Map.copyOf(store), owners.stats());
    }

    // @start region=door
    /** Where the commands of a room come in: it numbers them and sends them in one step, so the order is known. */
    private static final class Door {
        private final KeyedActors<String, Command> owners;
        private final KeyedLock<String> doors = KeyedLock.of("doors"); // of one room at a time, not of all
        private final Map<String, Integer> accepted = new ConcurrentHashMap<>();

        Door(KeyedActors<String, Command> owners) {
            this.owners = owners;
        }

        void play(String room, int player, int turn) throws InterruptedException {
            doors.withLock(room, () -> {
                int number = accepted.merge(room, 1, Integer::sum);
                if (!owners.send(room, new Command.Play(player, turn, number))) {
                    throw new IllegalStateException("a mailbox that blocks drops nothing");
                }
            });
        }
    }
    // @end

    private static String id(int room) {
        return "room-" + room;
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("not so within " + PATIENCE);
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }
}

package io.heptad.recipes.rooms;

import io.heptad.actor.ActorContext;
import io.heptad.actor.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** What the owner of a room has: what was done in it, in that order. Nobody else touches it, so it needs no lock. */
final class Room {
    // @start region=commands
    /** All that can be told to a room. */
    sealed interface Command {
        /** A player does something; the number is that under which the room accepted it, from 1. */
        record Play(int player, int turn, int number) implements Command {}

        /** How far is it? */
        record Look(Reply<? super Integer> reply) implements Command {}

        /** A handler that hangs, such as in a slow call, until somebody lets it go. */
        record Hang(CountDownLatch begun, CountDownLatch released) implements Command {}
    }
    // @end

    private final List<Command.Play> played;

    Room(List<Command.Play> played) {
        this.played = new ArrayList<>(played);
    }

    // @start region=behavior
    static Room handle(Room room, Command command, ActorContext<Command> context) throws InterruptedException {
        switch (command) {
            case Command.Play play -> room.played.add(play);
            case Command.Look look -> look.reply().ok(room.played.size());
            case Command.Hang hang -> {
                hang.begun().countDown();
                hang.released().await();
            }
        }
        return room;
    }
    // @end

    List<Command.Play> played() {
        return List.copyOf(played);
    }
}

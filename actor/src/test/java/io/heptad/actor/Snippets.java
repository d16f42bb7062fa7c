package io.heptad.actor;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.REJECT;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/** The examples of the javadoc, compiled; {@link SnippetsTest} runs them. */
final class Snippets {
    private Snippets() {}

    // @start region="account"
    sealed interface Command {
        record Deposit(long amount) implements Command {}

        record Withdraw(long amount, Reply<Boolean> reply) implements Command {}

        record Balance(Reply<Long> reply) implements Command {}
    }

    static Actor<Command> account() {
        return Actor.of("account", 100, BLOCK, 0L, (balance, command, context) -> switch (command) {
            case Command.Deposit deposit -> balance + deposit.amount();
            case Command.Withdraw withdraw -> {
                boolean covered = balance >= withdraw.amount(); // check, then act: nobody can come between
                withdraw.reply().ok(covered);
                yield covered ? balance - withdraw.amount() : balance;
            }
            case Command.Balance asked -> {
                asked.reply().ok(balance);
                yield balance;
            }
        });
    }
    // @end

    static List<Object> ask() throws InterruptedException, TimeoutException {
        List<Object> seen = new ArrayList<>();
        try (Actor<Command> account = account()) {
            // @start region="ask"
            account.send(new Command.Deposit(100)); // waits while 100 others wait
            CompletableFuture<Boolean> paid =
                    account.ask(reply -> new Command.Withdraw(30, reply), Duration.ofSeconds(1)); // never waits
            long balance = account.<Long>call(Command.Balance::new, Duration.ofSeconds(1)); // waits for the answer
            // @end
            seen.add(paid.join());
            seen.add(balance);
        }
        return seen;
    }

    static Actor<String> behavior() {
        // @start region="behavior"
        Behavior<Integer, String> counting = (count, word, context) -> {
            if (word.equals("enough")) {
                context.stop();
            }
            return count + 1;
        };
        // @end
        return Actor.of("words", 10, BLOCK, 0, counting);
    }

    sealed interface Session {
        record Touch() implements Session {}

        record Idle() implements Session {}
    }

    static Actor<Session> timer(Duration limit) {
        return Actor.of(
                "session",
                10,
                BLOCK,
                (Cancellable) () -> false,
                // @start region="timer"
                (timer, message, context) -> switch (message) {
                    case Session.Touch touch -> {
                        timer.cancel(); // the state of this actor is its one timer
                        yield context.sendAfter(limit, new Session.Idle());
                    }
                    case Session.Idle idle -> {
                        context.stop();
                        yield timer;
                    }
                }
                // @end
                );
    }

    static Actor<Command> builder(Behavior<Long, Command> behavior, List<Command> unhandled, List<Long> saved) {
        // @start region="builder"
        Actor<Command> account = Actor.named("account", Command.class)
                .mailbox(100, REJECT)
                .state(() -> 0L, behavior)
                .supervision(Supervision.restart(3, Duration.ofMinutes(1)))
                .onStop(saved::add)
                .deadLetters(unhandled::add)
                .start();
        // @end
        return account;
    }

    static List<Supervision> supervision() {
        // @start region="supervision"
        Supervision goOn = Supervision.resume(); // with the state from before: the default
        Supervision afresh = Supervision.restart(3, Duration.ofMinutes(1)); // a fourth within a minute stops it
        Supervision end = Supervision.stop();
        // @end
        return List.of(goOn, afresh, end);
    }

    static String deadlock(Actor<Command> account) throws InterruptedException, TimeoutException {
        // @start region="deadlock"
        try {
            long balance = account.<Long>call(
                    Command.Balance::new, Duration.ofSeconds(1)); // from a handler that account waits for
            return "balance " + balance;
        } catch (ActorDeadlockException circle) {
            return String.join(" waits for ", circle.path()); // audit waits for account waits for audit
        }
        // @end
    }
}

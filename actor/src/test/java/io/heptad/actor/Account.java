package io.heptad.actor;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** The account of the pattern text, and how many handlers ran at once. */
final class Account implements Behavior<Long, Account.Message> {
    sealed interface Message {
        record Deposit(long amount) implements Message {}

        record Withdraw(long amount, Reply<Boolean> reply) implements Message {}

        record Balance(Reply<Long> reply) implements Message {}

        /** A message that nobody can handle. */
        record Poison(Reply<Boolean> reply) implements Message {}
    }

    static final class PoisonException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        PoisonException() {
            super("poison");
        }
    }

    private final AtomicInteger inside = new AtomicInteger();
    final AtomicInteger insideAtMost = new AtomicInteger();
    final AtomicReference<Long> lowest = new AtomicReference<>(0L);

    @Override
    public Long handle(Long balance, Message message, ActorContext<Message> context) {
        insideAtMost.accumulateAndGet(inside.incrementAndGet(), Math::max);
        try {
            long after = after(balance, message);
            lowest.accumulateAndGet(after, Math::min);
            return after;
        } finally {
            inside.decrementAndGet();
        }
    }

    private static long after(long balance, Message message) {
        return switch (message) {
            case Message.Deposit deposit -> balance + deposit.amount();
            case Message.Withdraw withdraw -> {
                boolean covered = balance >= withdraw.amount();
                withdraw.reply().ok(covered);
                yield covered ? balance - withdraw.amount() : balance;
            }
            case Message.Balance asked -> {
                asked.reply().ok(balance);
                yield balance;
            }
            case Message.Poison poison -> throw new PoisonException();
        };
    }
}

package io.heptad.bench.actor;

import com.typesafe.config.ConfigFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.MailboxSelector;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * Pekko typed on its default dispatcher. Where a sender waits at a full mailbox, Pekko has {@code BoundedMailbox} with a push
 * timeout; where it does not, its {@code MailboxSelector.bounded}, which drops, and which no benchmark fills.
 */
final class PekkoTyped implements Cast {
    private static final String WAITING = "bench-waiting";

    private record Question(int value, ActorRef<Integer> reply) {}

    /** What the guardian is told: to do this in its own thread, where alone actors can be made. */
    private record Order(Consumer<ActorContext<Order>> task) {}

    private final ActorSystem<Order> system = ActorSystem.create(
            Behaviors.receive((context, order) -> {
                order.task().accept(context);
                return Behaviors.same();
            }),
            "bench",
            ConfigFactory.parseMap(Map.of(
                            "pekko.loglevel",
                            "OFF",
                            "pekko.stdout-loglevel",
                            "OFF",
                            "pekko.log-dead-letters",
                            "off",
                            "pekko.jvm-shutdown-hooks",
                            "off",
                            WAITING + ".mailbox-type",
                            "org.apache.pekko.dispatch.BoundedMailbox",
                            WAITING + ".mailbox-capacity",
                            1024,
                            WAITING + ".mailbox-push-timeout-time",
                            LONG.toSeconds() + "s"))
                    .withFallback(ConfigFactory.load()));

    @Override
    public <M> List<Ref<M>> actors(int n, int mailbox, boolean waits, IntFunction<Consumer<M>> handlers) {
        MailboxSelector selector = mailbox(mailbox, waits);
        return inGuardian(context -> {
            List<Ref<M>> refs = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                ActorRef<M> ref = context.spawnAnonymous(behavior(handlers.apply(i)), selector);
                refs.add(ref::tell);
            }
            return refs;
        });
    }

    @Override
    public Asked asked(int mailbox) {
        Behavior<Question> answering = behavior(question -> question.reply().tell(question.value() + 1));
        ActorRef<Question> ref = inGuardian(context -> context.spawnAnonymous(answering, mailbox(mailbox, false)));
        return value -> AskPattern.<Question, Integer>ask(
                        ref, reply -> new Question(value, reply), LONG, system.scheduler())
                .toCompletableFuture()
                .get();
    }

    /**
     * One that passes a number on to its child for that number, which it makes when it first needs it. Its own mailbox holds
     * back whoever tells it; those of the children are never full.
     */
    Ref<Integer> parent(Supplier<Consumer<Integer>> handlers) {
        Behavior<Integer> passing = Behaviors.setup(context -> {
            Map<Integer, ActorRef<Integer>> children = new HashMap<>();
            return behavior(number -> children.computeIfAbsent(
                            number,
                            first -> context.spawnAnonymous(behavior(handlers.get()), mailbox(NEVER_FULL, false)))
                    .tell(number));
        });
        ActorRef<Integer> parent = inGuardian(context -> context.spawnAnonymous(passing, mailbox(1024, true)));
        return parent::tell;
    }

    private static MailboxSelector mailbox(int mailbox, boolean waits) {
        if (!waits) {
            return MailboxSelector.bounded(mailbox);
        }
        if (mailbox != 1024) {
            throw new IllegalArgumentException("the mailbox where senders wait has 1024 places here, not " + mailbox);
        }
        return MailboxSelector.fromConfig(WAITING);
    }

    private static <M> Behavior<M> behavior(Consumer<M> handler) {
        return Behaviors.receiveMessage(message -> {
            handler.accept(message);
            return Behaviors.same();
        });
    }

    private <T> T inGuardian(Function<ActorContext<Order>, T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        system.tell(new Order(context -> {
            try {
                result.complete(task.apply(context));
            } catch (Throwable failed) {
                result.completeExceptionally(failed);
            }
        }));
        return inTime(result);
    }

    @Override
    public void close() {
        system.terminate();
        inTime(system.getWhenTerminated().toCompletableFuture());
    }

    private static <T> T inTime(CompletableFuture<T> future) {
        try {
            return future.get(LONG.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException hangs) {
            throw new AssertionError("the actor system does not answer", hangs);
        }
    }
}

package io.heptad.bench.actor;

import com.softwaremill.jox.Channel;
import com.softwaremill.jox.ChannelDone;
import io.heptad.actor.Actor;
import io.heptad.actor.Reply;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The actors of one implementation. A fork uses one only.
 *
 * <p>jox's actor is a channel of closures and a virtual thread that runs them one by one; the peer {@code jox} is that
 * construction on jox's channel, as the module which holds the actor needs a preview feature of one JDK. {@code executor} is
 * what one writes without a library: for each state a thread of its own, behind a bounded queue.
 */
interface Cast extends AutoCloseable {
    /** Longer than any batch. */
    Duration LONG = Duration.ofSeconds(50);

    /** A mailbox that no batch fills. */
    int NEVER_FULL = 1 << 20;

    /** Whom to tell. */
    interface Ref<M> {
        void tell(M message) throws InterruptedException;
    }

    /** Whom to ask for a number; the answer is the next one. The asking thread waits for it. */
    interface Asked {
        int ask(int value) throws InterruptedException, ExecutionException, TimeoutException;
    }

    /**
     * So many actors, each with the handler of its number.
     *
     * @param waits what a sender does at a full mailbox: wait, or be refused
     */
    <M> List<Ref<M>> actors(int n, int mailbox, boolean waits, IntFunction<Consumer<M>> handlers);

    /** One that answers. */
    Asked asked(int mailbox);

    @Override
    void close();

    /**
     * As the peer is named.
     *
     * @param executor where ours runs: {@code own}, or {@code ForkJoinPool}
     */
    static Cast of(String peer, String executor) {
        return switch (peer) {
            case "heptad" ->
                new Heptad(
                        executor.equals("own")
                                ? null
                                : new ForkJoinPool(
                                        Runtime.getRuntime().availableProcessors(),
                                        ForkJoinPool.defaultForkJoinWorkerThreadFactory,
                                        null,
                                        true));
            case "Pekko" -> new PekkoTyped();
            case "jox" -> new Jox();
            case "executor" -> new OneThreadEach();
            default -> throw new IllegalArgumentException("peer is " + peer);
        };
    }

    /** Ours, on virtual threads of its own or on a pool. */
    final class Heptad implements Cast {
        private record Question(int value, Reply<Integer> reply) {}

        private final @Nullable ForkJoinPool pool;
        private final List<Actor<?>> actors = new ArrayList<>();

        Heptad(@Nullable ForkJoinPool pool) {
            this.pool = pool;
        }

        @Override
        public <M> List<Ref<M>> actors(int n, int mailbox, boolean waits, IntFunction<Consumer<M>> handlers) {
            List<Ref<M>> refs = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                Actor<M> actor = actor(mailbox, waits, handlers.apply(i));
                refs.add(actor::send);
            }
            return refs;
        }

        @Override
        public Asked asked(int mailbox) {
            Actor<Question> actor =
                    actor(mailbox, false, question -> question.reply().ok(question.value() + 1));
            return value -> actor.<Integer>call(reply -> new Question(value, reply), LONG);
        }

        private <M> Actor<M> actor(int mailbox, boolean waits, Consumer<M> handler) {
            var choices = Actor.<M>named("bench", message())
                    .mailbox(mailbox, waits ? FullPolicy.BLOCK : FullPolicy.REJECT)
                    .state(() -> handler, (state, message, context) -> {
                        state.accept(message);
                        return state;
                    });
            Executor chosen = pool;
            Actor<M> actor = (chosen == null ? choices : choices.executor(chosen)).start();
            actors.add(actor);
            return actor;
        }

        /** The type serves inference only, and these benchmarks have several. */
        @SuppressWarnings("unchecked")
        private static <M> Class<M> message() {
            return (Class<M>) Object.class;
        }

        @Override
        public void close() {
            actors.forEach(Actor::close);
            if (pool != null) {
                pool.close();
            }
        }
    }

    /** A channel of closures, and a virtual thread that runs them. */
    final class Jox implements Cast {
        private final List<Channel<Runnable>> channels = new ArrayList<>();

        @Override
        public <M> List<Ref<M>> actors(int n, int mailbox, boolean waits, IntFunction<Consumer<M>> handlers) {
            List<Ref<M>> refs = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                Consumer<M> handler = handlers.apply(i);
                Channel<Runnable> channel = channel(mailbox);
                refs.add(message -> channel.send(() -> handler.accept(message)));
            }
            return refs;
        }

        @Override
        public Asked asked(int mailbox) {
            Channel<Runnable> channel = channel(mailbox);
            return value -> {
                CompletableFuture<Integer> answer = new CompletableFuture<>();
                channel.send(() -> answer.complete(value + 1));
                return answer.get(LONG.toSeconds(), TimeUnit.SECONDS);
            };
        }

        private Channel<Runnable> channel(int mailbox) {
            // One that is never full has no bound here: jox overflows the stack when it closes so large a buffer.
            Channel<Runnable> channel =
                    mailbox == NEVER_FULL ? Channel.newUnlimitedChannel() : Channel.newBufferedChannel(mailbox);
            channels.add(channel);
            Thread ignored = Thread.ofVirtual().start(() -> {
                try {
                    for (Object next = channel.receiveOrClosed();
                            !(next instanceof ChannelDone);
                            next = channel.receiveOrClosed()) {
                        ((Runnable) next).run();
                    }
                } catch (InterruptedException ended) {
                    Thread.currentThread().interrupt();
                }
            });
            return channel;
        }

        @Override
        public void close() {
            channels.forEach(Channel::done);
        }
    }

    /** A thread and a queue for each. */
    final class OneThreadEach implements Cast {
        private final List<ThreadPoolExecutor> executors = new ArrayList<>();

        @Override
        public <M> List<Ref<M>> actors(int n, int mailbox, boolean waits, IntFunction<Consumer<M>> handlers) {
            List<Ref<M>> refs = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                Consumer<M> handler = handlers.apply(i);
                ThreadPoolExecutor executor = executor(mailbox, waits);
                refs.add(message -> executor.execute(() -> handler.accept(message)));
            }
            return refs;
        }

        @Override
        public Asked asked(int mailbox) {
            ThreadPoolExecutor executor = executor(mailbox, false);
            return value -> executor.submit(() -> value + 1).get(LONG.toSeconds(), TimeUnit.SECONDS);
        }

        private ThreadPoolExecutor executor(int mailbox, boolean waits) {
            BlockingQueue<Runnable> queue =
                    mailbox == NEVER_FULL ? new LinkedBlockingQueue<>(mailbox) : new ArrayBlockingQueue<>(mailbox);
            ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, queue);
            if (waits) {
                executor.setRejectedExecutionHandler((task, full) -> {
                    try {
                        full.getQueue().put(task);
                    } catch (InterruptedException hangs) {
                        Thread.currentThread().interrupt();
                        throw new RejectedExecutionException("interrupted", hangs);
                    }
                });
            }
            executors.add(executor);
            return executor;
        }

        @Override
        public void close() {
            executors.forEach(ThreadPoolExecutor::close);
        }
    }
}

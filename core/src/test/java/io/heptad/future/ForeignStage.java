package io.heptad.future;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/** A stage of somebody else's: not a CompletableFuture, with one behind it. */
abstract class ForeignStage<T> implements CompletionStage<T> {
    final CompletableFuture<T> behind;

    ForeignStage(CompletableFuture<T> behind) {
        this.behind = behind;
    }

    /** Shows the future behind it. */
    static final class Open<T> extends ForeignStage<T> {
        Open(CompletableFuture<T> behind) {
            super(behind);
        }

        @Override
        public CompletableFuture<T> toCompletableFuture() {
            return behind;
        }
    }

    /** Shows none, as the interface allows. */
    static final class Closed<T> extends ForeignStage<T> {
        Closed(CompletableFuture<T> behind) {
            super(behind);
        }

        @Override
        public CompletableFuture<T> toCompletableFuture() {
            throw new UnsupportedOperationException();
        }
    }

    @Override
    public <U> CompletionStage<U> thenApply(Function<? super T, ? extends U> fn) {
        return behind.thenApply(fn);
    }

    @Override
    public <U> CompletionStage<U> thenApplyAsync(Function<? super T, ? extends U> fn) {
        return behind.thenApplyAsync(fn);
    }

    @Override
    public <U> CompletionStage<U> thenApplyAsync(Function<? super T, ? extends U> fn, Executor executor) {
        return behind.thenApplyAsync(fn, executor);
    }

    @Override
    public CompletionStage<Void> thenAccept(Consumer<? super T> fn) {
        return behind.thenAccept(fn);
    }

    @Override
    public CompletionStage<Void> thenAcceptAsync(Consumer<? super T> fn) {
        return behind.thenAcceptAsync(fn);
    }

    @Override
    public CompletionStage<Void> thenAcceptAsync(Consumer<? super T> fn, Executor executor) {
        return behind.thenAcceptAsync(fn, executor);
    }

    @Override
    public CompletionStage<Void> thenRun(Runnable fn) {
        return behind.thenRun(fn);
    }

    @Override
    public CompletionStage<Void> thenRunAsync(Runnable fn) {
        return behind.thenRunAsync(fn);
    }

    @Override
    public CompletionStage<Void> thenRunAsync(Runnable fn, Executor executor) {
        return behind.thenRunAsync(fn, executor);
    }

    @Override
    public <U, V> CompletionStage<V> thenCombine(
            CompletionStage<? extends U> other, BiFunction<? super T, ? super U, ? extends V> fn) {
        return behind.thenCombine(other, fn);
    }

    @Override
    public <U, V> CompletionStage<V> thenCombineAsync(
            CompletionStage<? extends U> other, BiFunction<? super T, ? super U, ? extends V> fn) {
        return behind.thenCombineAsync(other, fn);
    }

    @Override
    public <U, V> CompletionStage<V> thenCombineAsync(
            CompletionStage<? extends U> other, BiFunction<? super T, ? super U, ? extends V> fn, Executor executor) {
        return behind.thenCombineAsync(other, fn, executor);
    }

    @Override
    public <U> CompletionStage<Void> thenAcceptBoth(
            CompletionStage<? extends U> other, BiConsumer<? super T, ? super U> fn) {
        return behind.thenAcceptBoth(other, fn);
    }

    @Override
    public <U> CompletionStage<Void> thenAcceptBothAsync(
            CompletionStage<? extends U> other, BiConsumer<? super T, ? super U> fn) {
        return behind.thenAcceptBothAsync(other, fn);
    }

    @Override
    public <U> CompletionStage<Void> thenAcceptBothAsync(
            CompletionStage<? extends U> other, BiConsumer<? super T, ? super U> fn, Executor executor) {
        return behind.thenAcceptBothAsync(other, fn, executor);
    }

    @Override
    public CompletionStage<Void> runAfterBoth(CompletionStage<?> other, Runnable fn) {
        return behind.runAfterBoth(other, fn);
    }

    @Override
    public CompletionStage<Void> runAfterBothAsync(CompletionStage<?> other, Runnable fn) {
        return behind.runAfterBothAsync(other, fn);
    }

    @Override
    public CompletionStage<Void> runAfterBothAsync(CompletionStage<?> other, Runnable fn, Executor executor) {
        return behind.runAfterBothAsync(other, fn, executor);
    }

    @Override
    public <U> CompletionStage<U> applyToEither(CompletionStage<? extends T> other, Function<? super T, U> fn) {
        return behind.applyToEither(other, fn);
    }

    @Override
    public <U> CompletionStage<U> applyToEitherAsync(CompletionStage<? extends T> other, Function<? super T, U> fn) {
        return behind.applyToEitherAsync(other, fn);
    }

    @Override
    public <U> CompletionStage<U> applyToEitherAsync(
            CompletionStage<? extends T> other, Function<? super T, U> fn, Executor executor) {
        return behind.applyToEitherAsync(other, fn, executor);
    }

    @Override
    public CompletionStage<Void> acceptEither(CompletionStage<? extends T> other, Consumer<? super T> fn) {
        return behind.acceptEither(other, fn);
    }

    @Override
    public CompletionStage<Void> acceptEitherAsync(CompletionStage<? extends T> other, Consumer<? super T> fn) {
        return behind.acceptEitherAsync(other, fn);
    }

    @Override
    public CompletionStage<Void> acceptEitherAsync(
            CompletionStage<? extends T> other, Consumer<? super T> fn, Executor executor) {
        return behind.acceptEitherAsync(other, fn, executor);
    }

    @Override
    public CompletionStage<Void> runAfterEither(CompletionStage<?> other, Runnable fn) {
        return behind.runAfterEither(other, fn);
    }

    @Override
    public CompletionStage<Void> runAfterEitherAsync(CompletionStage<?> other, Runnable fn) {
        return behind.runAfterEitherAsync(other, fn);
    }

    @Override
    public CompletionStage<Void> runAfterEitherAsync(CompletionStage<?> other, Runnable fn, Executor executor) {
        return behind.runAfterEitherAsync(other, fn, executor);
    }

    @Override
    public <U> CompletionStage<U> thenCompose(Function<? super T, ? extends CompletionStage<U>> fn) {
        return behind.thenCompose(fn);
    }

    @Override
    public <U> CompletionStage<U> thenComposeAsync(Function<? super T, ? extends CompletionStage<U>> fn) {
        return behind.thenComposeAsync(fn);
    }

    @Override
    public <U> CompletionStage<U> thenComposeAsync(
            Function<? super T, ? extends CompletionStage<U>> fn, Executor executor) {
        return behind.thenComposeAsync(fn, executor);
    }

    @Override
    public <U> CompletionStage<U> handle(BiFunction<? super T, Throwable, ? extends U> fn) {
        return behind.handle(fn);
    }

    @Override
    public <U> CompletionStage<U> handleAsync(BiFunction<? super T, Throwable, ? extends U> fn) {
        return behind.handleAsync(fn);
    }

    @Override
    public <U> CompletionStage<U> handleAsync(BiFunction<? super T, Throwable, ? extends U> fn, Executor executor) {
        return behind.handleAsync(fn, executor);
    }

    @Override
    public CompletionStage<T> whenComplete(BiConsumer<? super T, ? super Throwable> fn) {
        return behind.whenComplete(fn);
    }

    @Override
    public CompletionStage<T> whenCompleteAsync(BiConsumer<? super T, ? super Throwable> fn) {
        return behind.whenCompleteAsync(fn);
    }

    @Override
    public CompletionStage<T> whenCompleteAsync(BiConsumer<? super T, ? super Throwable> fn, Executor executor) {
        return behind.whenCompleteAsync(fn, executor);
    }

    @Override
    public CompletionStage<T> exceptionally(Function<Throwable, ? extends T> fn) {
        return behind.exceptionally(fn);
    }
}

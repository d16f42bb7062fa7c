package io.heptad.future;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The plan that waits until every member has ended.
 *
 * @param <R> what the aggregate is decided to
 */
final class Last<R extends @Nullable Object> implements Watch.Plan<R> {
    /*
     * Waits for one member at a time, from the last to the first, and skips those that are done by then. Members that
     * were started in order tend to end in order, so there is one listener for the whole aggregate most of the time, and
     * no counter that every completing thread must write to. In random order about ln(n) listeners, one after the other;
     * n only if the members end exactly from the last to the first.
     */
    private int unfinished;
    private final Function<Object[], Outcome<R>> verdict;

    Last(int members, Function<Object[], Outcome<R>> verdict) {
        this.unfinished = members - 1;
        this.verdict = verdict;
    }

    @Override
    public @Nullable Outcome<R> look(Object[] members, List<CompletableFuture<?>> next) {
        while (unfinished >= 0) {
            CompletableFuture<?> member = Members.at(members, unfinished);
            if (!member.isDone()) {
                next.add(member);
                return null;
            }
            unfinished--;
        }
        return verdict.apply(members);
    }
}

package io.heptad.bench.futures;

import io.heptad.bench.Scale;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * As many groups of members as make up {@link #MEMBERS}, so that figures are for one member, whatever the size of the
 * group. Making the members is outside the time, completing pending ones is inside.
 *
 * @param <F> the members
 */
final class Groups<F extends Future<Integer>> {
    /** Members of all groups together. */
    static final int MEMBERS = 100_000;

    private static final int FAILS_EACH = 10;

    private final Throwable cause = new IllegalStateException("one in ten");
    private final Combiner<F> combiner;
    private final boolean done;
    private final boolean failures;
    private final int size;
    private final int groups;
    private List<List<F>> members = List.of();

    private Groups(Combiner<F> combiner, int size, boolean done, boolean failures) {
        this.combiner = combiner;
        this.size = Scale.of(size, 10);
        this.groups = Scale.of(MEMBERS, 1000) / this.size;
        this.done = done;
        this.failures = failures;
    }

    /**
     * Members of the peer.
     *
     * @param state "done" or "pending" when they are combined
     * @param failures whether one in ten fails
     */
    static Groups<?> of(String peer, int size, String state, boolean failures) {
        return new Groups<>(Combiner.of(peer), size, state.equals("done"), failures);
    }

    /** Before each invocation: members that are done can be combined again, pending ones were completed by the last. */
    void prepare() {
        if (done && !members.isEmpty()) {
            return;
        }
        List<List<F>> made = new ArrayList<>(groups);
        for (int i = 0; i < groups; i++) {
            List<F> group = new ArrayList<>(size);
            for (int j = 0; j < size; j++) {
                F member = combiner.member();
                if (done) {
                    settle(member, j);
                }
                group.add(member);
            }
            made.add(group);
        }
        members = made;
    }

    long all() throws InterruptedException, ExecutionException {
        for (List<F> group : members) {
            Future<List<Integer>> all = combiner.all(group);
            settle(group);
            List<Integer> values = Combiner.now(all);
            check(values.size(), values.getFirst(), values.getLast());
        }
        return members.size();
    }

    long allSettled() throws InterruptedException, ExecutionException {
        for (List<F> group : members) {
            Future<? extends List<?>> settled = combiner.allSettled(group);
            settle(group);
            check(Combiner.now(settled).size(), 0, size - 1);
        }
        return members.size();
    }

    /** Of pending members the last alone is completed, with the value that the caller expects. */
    long any() throws InterruptedException, ExecutionException {
        for (List<F> group : members) {
            Future<?> any = combiner.any(group);
            if (!done) {
                combiner.complete(group.getLast(), 0);
            }
            check(size, Combiner.now(any), size - 1);
        }
        return members.size();
    }

    /** Combines the first group and keeps everything reachable until the caller lets go of the future. */
    Future<?> hold(boolean settled) {
        return settled ? combiner.allSettled(members.getFirst()) : combiner.all(members.getFirst());
    }

    void settle() {
        members.forEach(this::settle);
    }

    private void settle(List<F> group) {
        if (!done) {
            for (int i = 0; i < size; i++) {
                settle(group.get(i), i);
            }
        }
    }

    private void settle(F member, int index) {
        if (failures && index % FAILS_EACH == FAILS_EACH - 1) {
            combiner.fail(member, cause);
        } else {
            combiner.complete(member, index);
        }
    }

    private void check(int members, Object first, Object last) {
        if (members != size || !first.equals(0) || !last.equals(size - 1)) {
            throw new AssertionError("of " + size + " members came " + members + ", from " + first + " to " + last);
        }
    }
}

package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Completions that lead to completions: nested up to a depth, in a row from there. */
@Watched
class CompletionsTest {
    private int depth;
    private int deepest;
    private final List<Integer> order = new ArrayList<>();

    /** A completion that leads to the next, so many times. */
    private void chain(int from, int to) {
        Completions.run(() -> {
            depth++;
            deepest = Math.max(deepest, depth);
            order.add(from);
            if (from < to) {
                chain(from + 1, to);
            }
            depth--;
        });
    }

    private static List<Integer> upTo(int last) {
        return IntStream.rangeClosed(1, last).boxed().toList();
    }

    @Test
    void nestsEightDeepAndNoDeeperTimeAndAgain() {
        for (int i = 0; i < 3; i++) {
            order.clear();
            deepest = 0;

            chain(1, 100);

            assertThat(order).isEqualTo(upTo(100));
            assertThat(deepest).isEqualTo(Completions.NESTED_MAX);
        }
    }

    @Test
    void nestsAsDeepAsItMayWithNothingLeftForLater() {
        chain(1, Completions.NESTED_MAX);
        assertThat(order).isEqualTo(upTo(Completions.NESTED_MAX));

        chain(1, Completions.NESTED_MAX);
        assertThat(order).hasSize(2 * Completions.NESTED_MAX);
    }

    @Test
    void oneAfterTheOtherIsNotNested() {
        List<Boolean> doneAtOnce = new ArrayList<>();
        Completions.run(() -> {
            for (int i = 1; i <= 20; i++) {
                int number = i;
                Completions.run(() -> order.add(number));
                doneAtOnce.add(order.size() == i);
            }
        });
        assertThat(doneAtOnce).hasSize(20).containsOnly(true);
    }

    @Test
    void whatIsLeftForLaterIsDoneThoughOneOfThemThrows() throws InterruptedException {
        Error mine = new Error("no memory");
        List<Throwable> reported = new ArrayList<>();
        Thread thread = new Thread(() -> nested(Completions.NESTED_MAX, () -> {
            Completions.run(() -> {
                throw mine;
            });
            Completions.run(() -> order.add(1));
        }));
        thread.setUncaughtExceptionHandler((where, thrown) -> reported.add(thrown));

        thread.start();
        thread.join();

        assertThat(order).containsExactly(1);
        assertThat(reported).containsExactly(mine);
    }

    @Test
    void aHandlerThatThrowsEndsNothing() throws InterruptedException {
        Thread thread = new Thread(() -> {
            nested(Completions.NESTED_MAX, () -> {
                Completions.run(() -> {
                    throw new Error("no memory");
                });
                Completions.run(() -> order.add(1));
            });
            order.add(2);
        });
        thread.setUncaughtExceptionHandler((where, thrown) -> {
            throw new IllegalStateException("nor this");
        });

        thread.start();
        thread.join();

        assertThat(order).containsExactly(1, 2);
    }

    @Test
    void oneThatThrowsLeavesTheDepthAsItWas() {
        Error mine = new Error("no memory");
        Completions.run(() -> {
            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> Completions.run(() -> {
                            throw mine;
                        }))
                        .isSameAs(mine);
            }
            chain(1, 100);
        });
        assertThat(order).isEqualTo(upTo(100));
        assertThat(deepest).isEqualTo(Completions.NESTED_MAX - 1);
    }

    private static void nested(int levels, Runnable innermost) {
        Completions.run(levels == 1 ? innermost : () -> nested(levels - 1, innermost));
    }
}

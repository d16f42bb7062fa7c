package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

@Watched
class FencedTest {
    private final Fenced<String> value = Fenced.of("");

    @Test
    void takesAnyTokenFromZeroUpAtFirst() {
        assertThat(value.highestToken()).isZero();
        assertThat(value.value()).isEmpty();
        assertThat(value.write(-1, "before all")).isFalse();
        assertThat(value.write(0, "first")).isTrue();
        assertThat(value.value()).isEqualTo("first");
    }

    @Test
    void refusesALowerTokenAndKeepsTheValue() {
        assertThat(value.write(8, "B wrote")).isTrue();

        assertThat(value.write(7, "A wrote")).isFalse();
        assertThat(value.value()).isEqualTo("B wrote");
        assertThat(value.highestToken()).isEqualTo(8);
        assertThat(value.refused()).isEqualTo(1);
        assertThat(value).hasToString("Fenced at token 8: B wrote");
    }

    @Test
    void acceptsTheSameTokenAgain() {
        assertThat(value.write(8, "B wrote")).isTrue();
        assertThat(value.write(8, "B wrote again")).isTrue();

        assertThat(value.value()).isEqualTo("B wrote again");
    }

    @Test
    void keepsTheHighestOfEachValueApart() {
        Fenced<String> other = Fenced.of("");
        value.write(8, "x");

        assertThat(other.write(7, "y")).isTrue();
        assertThat(value.highestToken()).isEqualTo(8);
        assertThat(other.highestToken()).isEqualTo(7);
    }

    @Test
    void takesTokensToTheLast() {
        assertThat(value.write(Long.MAX_VALUE, "last")).isTrue();
        assertThat(value.write(Long.MAX_VALUE, "last again")).isTrue();
        assertThat(value.write(Long.MIN_VALUE, "no")).isFalse();
    }

    @Test
    void changesWhatIsThereInOneStep() {
        value.write(3, "a");

        assertThat(value.update(4, old -> old + "b")).isTrue();
        assertThat(value.update(3, old -> old + "c")).isFalse();
        assertThat(value.value()).isEqualTo("ab");
    }

    @Test
    void aNewHolderShutsTheDoorBeforeItReads() {
        value.write(7, "A's");

        assertThat(value.update(8, old -> old)).isTrue();
        assertThat(value.value()).isEqualTo("A's");
        assertThat(value.write(7, "A's, late")).isFalse();
    }

    @Test
    void aChangeThatThrowsChangesNothing() {
        assertThatThrownBy(() -> value.update(5, old -> {
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");
        assertThat(value.highestToken()).isZero();
        assertThat(value.write(4, "x")).isTrue();
    }

    /** The write that comes in between is made by the change itself: no timing decides. */
    @Test
    void comparesTheTokenAgainWhenAnotherWriteCameInBetween() {
        List<String> seen = new ArrayList<>();
        boolean accepted = value.update(7, old -> {
            seen.add(old);
            value.write(8, "B wrote");
            return "A wrote";
        });

        assertThat(accepted).isFalse();
        assertThat(seen).containsExactly("");
        assertThat(value.value()).isEqualTo("B wrote");
    }

    @Test
    void makesItsChangeAgainFromWhatASameTokenWroteInBetween() {
        boolean[] once = new boolean[1];
        value.update(7, old -> {
            if (!once[0]) {
                once[0] = true;
                value.write(7, "first,");
            }
            return old + "second";
        });

        assertThat(value.value()).isEqualTo("first,second");
    }

    @Test
    void losesNoUpdateOfThreadsThatShareAToken() throws Exception {
        Fenced<Integer> count = Fenced.of(0);
        CyclicBarrier start = new CyclicBarrier(4);
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                all.add(threads.submit(() -> {
                    start.await();
                    for (int n = 0; n < 5_000; n++) {
                        count.update(1, old -> old + 1);
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }

        assertThat(count.value()).isEqualTo(20_000);
    }

    @Test
    void refusesNullsByName() {
        assertThatNullPointerException().isThrownBy(() -> Fenced.of(null)).withMessage("initial");
        assertThatNullPointerException().isThrownBy(() -> value.write(1, null)).withMessage("value");
        assertThatNullPointerException().isThrownBy(() -> value.update(1, null)).withMessage("change");
        assertThatNullPointerException()
                .isThrownBy(() -> value.update(1, old -> null))
                .withMessage("what change returns");
        assertThat(value.highestToken()).isZero();
    }
}

package io.heptad.recipes.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LaunchFirstTest {
    private static final Duration CALL = Duration.ofMillis(50);

    @Test
    void launchedFirstTheTotalIsTheLongestAndNotTheSum() {
        assertThat(LaunchFirst.waitingInTheLoop(10, CALL)).isEqualTo(new LaunchFirst.Run(Duration.ofMillis(500), 1));
        assertThat(LaunchFirst.launchedFirst(10, CALL)).isEqualTo(new LaunchFirst.Run(CALL, 10));
    }

    @Test
    void aLazyChainIsTheSameLoopInDisguise() {
        assertThat(LaunchFirst.lazyChain(10, CALL)).isEqualTo(new LaunchFirst.Run(Duration.ofMillis(500), 1));
    }

    @Test
    void aCombinatorLimitsNothing() {
        assertThat(LaunchFirst.crowd(5_000)).isEqualTo(5_000);
    }

    @Test
    void aPoolInsideTheMapIsTheLimit() throws Exception {
        assertThat(LaunchFirst.crowd(5_000, 10)).isEqualTo(10);
    }

    @Test
    void waitingForWhatNobodyWillCompleteIsRefused() {
        assertThatIllegalStateException().isThrownBy(() -> new VirtualTime().await(new CompletableFuture<>()));
    }

    @Test
    void callsThatEndTogetherEndInTheOrderOfTheirLaunch() {
        VirtualTime time = new VirtualTime();
        StringBuilder order = new StringBuilder();
        time.after(CALL).thenRun(() -> order.append("a"));
        CompletableFuture<Void> last = time.after(CALL).thenRun(() -> order.append("b"));
        time.await(last);

        assertThat(order).hasToString("ab");
        assertThat(time.now()).isEqualTo(CALL);
    }
}

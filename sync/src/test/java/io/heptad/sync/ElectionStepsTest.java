package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.Metric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What a candidate finds that was stopped between two of its steps. Where it reads its ticker the test comes in. Times are
 * those of {@link LeaderElectionTest}.
 */
@Watched
class ElectionStepsTest {
    private static final Duration TTL = Duration.ofSeconds(10);

    private final ManualClock clock = new ManualClock();
    private final ManualAlarm alarm = new ManualAlarm(clock);
    private final Leases leases = Leases.inMemory(clock);
    private final Store store = new Store(leases);
    private final List<String> told = new ArrayList<>();
    private final List<String> reported = new ArrayList<>();
    private final List<Runnable> atReadings = new ArrayList<>();

    private LeaderElection.Builder candidate() {
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> reported.add(thrown.getMessage()));
        return LeaderElection.builder(store, "role", "A", TTL)
                .ticker(() -> {
                    if (!atReadings.isEmpty()) {
                        atReadings.remove(0).run();
                    }
                    return clock.nanos();
                })
                .alarm(alarm)
                .onElected(lease -> told.add("elected"))
                .onLost(() -> told.add("lost"));
    }

    private LeaderElection leading() {
        LeaderElection election = candidate().start();
        alarm.run();
        assertThat(election.isLeader()).isTrue();
        return election;
    }

    private void seconds(double seconds) {
        alarm.advance(Duration.ofMillis((long) (seconds * 1_000)));
    }

    private static double figure(LeaderElection election, String name) {
        return election.metrics().stream()
                .filter(metric -> metric.name().equals("heptad.election." + name))
                .mapToDouble((Metric metric) -> metric.value().getAsDouble())
                .sum();
    }

    @Test
    void doesNotLeadAtTheVeryEnd() {
        LeaderElection a = leading();
        clock.advance(Duration.ofMillis(7_500));
        assertThat(a.isLeader()).isFalse();
    }

    @Test
    void anAlarmThatWentOffBeforeTheCloseAsksNothing() throws Exception {
        LeaderElection a = candidate()
                .alarm((nanos, then) -> {
                    alarm.in(nanos, then);
                    return () -> {}; // too late
                })
                .start();
        assertThat(a.close(Duration.ZERO)).isTrue();
        seconds(60);
        assertThat(store.calls).isEmpty();
    }

    @Test
    void aLeaseIsGivenBackOnceThoughTheCallThatGotItFindsTheElectionClosed() throws Exception {
        LeaderElection a = candidate().start();
        atReadings.add(() -> {}); // before the renewal
        atReadings.add(() -> {}); // does it still prove anything?
        atReadings.add(() -> {}); // the watch
        atReadings.add(() -> closeAtOnce(a)); // the pause before the next call
        alarm.run();

        assertThat(atReadings).isEmpty();
        assertThat(store.calls).containsExactly("acquire", "renew", "release");
        assertThat(told).isEmpty();
        assertThat(a.close(Duration.ZERO)).isTrue();
    }

    private static void closeAtOnce(LeaderElection election) {
        try {
            boolean ignored = election.close(Duration.ZERO);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void countsEveryCallThatFailsWhileItStandsAndReportsTheFirstOfARow() {
        leases.acquire("role", "B", Duration.ofDays(1));
        store.before = Store.cut("first night");
        LeaderElection a = candidate().start();
        seconds(2);
        int firstNight = store.calls.size();
        store.whole();
        seconds(5);
        int day = store.calls.size() - firstNight;
        store.before = Store.cut("second night");
        seconds(5);

        assertThat(firstNight).isGreaterThan(1);
        assertThat(day).isGreaterThan(0);
        assertThat(reported).containsExactly("first night", "second night");
        assertThat(figure(a, "failures")).isEqualTo(store.calls.size() - day);
    }

    @Test
    void aTermThatTwoReadersEndIsLostOnce() {
        LeaderElection a = leading();
        clock.advance(Duration.ofSeconds(8));
        atReadings.add(() -> assertThat(a.isLeader()).isFalse());
        assertThat(a.isLeader()).isFalse();
        alarm.run();

        assertThat(told)
                .startsWith("elected", "lost")
                .filteredOn("lost"::equals)
                .hasSize(1);
        assertThat(figure(a, "lost")).isEqualTo(1);
    }

    @Test
    void aTermThatAReaderEndsBeforeTheWatchIsLostOnce() {
        LeaderElection a = leading();
        store.before = Store.cut("down");
        seconds(7.4);
        atReadings.add(() -> assertThat(a.isLeader()).isFalse());
        seconds(0.1);

        assertThat(atReadings).isEmpty();
        assertThat(told).containsExactly("elected", "lost");
        assertThat(figure(a, "lost")).isEqualTo(1);
    }

    @Test
    void aTermThatAReaderEndsBeforeItsRenewalIsRefusedIsLostOnce() {
        LeaderElection a = leading();
        store.before = () -> {
            store.whole();
            clock.advance(TTL); // the renewal arrives after the end of the lease
            assertThat(a.isLeader()).isFalse();
        };
        seconds(2.5);
        alarm.run();

        assertThat(told).containsExactly("elected", "lost");
        assertThat(figure(a, "lost")).isEqualTo(1);
    }

    @Test
    void aWatchThatFindsTheTermOverSetsNoOther() throws Exception {
        LeaderElection a = leading();
        seconds(7.4);
        atReadings.add(() -> closeAtOnce(a));
        seconds(0.1);

        assertThat(atReadings).isEmpty();
        assertThat(told).containsExactly("elected", "lost");
        assertThat(alarm.pending()).isZero();
        assertThat(a.close(Duration.ZERO)).isTrue();
    }

    @Test
    void aWatchThatARenewalOvertakesGoesOnWatching() {
        LeaderElection a = leading();
        store.before = Store.cut("down");
        seconds(7.4);
        atReadings.add(() -> {
            store.whole();
            alarm.run(); // the next try, while the watch reads the time
        });
        seconds(0.1);
        assertThat(atReadings).isEmpty();
        assertThat(a.isLeader()).isTrue();

        store.before = Store.cut("down again");
        seconds(7.5);

        assertThat(told).as("though nobody asked").containsExactly("elected", "lost");
    }

    @Test
    void isNotClosedBeforeTheCallInFlightIsBack() throws Exception {
        LeaderElection a = leading();
        List<Boolean> closed = new ArrayList<>();
        store.before = () -> {
            store.whole();
            closeAtOnce(a);
            alarm.run(); // onLost and the release
            try {
                closed.add(a.close(Duration.ZERO));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        };
        seconds(2.5);

        assertThat(told).containsExactly("elected", "lost");
        assertThat(closed).containsExactly(false);
        assertThat(a.close(Duration.ZERO)).isTrue();
    }
}

package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Elections on the system's clock, with the threads that they have in production. */
@Watched
class ElectionThreadsTest {
    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LONG = Duration.ofSeconds(60);

    private final Leases leases = Leases.inMemory();

    @Test
    void oneOfFiveLeadsAndTheNextOneFollowsAtOnce() {
        List<Long> tokens = new CopyOnWriteArrayList<>();
        AtomicInteger leading = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Map<String, LeaderElection> all = new ConcurrentHashMap<>();
        for (int i = 0; i < 5; i++) {
            String name = "candidate-" + i;
            all.put(
                    name,
                    LeaderElection.builder(leases, "role", name, LONG)
                            .every(Duration.ofMillis(2))
                            .onElected(lease -> {
                                tokens.add(lease.token());
                                most.accumulateAndGet(leading.incrementAndGet(), Math::max);
                            })
                            .onLost(leading::decrementAndGet)
                            .start());
        }
        for (int round = 1; round <= 5; round++) {
            int terms = round;
            Wait.until(() -> tokens.size() == terms);
            LeaderElection leader = all.values().stream()
                    .filter(LeaderElection::isLeader)
                    .findFirst()
                    .orElseThrow();
            all.remove(leader.candidate());
            leader.close();
            assertThat(leader.isLeader()).isFalse();
        }

        assertThat(tokens).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(most).hasValue(1);
        assertThat(leading).hasValue(0);
        assertThat(leases.acquire("role", "after all", LONG)).isPresent();
    }

    @Test
    void itsThreadsAreVirtualAndNamedAfterTheRole() {
        List<Thread> threads = new CopyOnWriteArrayList<>();
        try (LeaderElection ignored = LeaderElection.builder(leases, "role", "A", LONG)
                .onElected(lease -> threads.add(Thread.currentThread()))
                .onLost(() -> threads.add(Thread.currentThread()))
                .start()) {
            Wait.until(() -> threads.size() == 1);
        }

        assertThat(threads).hasSize(2).allSatisfy(thread -> {
            assertThat(thread.isVirtual()).isTrue();
            assertThat(thread.getName()).isEqualTo("heptad-election-role");
        });
    }

    @Test
    void renewsByTheClockOfTheSystem() {
        Store store = new Store(leases);
        LeaderElection a = LeaderElection.builder(store, "role", "A", LONG)
                .every(Duration.ofMillis(5))
                .start();
        Wait.until(() -> store.calls.size() > 10);

        assertThat(store.calls.getFirst()).isEqualTo("acquire");
        assertThat(store.calls.subList(1, 10)).containsOnly("renew");
        assertThat(a.lease()).map(Lease::token).contains(1L);
        a.close();
        assertThat(store.calls)
                .as("at most the renewal in flight comes after it")
                .containsOnlyOnce("release");
    }

    @Test
    void stepsDownInTimeThoughTheCallHangs() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch lost = new CountDownLatch(1);
        Store store = new Store(leases);
        LeaderElection a = LeaderElection.builder(store, "role", "A", SHORT)
                .onElected(lease -> store.before = () -> {
                    try {
                        hanging.await();
                    } catch (InterruptedException stopped) {
                        Thread.currentThread().interrupt();
                    }
                })
                .onLost(lost::countDown)
                .start();
        lost.await();

        assertThat(a.isLeader()).isFalse();
        store.whole();
        hanging.countDown();
        a.close();
    }

    @Test
    void leadsAgainAfterATermThatItLost() {
        List<Long> tokens = new CopyOnWriteArrayList<>();
        try (LeaderElection a = LeaderElection.builder(leases, "role", "A", LONG)
                .every(Duration.ofMillis(2))
                .onElected(lease -> tokens.add(lease.token()))
                .start()) {
            Wait.until(() -> tokens.size() == 1);
            leases.release(a.lease().orElseThrow());
            Wait.until(() -> tokens.size() == 2);
        }

        assertThat(tokens).containsExactly(1L, 2L);
    }

    @Test
    void closeWaitsForOnLostAndForTheRelease() throws Exception {
        CountDownLatch inOnLost = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        LeaderElection a = LeaderElection.builder(leases, "role", "A", LONG)
                .onLost(() -> {
                    inOnLost.countDown();
                    try {
                        leave.await();
                    } catch (InterruptedException stopped) {
                        Thread.currentThread().interrupt();
                    }
                })
                .start();
        Wait.until(a::isLeader);
        Thread closing = Thread.ofVirtual().start(a::close);
        inOnLost.await();

        assertThat(a.isLeader()).isFalse();
        assertThat(a.close(Duration.ofMillis(1))).isFalse();
        assertThat(leases.acquire("role", "B", LONG)).isEmpty();
        assertThat(closing.isAlive()).isTrue();
        leave.countDown();
        closing.join();
        assertThat(leases.acquire("role", "B", LONG)).isPresent();
    }

    @Test
    void anInterruptEndsTheWaitOfCloseAndNotTheClose() throws Exception {
        CountDownLatch leave = new CountDownLatch(1);
        LeaderElection a = LeaderElection.builder(leases, "role", "A", LONG)
                .onLost(() -> {
                    try {
                        leave.await();
                    } catch (InterruptedException stopped) {
                        Thread.currentThread().interrupt();
                    }
                })
                .start();
        Wait.until(a::isLeader);

        Thread.currentThread().interrupt();
        a.close();
        assertThat(Thread.interrupted()).as("the status stays").isTrue();
        assertThat(a.isLeader()).isFalse();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> a.close(LONG)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        leave.countDown();
        assertThat(a.close(LONG)).isTrue();
    }

    @Test
    void anElectionThatWasClosedIsCollected() {
        LeaderElection a = LeaderElection.builder(leases, "role", "A", LONG).start();
        Wait.until(a::isLeader);
        a.close();
        WeakReference<LeaderElection> gone = new WeakReference<>(a);
        a = null;

        Wait.until(() -> {
            System.gc();
            return gone.get() == null;
        });
    }

    @Test
    void recordsWhyALeaderLost(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("election.jfr");
        ManualClock clock = new ManualClock();
        ManualAlarm alarm = new ManualAlarm(clock);
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> {});
        try (Recording recording = new Recording()) {
            recording.enable("io.heptad.LeaseLost");
            recording.start();
            List<LeaderElection> all = new ArrayList<>();
            Store store = new Store(leases);
            for (String role : List.of("refused", "late", "closed")) {
                all.add(LeaderElection.builder(store, role, "A", LONG)
                        .ticker(clock)
                        .alarm(alarm)
                        .start());
            }
            alarm.run();
            leases.release(all.get(0).lease().orElseThrow());
            all.get(2).close(Duration.ZERO);
            alarm.advance(LONG.dividedBy(4));
            store.before = Store.cut("down");
            alarm.advance(LONG);
            recording.stop();
            recording.dump(file);
        }

        assertThat(RecordingFile.readAllEvents(file).stream().map(ElectionThreadsTest::words))
                .contains("refused A renewal refused", "late A not renewed in time")
                .noneMatch(words -> words.startsWith("closed"));
    }

    private static String words(RecordedEvent event) {
        return event.getString("resource") + " " + event.getString("holder") + " " + event.getString("reason");
    }
}

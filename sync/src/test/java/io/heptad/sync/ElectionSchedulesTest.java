package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Seeded;
import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Three candidates in a bad hour: calls that fail before or after their effect, calls that take up to thirty seconds, alarms
 * that come up to a second late, tickers that run two percent fast or slow, elections that are closed and begun anew. A
 * thousand schedules from a thousand seeds, in virtual time.
 */
@Watched
class ElectionSchedulesTest {
    private static final Duration TTL = Duration.ofSeconds(10);

    private int terms;
    private int failedCalls;
    private int lateCalls;

    @Test
    void noTwoEverBelieveAndEachIsToldBeforeItsLeaseEnds() {
        for (int i = 0; i < 1_000; i++) {
            Seeded.run(random -> new Hour(random).run());
        }

        assertThat(terms).as("terms").isGreaterThan(2_000);
        assertThat(failedCalls).as("failed calls").isGreaterThan(2_000);
        assertThat(lateCalls).as("late calls").isGreaterThan(1_000);
    }

    private final class Hour {
        private final SplittableRandom random;
        private final ManualClock clock = new ManualClock();
        private final ManualAlarm alarm = new ManualAlarm(clock);
        private final Leases leases = Leases.inMemory(clock);
        private final Map<Long, Lease> latest = new HashMap<>(); // by token, as the store knows it
        private final List<LeaderElection> candidates = new ArrayList<>();
        private final List<String> faults = new ArrayList<>(); // not thrown: the election would count them as a store's
        private long lastToken;
        private int depth;
        private int names;

        Hour(SplittableRandom random) {
            this.random = random;
        }

        void run() {
            Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> {}); // "down", a thousand times
            for (int i = 0; i < 3; i++) {
                candidates.add(stand());
            }
            for (int step = 0; step < 60; step++) {
                alarm.advance(Duration.ofMillis(random.nextInt(4_000)));
                check();
                if (random.nextInt(20) == 0) {
                    int which = random.nextInt(3);
                    close(candidates.get(which));
                    candidates.set(which, stand());
                }
            }
            for (LeaderElection candidate : candidates) {
                close(candidate);
            }
            alarm.advance(Duration.ofSeconds(40));
            assertThat(faults).isEmpty();
            assertThat(alarm.pending()).isZero();
            assertThat(leases.acquire("role", "after all", TTL)).isPresent();
        }

        private void close(LeaderElection candidate) {
            Thread.currentThread().interrupt(); // it must not wait: nothing else runs in this thread
            candidate.close();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(candidate.isLeader()).isFalse();
        }

        private LeaderElection stand() {
            double speed = 0.98 + random.nextInt(5) * 0.01;
            boolean[] leads = new boolean[1];
            Lease[] its = new Lease[1];
            return LeaderElection.builder(new Flaky(), "role", "candidate-" + names++, TTL)
                    .ticker(() -> (long) (clock.nanosPassed() * speed))
                    .alarm((nanos, then) -> alarm.in(nanos + random.nextInt(1_000) * 1_000_000L, then))
                    .onElected(lease -> {
                        sure(!leads[0], "elected twice");
                        leads[0] = true;
                        its[0] = lease;
                        terms++;
                    })
                    .onLost(() -> {
                        sure(leads[0], "lost, but not elected");
                        leads[0] = false;
                        sure(isLive(its[0].token()), "told after the end of the lease");
                    })
                    .start();
        }

        private void check() {
            List<LeaderElection> leading =
                    candidates.stream().filter(LeaderElection::isLeader).toList();
            sure(leading.size() < 2, "two believe");
            for (LeaderElection leader : leading) {
                leader.lease().ifPresent(lease -> {
                    sure(lease.token() == lastToken, "believes in an old token");
                    sure(isLive(lastToken), "believes in a lease that is over");
                });
            }
        }

        private boolean isLive(long token) {
            return clock.instant().isBefore(latest.get(token).expiresAt());
        }

        private void sure(boolean is, String otherwise) {
            if (!is) {
                faults.add(otherwise + " at " + clock.instant());
            }
        }

        private final class Flaky implements Leases {
            @Override
            public Optional<Lease> acquire(String resource, String holder, Duration ttl) {
                return call(() -> leases.acquire(resource, holder, ttl));
            }

            @Override
            public Optional<Lease> renew(Lease lease, Duration ttl) {
                return call(() -> leases.renew(lease, ttl));
            }

            @Override
            public boolean release(Lease lease) {
                return leases.release(lease);
            }

            private Optional<Lease> call(Supplier<Optional<Lease>> call) {
                slow();
                fail();
                Optional<Lease> answer = call.get();
                answer.ifPresent(lease -> {
                    latest.put(lease.token(), lease);
                    lastToken = Math.max(lastToken, lease.token());
                });
                slow();
                fail();
                return answer;
            }

            private void slow() {
                if (depth < 2 && random.nextInt(12) == 0) {
                    depth++;
                    lateCalls++;
                    alarm.advance(Duration.ofMillis(random.nextInt(30_000)));
                    depth--;
                    if (random.nextBoolean()) {
                        check();
                    }
                }
            }

            private void fail() {
                if (random.nextInt(8) == 0) {
                    failedCalls++;
                    throw new IllegalStateException("down");
                }
            }
        }
    }
}

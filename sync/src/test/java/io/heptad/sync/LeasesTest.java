package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Seeded;
import io.heptad.contract.Watched;
import io.heptad.core.Metric;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Leases in memory. Times are set, never slept. */
@Watched
class LeasesTest {
    private static final Duration TTL = Duration.ofSeconds(10);

    private final ManualClock clock = new ManualClock();
    private final Leases leases = Leases.inMemory(clock);

    private Lease granted(String resource, String holder) {
        return leases.acquire(resource, holder, TTL).orElseThrow();
    }

    private double figure(String name) {
        return leases.metrics().stream()
                .filter(metric -> metric.name().equals("heptad.leases." + name))
                .mapToDouble(metric -> metric.value().getAsDouble())
                .sum();
    }

    // One live holder, up to the end and not beyond

    @Test
    void grantsWhatNobodyHas() {
        assertThat(leases.acquire("r", "A", TTL))
                .contains(new Lease("r", "A", 1, ManualClock.ORIGIN.plus(Duration.ofMillis(10_000))));
    }

    @Test
    void refusesAnotherHolderWhileTheLeaseIsLive() {
        granted("r", "A");
        clock.set(5_000);

        assertThat(leases.acquire("r", "B", TTL)).isEmpty();
        assertThat(figure("refused")).isEqualTo(1);
    }

    @Test
    void freesTheResourceOfAHolderThatDiedAtTheEndAndNotAMillisecondBefore() {
        granted("r", "A");

        clock.set(9_999);
        assertThat(leases.acquire("r", "B", TTL)).isEmpty();
        clock.set(10_000);
        assertThat(leases.acquire("r", "B", TTL)).map(Lease::token).contains(2L);
    }

    @Test
    void endsToTheNanosecond() {
        granted("r", "A");

        clock.advance(TTL.minusNanos(1));
        assertThat(leases.acquire("r", "B", TTL)).isEmpty();
        clock.advance(Duration.ofNanos(1));
        assertThat(leases.acquire("r", "B", TTL)).isPresent();
    }

    @Test
    void givesTheLiveHolderItsOwnLeaseBackAsItIs() {
        Lease first = granted("r", "A");
        clock.set(9_999);

        assertThat(leases.acquire("r", "A", Duration.ofHours(1))).contains(first);
        clock.set(10_000);
        assertThat(leases.acquire("r", "A", TTL)).map(Lease::token).contains(2L);
    }

    @Test
    void keepsResourcesApart() {
        granted("r", "A");

        assertThat(leases.acquire("s", "B", TTL)).map(Lease::holder).contains("B");
    }

    @Test
    void grantsOneOfEightThatAskAtOnce() throws Exception {
        for (int round = 0; round < 200; round++) {
            String resource = "r" + round;
            assertThat(together(8, i -> leases.acquire(resource, "holder-" + i, TTL)))
                    .filteredOn(Optional::isPresent)
                    .hasSize(1);
        }
    }

    // Tokens

    @Test
    void givesEachGrantAHigherTokenWhateverEndedTheOneBefore() {
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            Lease lease = granted("r" + i % 3, "owner-" + i % 5);
            tokens.add(lease.token());
            if (i % 2 == 0) {
                leases.release(lease);
            } else {
                clock.advance(TTL);
            }
        }

        assertThat(tokens).doesNotHaveDuplicates().isSorted().hasSize(1_000);
    }

    @Test
    void goesOnAboveTheTokensOfALifeBefore() {
        Leases reborn = Leases.inMemory("locks", clock, granted("r", "A").token());

        assertThat(reborn.acquire("r", "B", TTL)).map(Lease::token).contains(2L);
    }

    @Test
    void throwsRatherThanStartAgainAfterTheLastToken() {
        Leases last = Leases.inMemory("locks", clock, Long.MAX_VALUE - 1);

        assertThat(last.acquire("r", "A", TTL)).map(Lease::token).contains(Long.MAX_VALUE);
        assertThatThrownBy(() -> last.acquire("s", "A", TTL)).isInstanceOf(ArithmeticException.class);
        Call<Boolean> another = Call.platform(() -> last.acquire("r", "A", TTL).isPresent());
        assertThat(another.outcome()).isEqualTo(true);
    }

    @Test
    void givesRisingTokensToThreadsThatAskAtOnce() throws Exception {
        Map<String, ConcurrentLinkedQueue<Long>> seen = new ConcurrentHashMap<>();
        together(8, i -> {
            for (int n = 0; n < 500; n++) {
                String resource = "r" + n % 4;
                Optional<Lease> lease = leases.acquire(resource, "holder-" + i, TTL);
                if (lease.isPresent()) {
                    seen.computeIfAbsent(resource, key -> new ConcurrentLinkedQueue<>())
                            .add(lease.get().token()); // while it is held, so in the order of the grants
                    leases.release(lease.get());
                }
            }
            return null;
        });

        assertThat(seen)
                .hasSize(4)
                .allSatisfy((resource, tokens) ->
                        assertThat(List.copyOf(tokens)).isSorted().doesNotHaveDuplicates());
    }

    // Renew

    @Test
    void renewsAgainAndAgain() {
        Lease lease = granted("r", "A");
        Instant end = lease.expiresAt();
        for (int i = 1; i <= 10; i++) {
            clock.advance(Duration.ofSeconds(9));
            lease = leases.renew(lease, TTL).orElseThrow();
            assertThat(lease.token()).isEqualTo(1);
            assertThat(lease.expiresAt()).isAfter(end);
            end = lease.expiresAt();
        }

        assertThat(end).isEqualTo(clock.instant().plus(TTL));
        assertThat(leases.acquire("r", "B", TTL)).isEmpty();
    }

    @Test
    void renewsByAnOldCopyBecauseOnlyTheTokenCounts() {
        Lease old = granted("r", "A");
        clock.set(5_000);
        leases.renew(old, TTL);
        clock.set(12_000);

        assertThat(leases.renew(old, TTL))
                .map(Lease::expiresAt)
                .contains(clock.instant().plus(TTL));
    }

    @Test
    void doesNotReviveALeaseThatRanOutEvenIfNobodyHasItNow() {
        Lease lease = granted("r", "A");
        clock.set(10_000);

        assertThat(leases.renew(lease, TTL)).isEmpty();
        assertThat(leases.acquire("r", "B", TTL)).map(Lease::token).contains(2L);
    }

    @Test
    void doesNotReviveALeaseSeenToBeOverIfTheClockStepsBack() {
        Lease lease = granted("r", "A");
        clock.set(10_000);
        assertThat(leases.acquire("other", "B", TTL)).isPresent(); // a look at the clock, for another resource
        clock.set(5_000);

        assertThat(leases.renew(lease, TTL)).isEmpty();
        assertThat(leases.release(lease)).isFalse();
        assertThat(leases.acquire("r", "A", TTL)).map(Lease::token).contains(3L);
    }

    @Test
    void doesNotStealByRenewing() {
        Lease a = granted("r", "A");
        clock.set(10_000);
        Lease b = granted("r", "B");

        assertThat(leases.renew(a, Duration.ofHours(1))).isEmpty();
        assertThat(leases.renew(b, TTL)).contains(b);
    }

    @Test
    void renewsOneLeaseOfAnOwnerAndLeavesItsOthersToTheirEnds() {
        Lease k0 = granted("k0", "A");
        Lease k1 = granted("k1", "A");
        Lease k2 = granted("k2", "B");
        clock.set(6_000);
        leases.renew(k1, TTL);
        clock.set(9_000);
        leases.renew(k2, TTL);
        clock.set(12_000);

        assertThat(leases.renew(k0, TTL)).isEmpty();
        assertThat(leases.renew(k1, TTL)).isPresent();
        assertThat(leases.acquire("k2", "C", TTL)).isEmpty();
    }

    @Test
    void doesNotTakeATokenForAnotherHoldersOrAnotherResources() {
        Lease a = granted("r", "A");

        assertThat(leases.renew(new Lease("r", "B", a.token(), a.expiresAt()), TTL))
                .isEmpty();
        assertThat(leases.renew(new Lease("s", "A", a.token(), a.expiresAt()), TTL))
                .isEmpty();
        assertThat(leases.release(new Lease("r", "B", a.token(), a.expiresAt())))
                .isFalse();
        assertThat(leases.release(new Lease("s", "A", a.token(), a.expiresAt())))
                .isFalse();
        assertThat(leases.release(a)).isTrue();
    }

    // Release

    @Test
    void frees() {
        Lease a = granted("r", "A");

        assertThat(leases.release(a)).isTrue();
        assertThat(leases.release(a)).isFalse();
        assertThat(leases.renew(a, TTL)).isEmpty();
        assertThat(leases.acquire("r", "B", TTL)).map(Lease::token).contains(2L);
    }

    @Test
    void aLateReleaseNeitherFreesNorShortensTheLeaseOfTheNextHolder() {
        Lease a = leases.acquire("r", "A", Duration.ofSeconds(30)).orElseThrow();
        clock.set(31_000);
        Lease b = leases.acquire("r", "B", Duration.ofSeconds(30)).orElseThrow();
        clock.set(40_000);

        assertThat(leases.release(a)).isFalse();
        clock.set(41_000);
        assertThat(leases.acquire("r", "C", TTL)).isEmpty();
        assertThat(leases.acquire("r", "B", TTL)).contains(b);
    }

    @Test
    void anOldGrantOfTheSameHolderDoesNotReleaseItsNewOne() {
        Lease first = granted("r", "A");
        clock.set(10_000);
        Lease second = granted("r", "A");

        assertThat(leases.release(first)).isFalse();
        assertThat(leases.renew(first, TTL)).isEmpty();
        assertThat(leases.release(second)).isTrue();
    }

    // Time

    @Test
    void holdsForEverWhatIsLeasedWithoutLimit() {
        Lease lease =
                leases.acquire("r", "A", Duration.ofSeconds(Long.MAX_VALUE)).orElseThrow();
        clock.advance(Duration.ofDays(100 * 365));

        assertThat(lease.expiresAt()).isEqualTo(Instant.MAX);
        assertThat(leases.acquire("r", "B", TTL)).isEmpty();
        assertThat(leases.renew(lease, TTL).orElseThrow().expiresAt())
                .isEqualTo(clock.instant().plus(TTL));
    }

    @Test
    void runsOnAClockOfItsOwn() {
        Leases own = Leases.inMemory();
        Instant before = Instant.now();

        Lease lease = own.acquire("r", "A", Duration.ofDays(1)).orElseThrow();

        assertThat(Duration.between(before, lease.expiresAt())).isBetween(Duration.ofHours(23), Duration.ofHours(25));
        assertThat(own.acquire("r", "B", TTL)).isEmpty();
        assertThat(own.acquire("s", "B", Duration.ofNanos(1))).isPresent();
        Wait.until(() -> own.acquire("s", "C", Duration.ofNanos(1)).isPresent());
    }

    @Test
    void readsTheClockUnderNoLock() throws Exception {
        ManualClock time = new ManualClock();
        Leases[] asked = new Leases[1];
        InstantSource clock = () -> {
            if (Thread.currentThread().getName().equals("asks")) {
                Thread other = Thread.ofVirtual().start(() -> asked[0].acquire("s", "B", TTL));
                try {
                    other.join();
                } catch (InterruptedException hung) {
                    throw new AssertionError("asked under a lock", hung);
                }
            }
            return time.instant();
        };
        asked[0] = Leases.inMemory(clock);
        Thread asks = Thread.ofPlatform().name("asks").start(() -> {
            Lease lease = asked[0].acquire("r", "A", TTL).orElseThrow();
            asked[0].renew(lease, TTL);
            asked[0].release(lease);
        });
        asks.join();

        assertThat(asked[0].acquire("s", "C", TTL)).isEmpty();
        assertThat(asked[0].acquire("r", "C", TTL)).isPresent();
    }

    @Test
    void aClockThatThrowsChangesNothing() {
        boolean[] broken = new boolean[1];
        Leases fragile = Leases.inMemory(() -> {
            if (broken[0]) {
                throw new IllegalStateException("no time");
            }
            return clock.instant();
        });
        Lease lease = fragile.acquire("r", "A", TTL).orElseThrow();
        broken[0] = true;

        assertThatThrownBy(() -> fragile.acquire("s", "B", TTL)).hasMessage("no time");
        assertThatThrownBy(() -> fragile.renew(lease, TTL)).hasMessage("no time");
        assertThatThrownBy(() -> fragile.release(lease)).hasMessage("no time");
        broken[0] = false;
        assertThat(fragile.acquire("s", "C", TTL)).map(Lease::token).contains(2L);
        assertThat(fragile.release(lease)).isTrue();
    }

    // What is kept

    @Test
    void keepsNothingForResourcesThatNobodyHas() {
        for (int i = 0; i < 10_000; i++) {
            leases.acquire("r" + i, "A", TTL);
        }
        assertThat(figure("held")).isEqualTo(10_000);
        clock.advance(TTL);
        leases.acquire("one", "A", TTL);
        for (int i = 0; i < 10_000; i++) {
            leases.release(leases.acquire("s" + i, "A", TTL).orElseThrow());
        }

        assertThat(figure("held")).isEqualTo(1);
        assertThat(leases).hasToString("Leases leases: 1 held");
    }

    @Test
    void countsWhatItDoes() {
        Lease a = granted("r", "A");
        leases.acquire("r", "A", TTL);
        leases.acquire("r", "B", TTL);
        leases.renew(a, TTL);
        leases.release(a);
        leases.release(a);
        granted("r", "B");
        clock.advance(TTL);
        granted("r", "C");

        assertThat(leases.name()).isEqualTo("leases");
        assertThat(leases.metrics()).allSatisfy(metric -> {
            assertThat(metric.tags()).containsExactly(Map.entry("name", "leases"));
            assertThat(metric.description()).isNotBlank();
        });
        Map<String, Double> figures = leases.metrics().stream()
                .collect(Collectors.toMap(Metric::name, metric -> metric.value().getAsDouble()));
        assertThat(figures)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "heptad.leases.held", 1.0,
                        "heptad.leases.granted", 3.0,
                        "heptad.leases.refused", 1.0,
                        "heptad.leases.renewed", 1.0,
                        "heptad.leases.released", 1.0,
                        "heptad.leases.expired", 1.0));
    }

    @Test
    void leasesOfYourOwnNeedNoName() {
        Leases own = new Leases() {
            @Override
            public Optional<Lease> acquire(String resource, String holder, Duration ttl) {
                return Optional.empty();
            }

            @Override
            public Optional<Lease> renew(Lease lease, Duration ttl) {
                return Optional.empty();
            }

            @Override
            public boolean release(Lease lease) {
                return false;
            }
        };

        assertThat(own.name()).isEqualTo("leases");
        assertThat(own.metrics()).isEmpty();
    }

    // Bad input

    @Test
    void refusesNullsByName() {
        Lease a = granted("r", "A");

        refusesNull("resource", () -> leases.acquire(null, "A", TTL));
        refusesNull("holder", () -> leases.acquire("r", null, TTL));
        refusesNull("ttl", () -> leases.acquire("r", "A", null));
        refusesNull("lease", () -> leases.renew(null, TTL));
        refusesNull("ttl", () -> leases.renew(a, null));
        refusesNull("lease", () -> leases.release(null));
        refusesNull("clock", () -> Leases.inMemory(null));
        refusesNull("name", () -> Leases.inMemory(null, clock, 0));
        refusesNull("resource", () -> new Lease(null, "A", 1, Instant.MAX));
        refusesNull("holder", () -> new Lease("r", null, 1, Instant.MAX));
        refusesNull("expiresAt", () -> new Lease("r", "A", 1, null));
    }

    @Test
    void refusesWhatCannotBeByNameAndValue() {
        Lease a = granted("r", "A");

        for (Duration ttl : List.of(Duration.ZERO, Duration.ofNanos(-1))) {
            refuses("ttl must be above zero, but is " + ttl, () -> leases.acquire("s", "A", ttl));
            refuses("ttl must be above zero, but is " + ttl, () -> leases.renew(a, ttl));
        }
        refuses("resource must not be blank, but is \" \"", () -> leases.acquire(" ", "A", TTL));
        refuses("holder must not be blank, but is \"\"", () -> leases.acquire("s", "", TTL));
        refuses("name must not be blank, but is \"\"", () -> Leases.inMemory("", clock, 0));
        refuses("lastToken must be zero or more, but is -1", () -> Leases.inMemory("n", clock, -1));
        assertThat(leases.acquire("s", "B", TTL)).map(Lease::token).contains(2L);
    }

    // All of it, against a model

    @Test
    void doesWhatTheRulesSayInAnyOrder() {
        for (int run = 0; run < 50; run++) {
            Seeded.run(random -> {
                ManualClock time = new ManualClock();
                Leases real = Leases.inMemory(time);
                Map<String, Lease> live = new HashMap<>(); // every grant that has not been released, over or not
                List<Lease> known = new ArrayList<>();
                long lastToken = 0;
                for (int step = 0; step < 400; step++) {
                    time.advance(Duration.ofMillis(random.nextInt(4) * random.nextInt(800)));
                    String resource = "r" + random.nextInt(3);
                    String holder = "h" + random.nextInt(3);
                    Duration ttl = Duration.ofMillis(1 + random.nextInt(2_000));
                    live.values().removeIf(lease -> !time.instant().isBefore(lease.expiresAt()));
                    Lease had = live.get(resource);
                    Lease any = known.isEmpty() ? null : known.get(random.nextInt(known.size()));
                    Lease its = any == null ? null : live.get(any.resource());
                    boolean current = its != null && its.token() == any.token();
                    switch (random.nextInt(3)) {
                        case 0 -> {
                            Optional<Lease> answer = real.acquire(resource, holder, ttl);
                            if (had == null) {
                                Lease granted = new Lease(
                                        resource,
                                        holder,
                                        ++lastToken,
                                        time.instant().plus(ttl));
                                assertThat(answer).contains(granted);
                                live.put(resource, granted);
                                known.add(granted);
                            } else {
                                assertThat(answer)
                                        .isEqualTo(Optional.of(had)
                                                .filter(lease -> lease.holder().equals(holder)));
                            }
                        }
                        case 1 -> {
                            if (any != null) {
                                Optional<Lease> answer = real.renew(any, ttl);
                                assertThat(answer.isPresent()).isEqualTo(current);
                                answer.ifPresent(lease -> live.put(lease.resource(), lease));
                            }
                        }
                        default -> {
                            if (any != null) {
                                assertThat(real.release(any)).isEqualTo(current);
                                if (current) {
                                    live.remove(any.resource());
                                }
                            }
                        }
                    }
                }
            });
        }
    }

    private static void refusesNull(String parameter, Callable<?> call) {
        assertThatNullPointerException().isThrownBy(call::call).withMessage(parameter);
    }

    private static void refuses(String message, Callable<?> call) {
        assertThatIllegalArgumentException().isThrownBy(call::call).withMessage(message);
    }

    private interface Numbered<T> {
        T call(int number) throws Exception;
    }

    private static <T> List<T> together(int threads, Numbered<T> body) throws Exception {
        CyclicBarrier start = new CyclicBarrier(threads);
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Callable<T>> calls = IntStream.range(0, threads)
                    .<Callable<T>>mapToObj(i -> () -> {
                        start.await();
                        return body.call(i);
                    })
                    .toList();
            List<T> results = new ArrayList<>();
            for (Future<T> future : executor.invokeAll(calls)) {
                results.add(future.get());
            }
            return results;
        }
    }
}

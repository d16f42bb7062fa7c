package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.heptad.contract.Watched;
import io.heptad.core.Metric;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * One candidate and its leases, on a clock that only the test moves. A lease lasts ten seconds; it is renewed every two and a
 * half, and believed for seven and a half. Everything runs in the thread of the test.
 */
@Watched
class LeaderElectionTest {
    private static final Duration TTL = Duration.ofSeconds(10);

    private final ManualClock clock = new ManualClock();
    private final ManualAlarm alarm = new ManualAlarm(clock);
    private final Leases leases = Leases.inMemory(clock);
    private final Store store = new Store(leases);
    private final List<String> told = new ArrayList<>();
    private final List<Throwable> reported = new ArrayList<>();
    private Runnable inOnElected = () -> {};
    private Runnable inOnLost = () -> {};

    private Thread.UncaughtExceptionHandler handler = (thread, thrown) -> reported.add(thrown);

    private LeaderElection.Builder candidate(String name, Leases leases) {
        Thread.currentThread()
                .setUncaughtExceptionHandler((thread, thrown) -> handler.uncaughtException(thread, thrown));
        return LeaderElection.builder(leases, "role", name, TTL).ticker(clock).alarm(alarm);
    }

    private LeaderElection.Builder candidate(String name) {
        return candidate(name, store)
                .onElected(lease -> {
                    told.add(name + " elected " + lease.token());
                    inOnElected.run();
                })
                .onLost(() -> {
                    told.add(name + " lost");
                    inOnLost.run();
                });
    }

    private LeaderElection leading(String name) {
        LeaderElection election = candidate(name).start();
        alarm.run();
        assertThat(election.isLeader()).isTrue();
        return election;
    }

    private void seconds(double seconds) {
        alarm.advance(Duration.ofMillis((long) (seconds * 1_000)));
    }

    private boolean isFree() {
        Optional<Lease> lease = leases.acquire("role", "somebody", Duration.ofNanos(1));
        lease.ifPresent(leases::release);
        return lease.isPresent();
    }

    // Leading

    @Test
    void electsTheFirstAndNotTheSecond() {
        LeaderElection a = candidate("A").start();
        LeaderElection b = candidate("B").start();
        assertThat(a.isLeader()).isFalse();
        alarm.run();

        assertThat(a.isLeader()).isTrue();
        assertThat(a.lease()).map(Lease::holder).contains("A");
        assertThat(b.isLeader()).isFalse();
        assertThat(b.lease()).isEmpty();
        assertThat(told).containsExactly("A elected 1");
    }

    @Test
    void leadsForAsLongAsItRenews() {
        LeaderElection a = leading("A");
        candidate("B").start();
        for (int i = 0; i < 100; i++) {
            seconds(5);
            assertThat(a.isLeader()).isTrue();
        }

        assertThat(told).containsExactly("A elected 1");
        assertThat(a.lease().orElseThrow().expiresAt()).isAfter(clock.instant());
        assertThat(store.calls.stream().filter("renew"::equals)).hasSizeBetween(200, 202);
    }

    @Test
    void anotherLeadsWhenItHasDied() {
        ManualAlarm itsOwn = new ManualAlarm(clock);
        LeaderElection a = candidate("A").alarm(itsOwn).start();
        itsOwn.run();
        LeaderElection b = candidate("B").start();

        seconds(9.9); // nothing of A runs any more
        assertThat(b.isLeader()).isFalse();
        seconds(2.6);
        assertThat(b.isLeader()).isTrue();
        assertThat(b.lease()).map(Lease::token).contains(2L);
        assertThat(a.isLeader()).as("by its own clock").isFalse();
    }

    // The leases fail

    @Test
    void triesAgainWhileThereIsTime() {
        LeaderElection a = leading("A");
        store.before = Store.cut("down");
        seconds(7.4);
        assertThat(a.isLeader()).isTrue();
        int calls = store.calls.size();
        store.whole();
        seconds(0);

        // 2.5 s after the start of the last good call, then every 0.625 s: 2.5, 3.125 … 6.875
        assertThat(calls - 2).isEqualTo(8);
        seconds(60);
        assertThat(told)
                .as("7.5 s is the next call, and the end")
                .containsExactly("A elected 1", "A lost", "A elected 2");
    }

    @Test
    void staysLeaderThroughAShortOutage() {
        LeaderElection a = leading("A");
        store.before = Store.cut("down");
        seconds(6);
        store.whole();
        seconds(60);

        assertThat(a.isLeader()).isTrue();
        assertThat(told).containsExactly("A elected 1");
    }

    @Test
    void stepsDownBeforeTheLeaseRunsOutWhenTheStoreIsDown() {
        LeaderElection a = leading("A");
        store.before = Store.cut("down");
        List<Boolean> freeWhenLost = new ArrayList<>();
        inOnLost = () -> freeWhenLost.add(isFree());

        seconds(7.499);
        assertThat(a.isLeader()).isTrue();
        assertThat(told).containsExactly("A elected 1");
        seconds(0.001);
        assertThat(a.isLeader()).isFalse();
        assertThat(a.lease()).isEmpty();
        assertThat(told).containsExactly("A elected 1", "A lost");
        assertThat(freeWhenLost).as("still leased to it, for another 2.5 s").containsExactly(false);
    }

    @Test
    void standsAgainWhenTheStoreIsBack() {
        LeaderElection a = leading("A");
        store.before = Store.cut("down");
        seconds(60);
        store.whole();
        seconds(0.625);

        assertThat(a.isLeader()).isTrue();
        assertThat(told).containsExactly("A elected 1", "A lost", "A elected 2");
    }

    @Test
    void stepsDownWhileACallHangs() {
        LeaderElection a = leading("A");
        List<String> during = new ArrayList<>();
        store.before = () -> {
            store.whole();
            seconds(30); // the renewal hangs
            during.addAll(told);
        };
        seconds(2.5);

        assertThat(during).containsExactly("A elected 1", "A lost");
        assertThat(a.isLeader()).isFalse();
        seconds(2.5);
        assertThat(told).containsExactly("A elected 1", "A lost", "A elected 2");
    }

    @Test
    void doesNotResumeATermThatItHasDeniedWhenALateRenewalSucceeds() {
        LeaderElection a = leading("A");
        List<Boolean> asked = new ArrayList<>();
        store.after = () -> {
            store.whole();
            clock.advance(Duration.ofSeconds(6)); // no alarm goes off: only a reader notices
            asked.add(a.isLeader());
        };
        seconds(2.5);

        assertThat(asked).containsExactly(false);
        assertThat(a.isLeader()).as("no stays no").isFalse();
        alarm.run();
        assertThat(told).containsExactly("A elected 1", "A lost");
        seconds(2.5);
        assertThat(told).containsExactly("A elected 1", "A lost", "A elected 1");
    }

    @Test
    void goesOnWhenALateRenewalSucceedsBeforeAnybodyHasAsked() {
        LeaderElection a = leading("A");
        store.before = () -> {
            store.whole();
            clock.advance(Duration.ofSeconds(6)); // 8.5 s after the last good call; the lease itself lasts 10
        };
        seconds(2.5);

        assertThat(a.isLeader()).isTrue();
        seconds(60);
        assertThat(told).containsExactly("A elected 1");
    }

    @Test
    void countsItsTimeFromBeforeTheCall() {
        LeaderElection a = candidate("A").start();
        store.after = () -> clock.advance(Duration.ofSeconds(4)); // each answer comes four seconds late
        alarm.run(); // acquire at 0, renew at 4, home at 8
        store.before = Store.cut("down");
        seconds(3.499);

        assertThat(a.isLeader()).isTrue();
        seconds(0.001); // 7.5 s after the renewal began
        assertThat(a.isLeader()).isFalse();
    }

    @Test
    void isNotElectedByAnAnswerThatTookLongerThanItProves() {
        LeaderElection a = candidate("A").start();
        store.after = () -> clock.advance(Duration.ofSeconds(8));
        alarm.run();

        assertThat(a.isLeader()).isFalse();
        alarm.run();
        assertThat(told).isEmpty();
        assertThat(figures(a)).containsEntry("heptad.election.elected", 0.0);
    }

    @Test
    void isNotElectedByAGrantThatRunsOutBeforeItIsRenewed() {
        LeaderElection a = candidate("A").start();
        store.after = () -> {
            store.whole();
            clock.advance(TTL); // the grant comes home at its end
        };
        alarm.run();

        assertThat(store.calls).containsExactly("acquire", "renew");
        assertThat(a.isLeader()).isFalse();
        assertThat(reported).isEmpty();
        seconds(2.5);
        assertThat(told).containsExactly("A elected 2");
    }

    @Test
    void callsStartAsOftenAsSaidHoweverLongTheyTake() {
        LeaderElection a = leading("A");
        store.before = () -> seconds(2); // each call takes two seconds of the two and a half
        seconds(100);

        assertThat(a.isLeader()).isTrue();
        assertThat(told).containsExactly("A elected 1");
        assertThat(store.calls).hasSizeBetween(38, 44);
    }

    @Test
    void stepsDownAtOnceWhenTheRenewalIsRefused() {
        LeaderElection a = leading("A");
        leases.release(a.lease().orElseThrow());
        leases.acquire("role", "B", TTL);
        seconds(2.5);

        assertThat(a.isLeader()).isFalse();
        assertThat(told).containsExactly("A elected 1", "A lost");
        seconds(7.4);
        assertThat(told).as("as soon as it is free").hasSize(2);
        seconds(0.1);
        assertThat(told).containsExactly("A elected 1", "A lost", "A elected 3");
    }

    @Test
    void findsAGrantAgainWhoseAnswerWasLost() {
        store.after = Store.cut("cut off");
        LeaderElection a = candidate("A").start();
        alarm.run();
        assertThat(a.isLeader()).isFalse();
        assertThat(isFree()).isFalse();
        store.whole();
        seconds(0.625);

        assertThat(told).containsExactly("A elected 1");
    }

    @Test
    void aGrantWhoseAnswerWasLostRunsOutWhenNobodyComesBackForIt() {
        store.after = Store.cut("cut off");
        LeaderElection a = candidate("A").start();
        alarm.run();
        a.close();
        seconds(9.9);
        assertThat(isFree()).isFalse();
        seconds(0.1);

        assertThat(isFree()).isTrue();
        assertThat(alarm.pending()).isZero();
    }

    /** Its own lease, from a life before, may be about to end: only a renewal says that there is time. */
    @Test
    void doesNotBelieveALeaseOfALifeBeforeUntilItIsRenewed() {
        leases.acquire("role", "A", TTL);
        clock.set(8_000);
        store.before = () -> {
            if (store.calls.getLast().equals("renew")) {
                throw new IllegalStateException("down");
            }
        };
        LeaderElection reborn = candidate("A").start();
        alarm.run();
        assertThat(store.calls).containsExactly("acquire", "renew");
        assertThat(reborn.isLeader()).isFalse();
        store.whole();
        seconds(0.625);

        assertThat(reborn.isLeader()).isTrue();
        assertThat(told).containsExactly("A elected 1");
    }

    @Test
    void theFailureOfOneDoesNotEndTheTermOfAnother() {
        LeaderElection a = leading("A");
        Store down = new Store(leases);
        LeaderElection b = LeaderElection.builder(down, "another role", "A", TTL)
                .ticker(clock)
                .alarm(alarm)
                .start();
        alarm.run();
        down.before = Store.cut("down");
        seconds(20);

        assertThat(b.isLeader()).isFalse();
        assertThat(a.isLeader()).isTrue();
    }

    @Test
    void reportsTheFirstFailureOfARowAndCountsAll() {
        LeaderElection a = leading("A");
        store.before = Store.cut("first night");
        seconds(5);
        store.whole();
        seconds(5);
        store.before = Store.cut("second night");
        seconds(5);

        assertThat(reported).extracting(Throwable::getMessage).containsExactly("first night", "second night");
        assertThat(figures(a).get("heptad.election.failures")).isGreaterThan(6);
    }

    // Clocks

    @Test
    void believesItsOwnTickerAndNoTimeOfDay() {
        Instant never = Instant.MAX;
        Leases boasting = new Leases() {
            @Override
            public Optional<Lease> acquire(String resource, String holder, Duration ttl) {
                return store.acquire(resource, holder, ttl).map(this::tilTheEndOfTime);
            }

            @Override
            public Optional<Lease> renew(Lease lease, Duration ttl) {
                return store.renew(lease, ttl).map(this::tilTheEndOfTime);
            }

            @Override
            public boolean release(Lease lease) {
                return store.release(lease);
            }

            private Lease tilTheEndOfTime(Lease lease) {
                return new Lease(lease.resource(), lease.holder(), lease.token(), never);
            }
        };
        LeaderElection a = candidate("A", boasting).start();
        alarm.run();
        assertThat(a.lease()).map(Lease::expiresAt).contains(never);
        store.before = Store.cut("down");
        seconds(7.5);

        assertThat(a.isLeader()).isFalse();
    }

    @Test
    void aClockThatIsSetBackAtTheLeasesMakesNobodyBelieveForLonger() {
        ManualClock wall = new ManualClock();
        Store elsewhere = new Store(Leases.inMemory(wall));
        LeaderElection a = candidate("A", elsewhere).start();
        alarm.run();
        wall.set(-3_600_000);
        elsewhere.before = Store.cut("down");
        seconds(7.5);

        assertThat(a.isLeader()).isFalse();
        assertThat(elsewhere.calls).hasSizeGreaterThan(2);
    }

    /** Nothing that a candidate can measure tells it; so the token has to. */
    @Test
    void whenTheClockOfTheLeasesJumpsForwardTheTokenRefusesTheOneWhoStillBelieves() {
        ManualClock wall = new ManualClock();
        Leases elsewhere = Leases.inMemory(wall);
        Fenced<String> value = Fenced.of("");
        LeaderElection a = candidate("A", elsewhere).start();
        alarm.run();
        wall.set(3_600_000);
        Lease b = elsewhere.acquire("role", "B", TTL).orElseThrow();

        assertThat(a.isLeader()).as("two believe, until the next renewal").isTrue();
        assertThat(value.write(b.token(), "B's")).isTrue();
        assertThat(value.write(a.lease().orElseThrow().token(), "A's")).isFalse();
        seconds(2.5);
        assertThat(a.isLeader()).isFalse();
    }

    @Test
    void theTokenRefusesALeaderThatWasStoppedAfterItsLastLook() {
        Fenced<String> value = Fenced.of("");
        ManualAlarm itsOwn = new ManualAlarm(clock);
        LeaderElection a = candidate("A").alarm(itsOwn).start();
        itsOwn.run();
        LeaderElection b = candidate("B").start();

        assertThat(a.isLeader()).isTrue();
        Lease old = a.lease().orElseThrow();
        seconds(90); // A is stopped, and B is not
        assertThat(value.write(b.lease().orElseThrow().token(), "B's")).isTrue();
        assertThat(value.write(old.token(), "A's")).isFalse();
        assertThat(a.isLeader()).isFalse();
    }

    @Test
    void aTickerThatFailsEndsTheTerm() {
        boolean[] broken = new boolean[1];
        LeaderElection a = candidate("A")
                .ticker(() -> {
                    if (broken[0]) {
                        throw new IllegalStateException("no time");
                    }
                    return clock.nanos();
                })
                .start();
        alarm.run();
        broken[0] = true;
        assertThat(a.toString()).isEqualTo("LeaderElection of role: A does not lead");
        seconds(7.5);

        assertThat(told).containsExactly("A elected 1", "A lost");
        assertThat(reported)
                .as("the first call of a row, and the watch")
                .extracting(Throwable::getMessage)
                .containsExactly("no time", "no time");
        assertThat(a.isLeader()).isFalse();
        broken[0] = false;
        seconds(2.5);
        assertThat(a.isLeader()).isTrue();
    }

    // Callbacks

    @Test
    void onLostWaitsForAnOnElectedThatIsStillRunning() {
        inOnElected = () -> {
            store.before = Store.cut("down");
            seconds(20);
            told.add("A has started");
        };
        LeaderElection a = candidate("A").start();
        alarm.run();

        assertThat(a.isLeader()).isFalse();
        assertThat(told).containsExactly("A elected 1", "A has started", "A lost");
    }

    @Test
    void doesNotStandAgainBeforeOnLostHasReturned() {
        LeaderElection a = leading("A");
        store.before = Store.cut("down");
        inOnLost = () -> {
            inOnLost = () -> {};
            store.whole();
            store.calls.clear();
            seconds(60);
            assertThat(store.calls).isEmpty();
            told.add("A has stopped");
        };
        seconds(7.5);
        assertThat(told).containsExactly("A elected 1", "A lost", "A has stopped");
        seconds(2.5);

        assertThat(told).last().isEqualTo("A elected 2");
        assertThat(a.isLeader()).isTrue();
    }

    @Test
    void tellsNobodyOfATermThatIsOverBeforeItWasTold() {
        LeaderElection a = candidate("A").start();
        store.after = () -> {
            if (store.calls.size() == 2) {
                clock.advance(Duration.ofSeconds(7));
            }
        };
        alarm.in(0, () -> clock.advance(Duration.ofSeconds(1))); // after the attempt, before the callback
        alarm.in(0, a::isLeader);
        alarm.run();

        assertThat(told).isEmpty();
        assertThat(figures(a)).containsEntry("heptad.election.elected", 1.0).containsEntry("heptad.election.lost", 1.0);
        seconds(2.5);
        assertThat(told).as("once its lease was over").containsExactly("A elected 2");
    }

    @Test
    void aCallbackThatThrowsIsCountedAndReportedAndTheTermGoesOn() {
        inOnElected = () -> {
            throw new IllegalStateException("elected");
        };
        inOnLost = () -> {
            throw new AssertionError("lost");
        };
        LeaderElection a = leading("A");
        assertThat(a.isLeader()).isTrue();
        store.before = Store.cut("down");
        seconds(7.5);
        store.whole();
        inOnElected = () -> {};
        seconds(2.5);

        assertThat(a.isLeader()).isTrue();
        assertThat(told).containsExactly("A elected 1", "A lost", "A elected 2");
        assertThat(reported).extracting(Throwable::getMessage).containsExactly("elected", "down", "lost");
        assertThat(figures(a)).containsEntry("heptad.election.callback.failures", 2.0);
    }

    @Test
    void aHandlerThatThrowsEndsNothing() {
        handler = (thread, thrown) -> {
            throw new IllegalStateException("from the handler");
        };
        inOnElected = Store.cut("elected");
        LeaderElection a = leading("A");
        store.before = Store.cut("down");
        seconds(20);
        store.whole();
        seconds(2.5);

        assertThat(a.isLeader()).isTrue();
    }

    @Test
    void anInterruptThatACallbackLeavesBehindChangesNothing() {
        inOnElected = () -> Thread.currentThread().interrupt();
        inOnLost = () -> Thread.currentThread().interrupt();
        LeaderElection a = leading("A");
        assertThat(Thread.interrupted()).isFalse();
        leases.release(a.lease().orElseThrow());
        seconds(2.5);
        assertThat(Thread.interrupted()).isFalse();
        seconds(2.5);

        assertThat(told).containsExactly("A elected 1", "A lost", "A elected 2");
        assertThat(a.isLeader()).isTrue();
    }

    // Close

    /** It must not wait for itself: the watchdog is less patient. */
    private static void closeInside(LeaderElection election) {
        try {
            assertThat(election.close(Duration.ofMinutes(1))).isFalse();
        } catch (InterruptedException hung) {
            throw new AssertionError("waits for itself", hung);
        }
    }

    @Test
    void givesTheLeaseBackOnceOnLostHasReturned() throws Exception {
        LeaderElection a = leading("A");
        List<Boolean> freeWhenLost = new ArrayList<>();
        inOnLost = () -> freeWhenLost.add(isFree());
        assertThat(a.close(Duration.ZERO)).isFalse();
        assertThat(a.isLeader()).isFalse();
        alarm.run();

        assertThat(told).containsExactly("A elected 1", "A lost");
        assertThat(freeWhenLost).containsExactly(false);
        assertThat(isFree()).isTrue();
        assertThat(a.close(Duration.ZERO)).isTrue();
        a.close();
        assertThat(alarm.pending()).isZero();
        assertThat(figures(a)).containsEntry("heptad.election.lost", 0.0);
    }

    @Test
    void closesWhileItStands() throws Exception {
        leading("A");
        LeaderElection b = candidate("B").start();
        alarm.run();
        int calls = store.calls.size();

        assertThat(b.close(Duration.ZERO)).isTrue();
        seconds(10);
        assertThat(store.calls.subList(calls, store.calls.size()))
                .as("those of A")
                .hasSize(4)
                .containsOnly("renew");
    }

    @Test
    void closesBeforeItHasAsked() throws Exception {
        LeaderElection a = candidate("A").start();

        assertThat(a.close(Duration.ZERO)).isTrue();
        seconds(60);
        assertThat(store.calls).isEmpty();
        assertThat(isFree()).isTrue();
    }

    @Test
    void givesBackWhatWasGrantedWhileItClosed() throws Exception {
        LeaderElection a = candidate("A").start();
        store.after = () -> {
            store.whole();
            closeInside(a);
        };
        alarm.run();

        assertThat(a.isLeader()).isFalse();
        assertThat(told).isEmpty();
        assertThat(isFree()).isTrue();
        assertThat(a.close(Duration.ZERO)).isTrue();
    }

    @Test
    void givesNothingBackWhereItWasRefusedWhileItClosed() throws Exception {
        leading("A");
        LeaderElection b = candidate("B").start();
        store.after = () -> {
            store.whole();
            closeInside(b);
        };
        alarm.run();

        assertThat(store.calls).containsExactly("acquire", "renew", "acquire");
        assertThat(reported).isEmpty();
        assertThat(b.close(Duration.ZERO)).isTrue();
    }

    @Test
    void closesFromInsideItsOwnCallbacks() throws Exception {
        LeaderElection[] a = new LeaderElection[1];
        inOnElected = () -> closeInside(a[0]);
        inOnLost = () -> closeInside(a[0]);
        a[0] = candidate("A").start();
        alarm.run();

        assertThat(told).containsExactly("A elected 1", "A lost");
        assertThat(isFree()).isTrue();
        assertThat(a[0].close(Duration.ZERO)).isTrue();
    }

    @Test
    void closesFromInsideTheReleaseOfItsLease() throws Exception {
        LeaderElection a = leading("A");
        assertThat(a.close(Duration.ZERO)).isFalse();
        store.before = () -> closeInside(a);
        alarm.run();

        assertThat(a.close(Duration.ZERO)).isTrue();
    }

    @Test
    void closesWhileOnLostOfALostTermIsStillToCome() throws Exception {
        LeaderElection a = leading("A");
        clock.advance(Duration.ofSeconds(8));
        assertThat(a.isLeader()).isFalse();
        assertThat(a.close(Duration.ZERO)).isFalse();
        alarm.run();

        assertThat(told).containsExactly("A elected 1", "A lost");
        assertThat(a.close(Duration.ZERO)).isTrue();
        assertThat(isFree()).isTrue();
    }

    @Test
    void leavesTheLeaseToItsEndWhenTheStoreIsDownAtTheClose() throws Exception {
        LeaderElection a = leading("A");
        store.before = Store.cut("down");
        assertThat(a.close(Duration.ZERO)).isFalse();
        alarm.run();

        assertThat(a.close(Duration.ZERO)).isTrue();
        assertThat(isFree()).isFalse();
        seconds(10);
        assertThat(isFree()).isTrue();
        assertThat(figures(a)).containsEntry("heptad.election.failures", 1.0);
    }

    @Test
    void aRenewalThatComesHomeAfterTheCloseRevivesNothing() throws Exception {
        LeaderElection a = leading("A");
        store.before = () -> {
            store.whole();
            a.close();
            alarm.run(); // onLost and the release, while the renewal hangs
        };
        seconds(2.5);

        assertThat(isFree()).isTrue();
        assertThat(a.isLeader()).isFalse();
        assertThat(told).containsExactly("A elected 1", "A lost");
        assertThat(a.close(Duration.ZERO)).isTrue();
    }

    @Test
    void leavesNoAlarmBehindWhenATermEnds() {
        LeaderElection a = leading("A");
        assertThat(alarm.pending()).as("the next call and the watch").isEqualTo(2);
        leases.release(a.lease().orElseThrow());
        leases.acquire("role", "B", TTL);
        seconds(2.5);

        assertThat(alarm.pending()).as("the next call").isEqualTo(1);
    }

    /** A reader ends the term while the alarm of the next call is still set. */
    @Test
    void oneAlarmTakesThePlaceOfTheOther() {
        ManualClock ahead = new ManualClock();
        LeaderElection a = candidate("A").ticker(ahead).start();
        alarm.run();
        ahead.advance(Duration.ofSeconds(8));
        assertThat(a.isLeader()).isFalse();
        seconds(1);

        assertThat(told).containsExactly("A elected 1", "A lost");
        assertThat(alarm.pending()).isEqualTo(1);
    }

    @Test
    void anAlarmThatWentOffBeforeItWasTakenBackAsksNothing() {
        ManualClock ahead = new ManualClock();
        LeaderElection a = candidate("A")
                .ticker(ahead)
                .alarm((nanos, then) -> {
                    alarm.in(nanos, then);
                    return () -> {}; // too late
                })
                .start();
        alarm.run();
        ahead.advance(Duration.ofSeconds(8));
        assertThat(a.isLeader()).isFalse();
        seconds(1);
        store.calls.clear();
        seconds(100);

        assertThat(store.calls).hasSizeBetween(38, 44);
        assertThat(told).containsExactly("A elected 1", "A lost", "A elected 1");
    }

    // What is seen

    @Test
    void showsHowLongItLeads() {
        LeaderElection a = candidate("A").start();
        assertThat(figures(a)).containsEntry("heptad.election.leading", 0.0).containsEntry("heptad.election.left", 0.0);
        alarm.run();
        clock.advance(Duration.ofSeconds(2));

        assertThat(figures(a))
                .containsOnly(
                        Map.entry("heptad.election.leading", 1.0),
                        Map.entry("heptad.election.left", 5.5),
                        Map.entry("heptad.election.elected", 1.0),
                        Map.entry("heptad.election.lost", 0.0),
                        Map.entry("heptad.election.failures", 0.0),
                        Map.entry("heptad.election.callback.failures", 0.0));
        assertThat(a.name()).isEqualTo("role");
        assertThat(a.candidate()).isEqualTo("A");
        assertThat(a).hasToString("LeaderElection of role: A leads");
        assertThat(a.metrics())
                .allSatisfy(metric ->
                        assertThat(metric.tags()).containsOnly(Map.entry("name", "role"), Map.entry("candidate", "A")));
        clock.advance(Duration.ofSeconds(60));
        assertThat(figures(a)).containsEntry("heptad.election.leading", 0.0).containsEntry("heptad.election.left", 0.0);
        assertThat(figures(a)).as("reading ends no term").containsEntry("heptad.election.lost", 0.0);
    }

    private static Map<String, Double> figures(LeaderElection election) {
        return election.metrics().stream()
                .collect(Collectors.toMap(Metric::name, metric -> metric.value().getAsDouble()));
    }

    // Bad input

    @Test
    void refusesNullsByName() {
        LeaderElection.Builder builder = candidate("A");

        refusesNull("leases", () -> LeaderElection.builder(null, "r", "A", TTL));
        refusesNull("role", () -> LeaderElection.builder(leases, null, "A", TTL));
        refusesNull("candidate", () -> LeaderElection.builder(leases, "r", null, TTL));
        refusesNull("ttl", () -> LeaderElection.builder(leases, "r", "A", null));
        refusesNull("action", () -> builder.onElected(null));
        refusesNull("action", () -> builder.onLost(null));
        refusesNull("margin", () -> builder.margin(null));
        refusesNull("pause", () -> builder.every(null));
        refusesNull("ticker", () -> builder.ticker(null));
        LeaderElection a = builder.start();
        refusesNull("timeout", () -> a.close(null));
    }

    @Test
    void refusesWhatCannotBeByNameAndValue() {
        LeaderElection.Builder builder = candidate("A");

        refuses("role must not be blank, but is \"\"", () -> LeaderElection.builder(leases, "", "A", TTL));
        refuses("candidate must not be blank, but is \" \"", () -> LeaderElection.builder(leases, "r", " ", TTL));
        refuses("ttl must be above zero, but is PT0S", () -> LeaderElection.builder(leases, "r", "A", Duration.ZERO));
        refuses("margin must be at least PT0.000000001S, but is PT0S", () -> builder.margin(Duration.ZERO));
        refuses(
                "pause must be at least PT0.001S, but is PT0.000999999S",
                () -> builder.every(Duration.ofNanos(999_999)));
        refuses(
                "every and margin together must be below ttl, and every at least PT0.001S, but they are PT5S and PT5S of"
                        + " PT10S",
                () -> builder.every(Duration.ofSeconds(5))
                        .margin(Duration.ofSeconds(5))
                        .start());
        refuses(
                "every and margin together must be below ttl, and every at least PT0.001S, but they are PT0.00075S and"
                        + " PT0.00075S of PT0.003S",
                () -> LeaderElection.builder(leases, "r", "A", Duration.ofMillis(3))
                        .start());
        assertThat(alarm.pending()).isZero();
    }

    @Test
    void leadsWithoutLimitWhereTheLeaseHasNone() {
        LeaderElection a = LeaderElection.builder(leases, "r", "A", Duration.ofSeconds(Long.MAX_VALUE))
                .ticker(clock)
                .alarm(alarm)
                .every(Duration.ofDays(365))
                .start();
        alarm.run();
        seconds(10 * 365 * 86_400L);

        assertThat(a.isLeader()).isTrue();
    }

    private static void refusesNull(String parameter, Callable<?> call) {
        assertThatNullPointerException().isThrownBy(call::call).withMessage(parameter);
    }

    private static void refuses(String message, Callable<?> call) {
        assertThatIllegalArgumentException().isThrownBy(call::call).withMessage(message);
    }
}

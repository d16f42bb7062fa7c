package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.sync.Round.Arrival;
import io.heptad.sync.Round.Tripped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Interleavings that a race would need luck for: the test takes a party's steps one by one. */
@Watched
class BarrierStepsTest {
    private static Call<Long> parkedAt(Barrier barrier) {
        int before = barrier.arrived();
        Call<Long> call = Call.platform(barrier::await);
        Call.until(() -> barrier.arrived() == before + 1 && call.thread().getState() == Thread.State.WAITING);
        return call;
    }

    private static Call<List<Long>> parkedTwice(Barrier barrier) {
        int before = barrier.arrived();
        Call<List<Long>> call = Call.platform(() -> List.of(barrier.await(), barrier.await()));
        Call.until(() -> barrier.arrived() == before + 1 && call.thread().getState() == Thread.State.WAITING);
        return call;
    }

    private static Arrival arrival() {
        return new Arrival(null, System.nanoTime());
    }

    @Test
    void whoComesBackBeforeTheOthersAreWokenCountsForTheNextRound() throws Exception {
        Barrier barrier = Barrier.of(4);
        Call<List<Long>> fast = parkedTwice(barrier);
        List<Call<Long>> slow = List.of(parkedAt(barrier), parkedAt(barrier));

        // The fourth ends the round, and is paused before it begins the next and wakes anybody.
        Round round = barrier.current();
        Arrival coordinator = arrival();
        assertThat(round.arrive(coordinator, 4, null)).isTrue();
        LockSupport.unpark(fast.thread()); // one is let through
        Call.until(() -> barrier.round() == 1 && barrier.arrived() == 1);

        assertThat(fast.isDone()).isFalse();
        assertThat(slow).noneMatch(Call::isDone);
        Round.wake(coordinator.before);
        assertThat(slow).allSatisfy(call -> assertThat(call.outcome()).isEqualTo(0L));
        assertThat(barrier.arrived()).isEqualTo(1);
        List<Call<Long>> next = List.of(parkedAt(barrier), parkedAt(barrier));
        assertThat(barrier.await()).isEqualTo(1);
        assertThat(fast.outcome()).isEqualTo(List.of(0L, 1L));
        assertThat(next).allSatisfy(call -> assertThat(call.outcome()).isEqualTo(1L));
    }

    @Test
    void aLateWakerTouchesNoRoundButItsOwn() throws Exception {
        Barrier barrier = Barrier.of(2);
        Call<Long> first = parkedAt(barrier);
        Round old = barrier.current();
        barrier.await();
        assertThat(first.outcome()).isEqualTo(0L);
        Call<Long> second = parkedAt(barrier);

        // Everything that somebody who still holds the old round can do.
        assertThat(old.arrive(arrival(), 2, null)).isFalse();
        assertThat(old.arrive(arrival(), 0, null)).isFalse();
        assertThat(old.top()).isEqualTo(Tripped.TRIPPED);

        assertThat(barrier.arrived()).isEqualTo(1);
        assertThat(second.isDone()).isFalse();
        assertThat(barrier.await()).isEqualTo(1);
        assertThat(second.outcome()).isEqualTo(1L);
    }

    @Test
    void aWaiterThatIsInterruptedAfterTheLastArrivalHasCompletedTheRound() throws Exception {
        Barrier barrier = Barrier.of(2);
        Call<Long> interrupted = parkedAt(barrier);

        // The last one has arrived; before it wakes anybody, the interrupt comes.
        Round round = barrier.current();
        Arrival last = arrival();
        assertThat(round.arrive(last, 2, null)).isTrue();
        interrupted.interrupt();

        assertThat(interrupted.outcome()).isEqualTo(0L);
        assertThat(interrupted.interruptedAfter()).isTrue();
        assertThat(barrier.isBroken()).isFalse();
        assertThat(barrier.arrived()).isZero();
        twoFreshPartiesCompleteARound(barrier);
    }

    @Test
    void aWaiterThatIsInterruptedBeforeTheLastArrivalHasBrokenTheRoundForIt() throws Exception {
        Barrier barrier = Barrier.of(2);
        Call<Long> interrupted = parkedAt(barrier);
        Round round = barrier.current();

        interrupted.interrupt();
        assertThat(interrupted.outcome()).isInstanceOf(InterruptedException.class);
        // The other one had looked at the round before.
        assertThat(round.arrive(arrival(), 2, null)).isFalse();
        Call<Long> other = Call.platform(barrier::await);

        assertThat(other.outcome()).isInstanceOf(BrokenBarrierException.class);
        assertThat(barrier.arrived()).isZero();
        barrier.reset();
        assertThat(round.arrive(arrival(), 2, null)).isFalse();
        assertThat(barrier.arrived()).isZero();
        twoFreshPartiesCompleteARound(barrier);
    }

    private static void twoFreshPartiesCompleteARound(Barrier barrier) throws Exception {
        long round = barrier.round();
        Call<Long> one = parkedAt(barrier);
        assertThat(barrier.arrived()).isEqualTo(1);
        assertThat(barrier.await()).isEqualTo(round);
        assertThat(one.outcome()).isEqualTo(round);
        assertThat(barrier.arrived()).isZero();
    }

    @Test
    void aResetThatComesAfterTheLastArrivalBreaksNothing() throws Exception {
        Barrier barrier = Barrier.of(2);
        Call<Long> waiting = parkedAt(barrier);
        Round round = barrier.current();
        Arrival last = arrival();
        assertThat(round.arrive(last, 2, null)).isTrue();

        barrier.reset();

        Round.wake(last.before);
        assertThat(waiting.outcome()).isEqualTo(0L);
        assertThat(barrier.stats().breaks()).isZero();
        assertThat(barrier.round()).isEqualTo(1);
    }

    @Test
    void whoComesBackBeforeTheResetIsDoneFindsTheRoundAnew() throws Exception {
        Barrier barrier = Barrier.of(2);
        Call<Long> waiting = parkedAt(barrier);

        // A reset has ended the round, and is paused before it begins anew.
        Round round = barrier.current();
        Round.State seen = round.top();
        assertThat(round.move(seen, new Round.Broken("reset", Set.of(), null, true)))
                .isTrue();
        Round.wake(seen);
        assertThat(waiting.outcome()).isInstanceOf(BrokenBarrierException.class);

        assertThat(barrier.isBroken()).isFalse();
        assertThat(barrier.stats().round()).isZero();
        Call<Long> back = parkedAt(barrier);
        assertThat(barrier.await()).isZero();
        assertThat(back.outcome()).isEqualTo(0L);
        assertThat(barrier.round()).isEqualTo(1);
    }

    @Test
    void whoWaitsForALimitedTimeIsParked() throws Exception {
        Barrier barrier = Barrier.of(2);
        Call<Long> waiting = Call.platform(() -> barrier.await(Duration.ofMinutes(10)));
        Call.until(() -> waiting.thread().getState() == Thread.State.TIMED_WAITING);

        assertThat(barrier.await()).isZero();

        assertThat(waiting.outcome()).isEqualTo(0L);
    }

    @Test
    void aSpuriousWakeUpEndsNoWait() throws Exception {
        Barrier barrier = Barrier.of(2);
        Call<Long> waiting = parkedAt(barrier);
        for (int i = 0; i < 100; i++) {
            LockSupport.unpark(waiting.thread());
            Thread.yield();
        }

        assertThat(barrier.arrived()).isEqualTo(1);
        assertThat(waiting.isDone()).isFalse();
        barrier.await();
        assertThat(waiting.outcome()).isEqualTo(0L);
    }

    @Test
    void breaksOnceThoughManyGiveUpAtOnce() {
        for (int i = 0; i < 100; i++) {
            Barrier barrier = Barrier.of(5);
            List<Call<Long>> waiting = new ArrayList<>();
            for (int party = 0; party < 4; party++) {
                waiting.add(Call.start(true, barrier::await));
            }
            Call.until(() -> barrier.arrived() == 4);

            waiting.forEach(Call::interrupt);

            List<Object> ends = waiting.stream().map(Call::outcome).toList();
            assertThat(ends).filteredOn(InterruptedException.class::isInstance).hasSize(1);
            assertThat(ends)
                    .filteredOn(BrokenBarrierException.class::isInstance)
                    .hasSize(3);
            for (Call<Long> call : waiting) { // whoever was told of the break keeps the interrupt, if it came by then
                assertThat(call.outcome() instanceof InterruptedException && call.interruptedAfter())
                        .isFalse();
            }
            assertThat(barrier.stats().breaks()).isEqualTo(1);
        }
    }
}

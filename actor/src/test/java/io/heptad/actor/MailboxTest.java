package io.heptad.actor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The line of letters by itself, where a test can look between two steps of its users. */
@Watched
class MailboxTest {
    private final Mailbox<String> mailbox = new Mailbox<>(2, Ticker.system());

    private static Letter<String> letter(String word) {
        return new Letter<>(word, null);
    }

    private void put(String... words) {
        for (String word : words) {
            assertThat(mailbox.offer(letter(word))).isEqualTo(Mailbox.Answer.ACCEPTED);
        }
    }

    private Overflow.Sender<String> stands(String word) {
        Overflow.Sender<String> sender = new Overflow.Sender<>(letter(word));
        mailbox.overflowing().enter(sender);
        assertThat(sender.state).isEqualTo(Overflow.Sender.State.WAITING);
        return sender;
    }

    private List<String> takeAll() {
        List<String> words = new ArrayList<>();
        for (Letter<String> letter; (letter = mailbox.take()) != null; ) {
            words.add(letter.message);
        }
        return words;
    }

    @Test
    void isFullForANewcomerWhileOthersWaitThoughThereIsRoom() {
        put("a", "b");
        Overflow.Sender<String> waiting = stands("c");
        assertThat(mailbox.claim()).isNotNull(); // whoever made this room has not let anybody in yet

        assertThat(mailbox.offer(letter("d"))).isEqualTo(Mailbox.Answer.FULL);
        mailbox.overflowing().admit();

        assertThat(waiting.state).isEqualTo(Overflow.Sender.State.LET_IN);
        assertThat(takeAll()).containsExactly("b", "c");
    }

    @Test
    void whoLeavesTheLineAnywhereLeavesTheOthersInTheirOrder() {
        for (int leaves = 0; leaves < 4; leaves++) {
            put("a", "b");
            List<Overflow.Sender<String>> line = List.of(stands("0"), stands("1"), stands("2"), stands("3"));
            assertThat(mailbox.overflowing().leave(line.get(leaves))).isEqualTo(Overflow.Sender.State.WAITING);
            line = new ArrayList<>(line);
            line.remove(leaves);
            line.add(stands("4"));
            assertThat(mailbox.overflowing().waiting()).isEqualTo(4);

            List<String> words = takeAll();

            assertThat(words.subList(0, 2)).containsExactly("a", "b");
            assertThat(words.subList(2, 6))
                    .containsExactlyElementsOf(
                            line.stream().map(sender -> sender.letter.message).toList());
            assertThat(line).allMatch(sender -> sender.state == Overflow.Sender.State.LET_IN);
            assertThat(mailbox.overflowing().isAwaited()).isFalse();
        }
    }

    @Test
    void whoWasLetInBeforeItGaveUpIsIn() {
        put("a", "b");
        Overflow.Sender<String> sender = stands("c");
        Letter<String> taken = mailbox.take();

        assertThat(taken).isNotNull();
        assertThat(mailbox.overflowing().leave(sender)).isEqualTo(Overflow.Sender.State.LET_IN);
        assertThat(mailbox.overflowing().waiting()).isZero();
        assertThat(takeAll()).containsExactly("b", "c");
    }

    @Test
    void aLetterThatWasTakenKeepsNoneOfThoseBehindIt() {
        put("a", "b");
        Letter<String> first = mailbox.take();
        assertThat(first).isNotNull();
        assertThat(mailbox.take()).isNotNull();
        assertThat(first.nextAcquire()).isSameAs(first);

        put("c", "d");
        Letter<String> third = mailbox.claimIfFull();
        assertThat(third).isNotNull();
        put("e");
        assertThat(mailbox.claimIfFull()).isNotNull();
        assertThat(third.nextAcquire()).isSameAs(third);
    }

    /** A sender that stands in line in a thread of its own, parked until it is told. */
    private Call<Overflow.Sender.State> parks(String word) {
        int before = mailbox.overflowing().waiting();
        Call<Overflow.Sender.State> call = Call.platform(() -> {
            Overflow.Sender<String> sender = new Overflow.Sender<>(letter(word));
            mailbox.overflowing().enter(sender);
            while (sender.state == Overflow.Sender.State.WAITING) {
                LockSupport.park();
            }
            return sender.state;
        });
        Call.until(() ->
                mailbox.overflowing().waiting() == before + 1 && call.thread().getState() == Thread.State.WAITING);
        return call;
    }

    @Test
    void whoComesToTheLineWakesThoseBeforeItWhomItLetsIn() {
        put("a", "b");
        Call<Overflow.Sender.State> first = parks("c");
        assertThat(mailbox.claim()).isNotNull(); // whoever made this room has not let anybody in yet
        stands("d");

        assertThat(first.outcome()).isEqualTo(Overflow.Sender.State.LET_IN);
        assertThat(takeAll()).containsExactly("b", "c", "d");
    }

    @Test
    void allWhoWaitAreWokenByTheEnd() {
        put("a", "b");
        List<Call<Overflow.Sender.State>> waiting = List.of(parks("c"), parks("d"), parks("e"));
        mailbox.close();

        for (Call<Overflow.Sender.State> sender : waiting) {
            assertThat(sender.outcome()).isEqualTo(Overflow.Sender.State.CLOSED);
        }
        assertThat(takeAll()).containsExactly("a", "b");
    }

    // Between two steps of another

    /** A letter at which somebody stops: before the next one is linked to it, or before or after its link is read. */
    private static final class Stop extends Letter<String> {
        private Runnable linking = () -> {};
        private Runnable looking = () -> {};
        private Runnable following = () -> {};
        private final AtomicInteger looks = new AtomicInteger();

        Stop() {
            super("stop", null);
        }

        @Override
        void nextRelease(Letter<String> behind) {
            Runnable once = linking;
            linking = () -> {};
            once.run();
            super.nextRelease(behind);
        }

        @Override
        Letter<String> nextAcquire() {
            looks.incrementAndGet();
            Runnable before = looking;
            looking = () -> {};
            before.run();
            Letter<String> next = super.nextAcquire();
            Runnable after = following;
            following = () -> {};
            after.run();
            return next;
        }

        @Override
        long since() {
            return 1; // longer ago than all the others
        }
    }

    /** One that was put, and taken: the letter behind which all others are. */
    private Stop atTheHead() {
        Stop stop = new Stop(); // its time would be the oldest
        assertThat(mailbox.offer(stop)).isEqualTo(Mailbox.Answer.ACCEPTED);
        assertThat(mailbox.take()).isSameAs(stop);
        return stop;
    }

    @Test
    void aLetterWhoseLinkIsUnderWayIsWaitedFor() {
        Stop stop = atTheHead();
        AtomicReference<Call<Letter<String>>> taker = new AtomicReference<>();
        Letter<String> letter = letter("a");
        stop.linking = () -> {
            int before = stop.looks.get();
            taker.set(Call.platform(mailbox::take));
            Call.until(() -> stop.looks.get() > before + 100 || taker.get().isDone());
        };
        assertThat(mailbox.offer(letter)).isEqualTo(Mailbox.Answer.ACCEPTED);

        assertThat(taker.get().outcome()).isSameAs(letter);
    }

    @Test
    void aNewcomerLearnsOfTheEndThoughThoseWhoWaitHaveNotBeenToldYet() {
        Stop last = new Stop();
        put("a");
        assertThat(mailbox.offer(last)).isEqualTo(Mailbox.Answer.ACCEPTED);
        Overflow.Sender<String> waiting = stands("c");
        AtomicReference<Mailbox.Answer> answer = new AtomicReference<>();
        last.linking = () -> answer.set(mailbox.offer(letter("d")));
        mailbox.close();

        assertThat(answer).hasValue(Mailbox.Answer.CLOSED);
        assertThat(waiting.state).isEqualTo(Overflow.Sender.State.CLOSED);
    }

    @Test
    void aLetterThatIsTakenJustBeforeItWouldBeEvictedIsNotEvicted() {
        Stop stop = atTheHead();
        put("a", "b");
        stop.following = () -> assertThat(mailbox.claim()).isNotNull();

        assertThat(mailbox.claimIfFull()).isNull();
        assertThat(takeAll()).containsExactly("b");
    }

    @Test
    void aLetterThatIsTakenWhileTheOldestIsLookedForIsNotTheOldest() {
        Stop stop = atTheHead();
        put("a");
        stop.looking = () -> assertThat(mailbox.claim()).isNotNull();

        assertThat(mailbox.oldestSince(10)).isEqualTo(Letter.UNKNOWN);
    }

    // What it says of itself

    @Test
    void onlyOneWithNothingInsideThatIsOpenIsIdleAndOnlyOneThatIsClosedIsDrained() {
        assertThat(mailbox.isIdle()).isTrue();
        put("a");
        assertThat(mailbox.isIdle()).isFalse();
        assertThat(mailbox.isDrained()).isFalse();
        assertThat(mailbox.close()).isTrue();
        assertThat(mailbox.close()).isFalse();
        assertThat(mailbox.isDrained()).isFalse();
        assertThat(mailbox.take()).isNotNull();

        assertThat(mailbox.isDrained()).isTrue();
        assertThat(mailbox.isIdle()).isFalse();
    }

    @Test
    void theNextInTurnIsTimedAndOneOfAFew() {
        Mailbox<String> timed = new Mailbox<>(100, Ticker.system());
        List<Boolean> wants = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            wants.add(timed.wantsTime(4));
            assertThat(timed.offer(letter("a"))).isEqualTo(Mailbox.Answer.ACCEPTED);
        }
        assertThat(wants).containsExactly(true, false, false, false, true, false, false, false, true);
        while (timed.take() != null) {}
        assertThat(timed.wantsTime(4)).isTrue();
    }

    @Test
    void theTimeOfALetterIsLookedForInAFewOnly() {
        put("a");
        assertThat(mailbox.offer(new Stop())).isEqualTo(Mailbox.Answer.ACCEPTED);

        assertThat(mailbox.oldestSince(0)).isEqualTo(Letter.UNKNOWN);
        assertThat(mailbox.oldestSince(1)).isEqualTo(1);
    }
}

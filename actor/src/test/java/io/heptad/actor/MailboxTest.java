package io.heptad.actor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.Ticker;
import java.util.ArrayList;
import java.util.List;
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
}

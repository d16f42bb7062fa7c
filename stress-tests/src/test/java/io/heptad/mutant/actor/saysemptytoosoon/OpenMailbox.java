package io.heptad.mutant.actor.saysemptytoosoon;

import io.heptad.core.Ticker;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The mailbox of an actor, weakened, as far as {@code MailboxLincheckTest} needs it. */
public final class OpenMailbox {
    private final Mailbox<Integer> mailbox;

    public OpenMailbox(int capacity) {
        mailbox = new Mailbox<>(capacity, Ticker.system());
    }

    public String offer(int item) {
        return mailbox.offer(new Letter<>(item, null)).name().toLowerCase(Locale.ROOT);
    }

    public @Nullable Integer take() {
        return item(mailbox.take());
    }

    public @Nullable Integer takeIfFull() {
        return item(mailbox.claimIfFull());
    }

    private static @Nullable Integer item(@Nullable Letter<Integer> letter) {
        return letter == null ? null : letter.message;
    }

    public int depth() {
        return mailbox.span().depth();
    }

    public void close() {
        boolean ignored = mailbox.close();
    }

    public boolean isDrained() {
        return mailbox.isDrained();
    }
}

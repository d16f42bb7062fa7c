package io.heptad.actor;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.heptad.MailboxDropped")
@Label("Mailbox Dropped")
@Description("A full mailbox dropped a message")
@Category({"Heptad"})
@StackTrace(false)
final class MailboxDroppedEvent extends Event {
    @Label("Actor")
    String actor = "";

    @Label("Which")
    @Description("newest or oldest")
    String which = "";

    static void emit(String actor, String which) {
        MailboxDroppedEvent event = new MailboxDroppedEvent();
        if (event.isEnabled()) {
            event.actor = actor;
            event.which = which;
            event.commit();
        }
    }
}

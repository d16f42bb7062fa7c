package io.heptad.actor;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.heptad.MailboxRefused")
@Label("Mailbox Refused")
@Description("A full mailbox refused a message and told its sender so")
@Category({"Heptad"})
@StackTrace(false)
final class MailboxRefusedEvent extends Event {
    @Label("Actor")
    String actor = "";

    @Label("Capacity")
    long capacity;

    static void emit(String actor, int capacity) {
        MailboxRefusedEvent event = new MailboxRefusedEvent();
        if (event.isEnabled()) {
            event.actor = actor;
            event.capacity = capacity;
            event.commit();
        }
    }
}

package io.heptad.actor;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.heptad.MailboxFull")
@Label("Mailbox Full")
@Description("A sender waited in line because the mailbox was full; the duration is the wait")
@Category({"Heptad"})
@StackTrace(false)
final class MailboxFullEvent extends Event {
    @Label("Actor")
    String actor = "";

    @Label("Capacity")
    long capacity;

    @Label("Outcome")
    @Description("accepted, timed out, interrupted, closed or deadlock")
    String outcome = "";

    void end(String name, int bound, String how) {
        end();
        if (shouldCommit()) {
            actor = name;
            capacity = bound;
            outcome = how;
            commit();
        }
    }
}

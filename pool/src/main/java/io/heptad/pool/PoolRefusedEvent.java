package io.heptad.pool;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.heptad.PoolRefused")
@Label("Pool Refused")
@Description("A pool did not take a task or a caller, or dropped one that waited")
@Category({"Heptad"})
@StackTrace(false)
final class PoolRefusedEvent extends Event {
    @Label("Pool")
    String pool = "";

    @Label("Reason")
    @Description("Why: full, closed, no slot or no place in time, dropped by which policy")
    String reason = "";

    @Label("Active")
    int active;

    @Label("Waiting")
    int waiting;

    static void emit(String pool, String reason, long state) {
        PoolRefusedEvent event = new PoolRefusedEvent();
        if (event.shouldCommit()) {
            event.pool = pool;
            event.reason = reason;
            event.active = Slots.active(state);
            event.waiting = Slots.waiting(state);
            event.commit();
        }
    }
}

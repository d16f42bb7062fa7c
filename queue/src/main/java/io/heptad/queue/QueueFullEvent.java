package io.heptad.queue;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.heptad.QueueFull")
@Label("Queue Full")
@Description("A producer waited in line because the queue was full; the duration is the wait")
@Category({"Heptad"})
@StackTrace(false)
final class QueueFullEvent extends Event {
    @Label("Queue")
    String queue = "";

    @Label("Capacity")
    long capacity;

    @Label("Outcome")
    @Description("accepted, timed out, interrupted or closed")
    String outcome = "";
}

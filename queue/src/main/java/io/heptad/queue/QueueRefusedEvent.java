package io.heptad.queue;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.heptad.QueueRefused")
@Label("Queue Refused")
@Description("A full queue refused an item and told its caller so")
@Category({"Heptad"})
@StackTrace(false)
final class QueueRefusedEvent extends Event {
    @Label("Queue")
    String queue = "";

    @Label("Capacity")
    long capacity;

    @Label("Depth")
    long depth;
}

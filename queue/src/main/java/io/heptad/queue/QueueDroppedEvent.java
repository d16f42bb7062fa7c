package io.heptad.queue;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.heptad.QueueDropped")
@Label("Queue Dropped")
@Description("A full queue dropped an item")
@Category({"Heptad"})
@StackTrace(false)
final class QueueDroppedEvent extends Event {
    @Label("Queue")
    String queue = "";

    @Label("Capacity")
    long capacity;

    @Label("Which")
    @Description("newest or oldest")
    String which = "";
}

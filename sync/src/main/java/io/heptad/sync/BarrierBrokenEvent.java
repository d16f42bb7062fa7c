package io.heptad.sync;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;

@Name("io.heptad.BarrierBroken")
@Label("Barrier Broken")
@Description("A round of a barrier ended without being completed; the stack is that of the thread which broke it")
@Category({"Heptad"})
final class BarrierBrokenEvent extends Event {
    @Label("Barrier")
    String barrier = "";

    @Label("Round")
    long round;

    @Label("Reason")
    String reason = "";

    @Label("Missing")
    @Description("Who had not arrived")
    String missing = "";

    @Label("Waiting")
    @Description("How many had arrived")
    int waiting;

    @Label("Longest Wait")
    @Timespan(Timespan.NANOSECONDS)
    long longestWait;
}

package io.heptad.pipeline;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.heptad.StageBlocked")
@Label("Stage Blocked")
@Description("A worker was done with an item and the next stage had no room for it; the duration is the wait")
@Category({"Heptad"})
@StackTrace(false)
final class StageBlockedEvent extends Event {
    @Label("Pipeline")
    String pipeline = "";

    @Label("Stage")
    String stage = "";

    @Label("Next Stage")
    @Description("The stage whose queue was full")
    String next = "";
}

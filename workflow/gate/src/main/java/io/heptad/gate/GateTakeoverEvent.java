package io.heptad.gate;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.heptad.GateTakeover")
@Label("Gate Takeover")
@Description(
        "An action that was left behind, or whose next try was due, or whose lease ended while it ran here, has a new fence")
@Category({"Heptad"})
@StackTrace(false)
final class GateTakeoverEvent extends Event {
    @Label("Gate")
    String gate = "";

    @Label("Key")
    String key = "";

    @Label("Fence")
    long fence;
}

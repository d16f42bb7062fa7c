package io.heptad.gate;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.heptad.GateParked")
@Label("Gate Parked")
@Description("An action waits for a person, or no longer does")
@Category({"Heptad"})
@StackTrace(false)
final class GateParkedEvent extends Event {
    @Label("Gate")
    String gate = "";

    @Label("Key")
    String key = "";

    @Label("Change")
    @Description("parked, resolved, or tried again")
    String change = "";

    @Label("Reason")
    String reason = "";
}

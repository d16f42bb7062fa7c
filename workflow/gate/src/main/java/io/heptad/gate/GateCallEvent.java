package io.heptad.gate;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.heptad.GateCall")
@Label("Gate Call")
@Description("One call of a remote action")
@Category({"Heptad"})
@StackTrace(false)
final class GateCallEvent extends Event {
    @Label("Gate")
    String gate = "";

    @Label("Key")
    String key = "";

    @Label("Attempt")
    int attempt;

    @Label("Outcome")
    @Description("done, declined, unknown, or broken (it threw what a programming error throws)")
    String outcome = "";
}

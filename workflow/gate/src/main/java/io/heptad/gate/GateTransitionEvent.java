package io.heptad.gate;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.heptad.GateTransition")
@Label("Gate Transition")
@Description("A phase and its event were committed")
@Category({"Heptad"})
@StackTrace(false)
final class GateTransitionEvent extends Event {
    @Label("Gate")
    String gate = "";

    @Label("Entity")
    String entity = "";

    @Label("Version")
    long version;

    @Label("Phase")
    @Description("The type of the phase; what it holds stays out of the recording")
    String phase = "";

    @Label("Event")
    @Description("The type of the event; empty for the first phase")
    String event = "";
}

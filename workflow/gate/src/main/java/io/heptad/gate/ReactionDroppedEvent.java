package io.heptad.gate;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.heptad.ReactionDropped")
@Label("Reaction Dropped")
@Description("A best-effort reaction was not run, because as many wait as may, or because the gate is closed")
@Category({"Heptad"})
@StackTrace(false)
final class ReactionDroppedEvent extends Event {
    @Label("Reaction")
    String reaction = "";

    @Label("Entity")
    String entity = "";

    @Label("Version")
    long version;
}

package io.heptad.sync;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

@Name("io.heptad.SignalWait")
@Label("Signal Wait")
@Description("A thread waited for permits of a signal longer than the threshold")
@Category({"Heptad"})
@Threshold("20 ms")
final class SignalWaitEvent extends Event {
    @Label("Signal")
    String signal = "";

    @Label("Permits")
    @Description("How many it waited for")
    int permits;

    @Label("Outcome")
    @Description("acquired, timed out, or interrupted")
    String outcome = "";
}

package io.heptad.sync;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

@Name("io.heptad.LatchFailed")
@Label("Latch Failed")
@Description("What a latch waits for will not come; the stack is that of the thread which said so")
@Category({"Heptad"})
final class LatchFailedEvent extends Event {
    @Label("Latch")
    String latch = "";

    @Label("Missing")
    @Description("What had not arrived")
    String missing = "";

    @Label("Waiting")
    @Description("How many were told")
    int waiting;

    @Label("Cause")
    String cause = "";
}

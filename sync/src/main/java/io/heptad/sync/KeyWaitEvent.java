package io.heptad.sync;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

@Name("io.heptad.KeyWait")
@Label("Key Wait")
@Description("A thread waited for a key of a keyed lock longer than the threshold")
@Category({"Heptad"})
@Threshold("20 ms")
final class KeyWaitEvent extends Event {
    @Label("Lock")
    String lock = "";

    @Label("Key")
    String key = "";

    @Label("Outcome")
    @Description("acquired, timed out, or interrupted")
    String outcome = "";
}

package io.heptad.pool;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

@Name("io.heptad.SlotWait")
@Label("Slot Wait")
@Description("A task or a caller waited for a slot longer than the threshold")
@Category({"Heptad"})
@Threshold("20 ms")
@StackTrace(false)
final class SlotWaitEvent extends Event {
    /** Only asked whether anybody records; never committed. */
    private static final SlotWaitEvent PROBE = new SlotWaitEvent();

    @Label("Pool")
    String pool = "";

    @Label("Granted")
    @Description("Whether it got a slot in the end")
    boolean granted;

    static boolean on() {
        return PROBE.isEnabled();
    }

    /** The wait is over. */
    void end(String name, boolean slot) {
        end();
        if (shouldCommit()) {
            pool = name;
            granted = slot;
            commit();
        }
    }
}

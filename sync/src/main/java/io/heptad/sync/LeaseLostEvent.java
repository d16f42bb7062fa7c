package io.heptad.sync;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.heptad.LeaseLost")
@Label("Lease Lost")
@Description("A lease ended that its holder had not given back")
@Category({"Heptad"})
@StackTrace(false)
final class LeaseLostEvent extends Event {
    @Label("Resource")
    String resource = "";

    @Label("Holder")
    String holder = "";

    @Label("Token")
    long token;

    @Label("Reason")
    @Description("ran out (seen by the leases); not renewed in time, or renewal refused (seen by a leader)")
    String reason = "";

    static void emit(Lease lease, String reason) {
        LeaseLostEvent event = new LeaseLostEvent();
        if (event.shouldCommit()) {
            event.resource = lease.resource();
            event.holder = lease.holder();
            event.token = lease.token();
            event.reason = reason;
            event.commit();
        }
    }
}

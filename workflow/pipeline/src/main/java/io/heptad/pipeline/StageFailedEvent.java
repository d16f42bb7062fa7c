package io.heptad.pipeline;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.heptad.StageFailed")
@Label("Stage Failed")
@Description("An item left a stage by the failure route")
@Category({"Heptad"})
@StackTrace(false)
final class StageFailedEvent extends Event {
    @Label("Pipeline")
    String pipeline = "";

    @Label("Stage")
    String stage = "";

    @Label("Cause")
    @Description("The class of what was thrown")
    String cause = "";

    @Label("Stops")
    @Description("Whether the stage stops the pipeline for it")
    boolean stops;
}

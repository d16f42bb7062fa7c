package io.heptad.core;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("io.heptad.Depth")
@Label("Depth")
@Description("How deep an open shape is, once a period")
@Category({"Heptad"})
@Period("1 s")
@StackTrace(false)
final class DepthEvent extends Event {
    @Label("Type")
    String type = "";

    @Label("Shape")
    String shape = "";

    @Label("Depth")
    long depth;

    @Label("Capacity")
    long capacity;

    @Label("When Full")
    String whenFull = "";

    @Label("Failure")
    @Description("The exception class, if the shape threw when it was asked; the other fields may then be unset")
    @Nullable
    String failure;
}

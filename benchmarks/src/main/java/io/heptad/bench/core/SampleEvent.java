package io.heptad.bench.core;

import jdk.jfr.Category;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Shaped as the events of the library are. */
@Name("io.heptad.bench.Sample")
@Label("Sample")
@Category({"Heptad", "Benchmarks"})
@Enabled(false)
@StackTrace(false)
final class SampleEvent extends jdk.jfr.Event {
    @Label("Name")
    String name = "";

    @Label("Depth")
    long depth;
}

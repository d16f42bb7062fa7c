package io.heptad.pipeline;

/** What becomes of the others when one item fails in a stage. */
public enum OnError {
    /** The item leaves by the failure route; the others go on. */
    SKIP,
    /** The item leaves by the failure route, and the pipeline stops: nothing begins any more, and what is inside is handed back. */
    STOP
}

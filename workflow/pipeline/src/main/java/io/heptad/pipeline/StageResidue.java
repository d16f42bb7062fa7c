package io.heptad.pipeline;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What one stage handed back when the pipeline ended before everything had gone through.
 *
 * @param stage the name of the stage
 * @param begun items that the work of this stage had begun with and not ended: it may have had an effect. What a flat stage
 *     had begun may be in later stages in part
 * @param waiting items that waited for this stage, which has had no effect on them: those of its queue, oldest first; then
 *     those that were on their way into it, or stood in line behind others with their key
 */
public record StageResidue(String stage, List<Object> begun, List<Object> waiting) {
    /** Copies the lists. */
    public StageResidue {
        Objects.requireNonNull(stage, "stage");
        begun = List.copyOf(begun);
        waiting = List.copyOf(waiting);
    }

    /**
     * All of it.
     *
     * @return what was begun, then what waited
     */
    public List<Object> items() {
        List<Object> items = new ArrayList<>(begun);
        items.addAll(waiting);
        return List.copyOf(items);
    }
}

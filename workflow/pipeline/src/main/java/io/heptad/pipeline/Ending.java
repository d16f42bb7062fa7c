package io.heptad.pipeline;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** How a pipeline ends: decided once, by one CAS. */
final class Ending {
    /*
     * OPEN -> COMPLETED   by the last thread that leaves: all has gone through
     *      -> Failed      by a worker of a stage that stops on errors, before it leaves: so failure wins over completion
     *      -> HALTED      by a drain whose time ran out
     *
     * Whoever moves it to Failed or HALTED halts the pipeline. "Over" is what the workers ask before they begin anything.
     */
    private sealed interface State {}

    private enum Plain implements State {
        OPEN,
        COMPLETED,
        HALTED
    }

    private record Failed(Throwable cause) implements State {}

    private final AtomicReference<State> state = new AtomicReference<>(Plain.OPEN);

    boolean complete() {
        return state.compareAndSet(Plain.OPEN, Plain.COMPLETED);
    }

    boolean fail(Throwable cause) {
        return state.compareAndSet(Plain.OPEN, new Failed(cause));
    }

    boolean halt() {
        return state.compareAndSet(Plain.OPEN, Plain.HALTED);
    }

    /** Nothing may begin any more. */
    boolean isOver() {
        return switch (state.get()) {
            case Failed failed -> true;
            case Plain plain -> plain == Plain.HALTED;
        };
    }

    boolean isCompleted() {
        return state.get() instanceof Plain plain && plain == Plain.COMPLETED;
    }

    @Nullable
    Throwable failure() {
        return state.get() instanceof Failed failed ? failed.cause : null;
    }
}

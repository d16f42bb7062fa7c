package io.heptad.pipeline;

import org.jspecify.annotations.Nullable;

/** Items are passed on as they are done. */
final class FreePassage implements Passage {
    private final Stage stage;

    FreePassage(Stage stage) {
        this.stage = stage;
    }

    @Override
    @Nullable
    public Parcel next(Worker worker) {
        return stage.take(worker);
    }

    @Override
    @Nullable
    public Parcel ended(Worker worker, Parcel parcel, @Nullable Object output) {
        if (output != null) {
            stage.goOn(worker, parcel, output);
        }
        return null;
    }

    @Override
    public void wake() {
        // nobody waits here
    }

    @Override
    public void handBack(Residue residue) {
        // nothing is in here
    }
}

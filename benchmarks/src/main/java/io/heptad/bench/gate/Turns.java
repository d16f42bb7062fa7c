package io.heptad.bench.gate;

import io.heptad.bench.gate.Door.Turn;
import java.util.concurrent.atomic.LongAdder;

/** Whether what was done is what was asked for. */
final class Turns {
    private Turns() {}

    static void check(Doors doors, String[] ids, long made, Turn turn, LongAdder pushes) throws Exception {
        long turned = 0;
        for (String id : ids) {
            turned += doors.turns(id);
        }
        if (turned != made) {
            throw new AssertionError(made + " turns were asked for, but " + turned + " were made");
        }
        long pushed = turn == Turn.PUSHED ? made : 0;
        if (pushes.sum() != pushed) {
            throw new AssertionError(pushed + " pushes were due, but " + pushes.sum() + " were given");
        }
    }
}

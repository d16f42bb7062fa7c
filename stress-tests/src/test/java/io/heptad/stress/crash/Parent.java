package io.heptad.stress.crash;

import java.io.IOException;

/** Who has started this process, as seen by it. */
final class Parent {
    private Parent() {}

    /** Halts this process when its input ends, which it does when its parent dies, of whatever. Reads all that comes. */
    static void endWithIt() {
        Thread.ofPlatform().daemon().name("parent").start(() -> {
            try {
                while (System.in.read() >= 0) {
                    // Nobody says anything: this waits for the end.
                }
            } catch (IOException gone) {
                // That is an end too.
            }
            Runtime.getRuntime().halt(1);
        });
    }
}

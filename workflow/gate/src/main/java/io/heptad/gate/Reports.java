package io.heptad.gate;

/** The way to the handler that a thread has for what nobody catches. */
final class Reports {
    private Reports() {}

    static void uncaught(Throwable thrown) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        } catch (Throwable fromHandler) {
            // A handler that throws must not end the gate.
        }
    }
}

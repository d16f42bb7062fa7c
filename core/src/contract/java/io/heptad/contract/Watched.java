package io.heptad.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.PreInterruptCallback;
import org.junit.jupiter.api.extension.PreInterruptContext;

/**
 * The watchdog: a test that hangs for 20 seconds fails, and what every thread was doing is printed, virtual threads
 * included. The test runs in a thread of its own, so one that ignores interrupts is given up rather than waited for.
 *
 * <p>A {@code @Timeout(value = …, threadMode = SEPARATE_THREAD)} on a method sets another limit for it and keeps the dump.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ExtendWith(Watched.Dump.class)
public @interface Watched {
    /** Prints the dump before the timed-out test is interrupted, while the stacks still show the hang. */
    final class Dump implements PreInterruptCallback {
        @Override
        public void beforeThreadInterrupt(PreInterruptContext hang, ExtensionContext test) {
            System.err.println("Hung: " + test.getUniqueId() + "\n" + Threads.dump());
        }
    }
}

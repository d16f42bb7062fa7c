package io.heptad.recipes;

import java.io.PrintStream;

/** What a recipe does when it is run. */
@FunctionalInterface
public interface Program {
    /**
     * Runs to its end, or until the thread is interrupted, and says on the way what it sees.
     *
     * @param options the options of this run
     * @param out where to say it
     * @throws BadOptionException if an option cannot be used
     * @throws BrokenRunException if the run saw what its page says cannot happen
     * @throws Exception if the run could not be carried out
     */
    void run(Options options, PrintStream out) throws Exception;
}

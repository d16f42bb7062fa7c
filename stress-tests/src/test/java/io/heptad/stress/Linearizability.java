package io.heptad.stress;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/**
 * Tries the calls of a class from two threads under schedules that a model checker chooses: the results must be those of
 * some order of the same calls on a class for one thread.
 */
public final class Linearizability {
    private static final int SCENARIOS = Boolean.getBoolean("heptad.stress.full") ? 24 : 8;
    private static final int SCENARIOS_UNTIL_FOUND = 100;
    private static final int SCHEDULES = 200;

    private Linearizability() {}

    /** Two threads with three calls each, one call before and one after them. */
    public static ModelCheckingOptions schedules(Class<?> specification) {
        return new ModelCheckingOptions()
                .iterations(SCENARIOS)
                .invocationsPerIteration(SCHEDULES)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1)
                .sequentialSpecification(specification);
    }

    /** As {@link #schedules}; a burst of spins is run, but not taken apart: it would be tried one by one. */
    public static ModelCheckingOptions schedulesOfSpinning(Class<?> specification) {
        return schedules(specification)
                .addGuarantee(forClasses(name -> name.endsWith(".Spin"))
                        .methods("pause")
                        .ignore());
    }

    /** One of the schedules fails like this. There should be one, so more calls may be tried. */
    public static void assertFound(String how, ModelCheckingOptions schedules, Class<?> weakened) {
        assertThatThrownBy(() -> schedules
                        .iterations(SCENARIOS_UNTIL_FOUND)
                        .minimizeFailedScenario(false)
                        .check(weakened))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining(how);
    }
}

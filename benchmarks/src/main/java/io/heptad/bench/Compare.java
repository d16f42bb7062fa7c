package io.heptad.bench;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What a benchmark compares, where, and how far ahead it has to be. It sits beside {@code @Benchmark}; the state of the
 * benchmark has a {@code @Param} named {@code peer} whose values are the peers, {@value Contest#OURS} for ours. The
 * other parameters span the cells.
 *
 * <p>Cells are picked by patterns such as {@code "pairs=1|2 threads=virtual"}: the named parameters have one of the
 * named values, the others any. The empty pattern matches every cell.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Compare {
    /** The work, as one phrase that a newcomer understands; printed above the table. */
    String work();

    /** One operation of the benchmark, in the singular: "item", "task". */
    String operation() default "op";

    /** The cells of quick mode; none: quick mode leaves this benchmark out. */
    String[] quick();

    /** Cells that run long forks, with every fork printed, and are judged on the worst fork; none by default. */
    String[] longForks() default {};

    /** Seconds one fork of full mode measures and warms up, unless the cell is in {@link #longForks()}. */
    double forkSeconds() default 2;

    /** Forks of one peer in a cell in full mode. */
    int forks() default 3;

    /** About how many seconds one fork takes, for benchmarks in single-shot mode. */
    double shotSeconds() default 3;

    /** The figure that is compared. */
    Figure figure() default Figure.TIME;

    /** What has to be reached, judged in full mode. */
    Goal[] goals() default {};

    /** Peers that cannot do some cells, and why. */
    Without[] without() default {};

    /** A ratio to reach: ours to the peer, higher is better. */
    @interface Goal {
        /** The smallest ratio that passes. */
        double atLeast();

        /** The peers it is measured against. */
        String[] of();

        /** The cells where it holds. */
        String where() default "";

        /** What is compared. */
        Figure figure() default Figure.TIME;
    }

    /** A peer that is left out. */
    @interface Without {
        /** The peers. */
        String[] peer();

        /** In which cells. */
        String where() default "";

        /** Why: printed below the table. */
        String because();
    }
}

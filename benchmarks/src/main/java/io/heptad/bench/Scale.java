package io.heptad.bench;

/** The size of a workload: as written, or a hundredth of it in smoke mode, where only the checks matter. */
public final class Scale {
    static final String SMOKE = "heptad.bench.smoke";
    private static final boolean TINY = Boolean.getBoolean(SMOKE);

    private Scale() {}

    /** {@code n} as it should be in this run; never below {@code atLeast}. */
    public static int of(int n, int atLeast) {
        return TINY ? Math.max(atLeast, n / 100) : n;
    }
}

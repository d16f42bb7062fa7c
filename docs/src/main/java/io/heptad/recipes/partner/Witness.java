package io.heptad.recipes.partner;

/** The other side of the calls, and what it saw. */
interface Witness {
    /** The most requests that were ever in flight together. */
    int peak();

    /** What else it counted, in one line. */
    String says();
}

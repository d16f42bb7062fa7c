package io.heptad.contract;

/** What the contract puts into a shape. An object of its own, so that a test can tell whether the shape keeps it alive. */
public record Item(int number) {
    @Override
    public String toString() {
        return "#" + number;
    }
}

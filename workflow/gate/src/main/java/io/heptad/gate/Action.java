package io.heptad.gate;

import java.util.Objects;

/**
 * The name and the types of something that must happen before a commit: charge the card, pack the parcel. A {@link Move}
 * names it; how it is done is said once, where the {@linkplain Gate.Builder#action gate is built}.
 *
 * {@snippet file="io/heptad/contract/gate/Orders.java" region="actions"}
 *
 * <p>The name is part of the key by which the other side knows a repeat, and of what is stored. Do not change it while
 * actions of that name are unfinished. Two actions are equal if name and types are.
 *
 * @param <I> what it is called with
 * @param <R> its result; {@code Void} for none
 */
public final class Action<I, R> {
    private final String name;
    private final Class<I> input;
    private final Class<R> result;

    private Action(String name, Class<I> input, Class<R> result) {
        this.name = Checks.notBlank("name", name);
        this.input = reference("input", input);
        this.result = reference("result", result);
        if (name.indexOf('/') >= 0) {
            throw new IllegalArgumentException("name must not contain '/', but is \"" + name + "\"");
        }
    }

    private static <T> Class<T> reference(String parameter, Class<T> type) {
        if (Objects.requireNonNull(type, parameter).isPrimitive()) {
            throw new IllegalArgumentException(parameter + " must not be a primitive type, but is " + type);
        }
        return type;
    }

    /**
     * An action.
     *
     * @param name its name, not blank and without '/'
     * @param input what it is called with
     * @param result its result; {@code Void.class} for none
     * @param <I> what it is called with
     * @param <R> its result
     * @return the action
     * @throws IllegalArgumentException if the name is blank or contains '/', or if a type is primitive
     */
    public static <I, R> Action<I, R> named(String name, Class<I> input, Class<R> result) {
        return new Action<>(name, input, result);
    }

    /**
     * Its name.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * What it is called with.
     *
     * @return the type
     */
    public Class<I> input() {
        return input;
    }

    /**
     * Its result.
     *
     * @return the type
     */
    public Class<R> result() {
        return result;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Action<?, ?> that
                && name.equals(that.name)
                && input == that.input
                && result == that.result;
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return "action " + name;
    }
}

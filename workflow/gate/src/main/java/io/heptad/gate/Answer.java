package io.heptad.gate;

/**
 * What became of an event: {@link Committed}, {@link Declined} or {@link Pending}. A {@code switch} over the three needs
 * no default.
 *
 * {@snippet file="io/heptad/gate/GateSnippetsTest.java" region="answer"}
 *
 * <p>That an event is illegal in a phase is an {@link IllegalTransitionException}, not an answer: nothing came of it.
 *
 * @param <P> the phases
 * @param <E> the events
 */
public sealed interface Answer<P, E> permits Committed, Declined, Pending {}

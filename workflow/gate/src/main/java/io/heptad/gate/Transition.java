package io.heptad.gate;

/**
 * The one place where it is decided what may happen. It reads the phase and the event, touches nothing, and says what to do.
 *
 * {@snippet file="io/heptad/contract/gate/Orders.java" region="transition"}
 *
 * <p>Let phases and events be sealed interfaces of records, and the transition a {@code switch} over the phase without a
 * default: then the compiler lists what a new phase has been forgotten in.
 *
 * <p>It must be pure: equal arguments, equal {@link Move}, at any time, in any process. It is called more than once for an
 * event, by whichever instance goes on with it, while the entity is locked; so it must be quick, and must not call a gate.
 * What it throws is thrown to the caller, and nothing has happened.
 *
 * @param <P> the phases
 * @param <E> the events
 */
@FunctionalInterface
public interface Transition<P, E> {
    /**
     * Says what to do.
     *
     * @param phase the phase that the entity is in
     * @param event the event
     * @return what to do; {@link Move#illegal} if the event must not happen in this phase
     */
    Move<P, E> next(P phase, E event);
}

package io.heptad.gate;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** A store with something in between. */
final class FaultyStore {
    /** Runs before or after a call of the store; what it throws is what the caller gets. */
    interface Fault {
        void at(String method, Object[] arguments);
    }

    private FaultyStore() {}

    @SuppressWarnings("unchecked")
    static <P, E> PhaseStore<P, E> of(PhaseStore<P, E> store, Fault before, Fault after) {
        return (PhaseStore<P, E>) Proxy.newProxyInstance(
                FaultyStore.class.getClassLoader(), new Class<?>[] {PhaseStore.class}, (proxy, method, arguments) -> {
                    before.at(method.getName(), arguments == null ? new Object[0] : arguments);
                    Object result;
                    try {
                        result = method.invoke(store, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                    after.at(method.getName(), arguments == null ? new Object[0] : arguments);
                    return result;
                });
    }
}

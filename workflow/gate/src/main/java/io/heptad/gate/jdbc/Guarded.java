package io.heptad.gate.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Savepoint;
import org.jspecify.annotations.Nullable;

/** A connection for a user's part of a transaction: all of it but how the transaction ends. */
record Guarded(Connection connection) implements InvocationHandler {
    static Connection around(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, new Guarded(connection));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        switch (method.getName()) {
            case "commit", "close", "abort", "setAutoCommit", "setTransactionIsolation" -> throw refused(method);
            case "rollback" -> {
                if (arguments == null || !(arguments[0] instanceof Savepoint)) {
                    throw refused(method);
                }
            }
            case "equals" -> {
                return arguments != null && isAround(arguments[0]);
            }
            case "hashCode" -> {
                return hashCode();
            }
            default -> {}
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private boolean isAround(@Nullable Object other) {
        return other != null && Proxy.isProxyClass(other.getClass()) && equals(Proxy.getInvocationHandler(other));
    }

    private static IllegalStateException refused(Method method) {
        return new IllegalStateException("a local action must not call " + method.getName()
                + " on the connection of the commit that it is part of: throw to undo it");
    }
}

package io.heptad.stress.crash;

import java.io.PrintStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** The numbered points of a process: before and after each thing that it asks of the database or of the provider. */
final class Points {
    private static final int HALTED = 77;

    private final int haltAt;
    private final AtomicInteger passed = new AtomicInteger();

    /**
     * Numbers the points.
     *
     * @param haltAt the number of the point at which the process is halted; 0 for none
     */
    Points(int haltAt) {
        this.haltAt = haltAt;
    }

    static boolean halted(int exit) {
        return exit == HALTED;
    }

    int passed() {
        return passed.get();
    }

    void pass(String where) {
        if (passed.incrementAndGet() == haltAt) {
            PrintStream out = System.out;
            out.println("halted " + where);
            out.flush();
            Runtime.getRuntime().halt(HALTED);
        }
    }

    interface Call {
        Object run() throws Exception;
    }

    private Object around(String what, Call call) throws Throwable {
        pass("before " + what);
        Object result = plain(call);
        pass("after " + what);
        return result;
    }

    private static Object plain(Call call) throws Throwable {
        try {
            return call.run();
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    /** The data source, with a point before and after connecting, each statement and each commit. */
    DataSource watch(DataSource source) {
        return proxy(DataSource.class, (proxy, method, arguments) -> {
            if (!method.getName().equals("getConnection")) {
                return plain(() -> method.invoke(source, arguments));
            }
            return watch((Connection) around("connecting", () -> method.invoke(source, arguments)));
        });
    }

    private Connection watch(Connection connection) {
        return proxy(Connection.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "commit" -> around("COMMIT", () -> method.invoke(connection, arguments));
            case "prepareStatement" ->
                watch((PreparedStatement) plain(() -> method.invoke(connection, arguments)), (String) arguments[0]);
            default -> plain(() -> method.invoke(connection, arguments));
        });
    }

    private PreparedStatement watch(PreparedStatement statement, String text) {
        String what = text.substring(0, Math.min(text.length(), 60));
        return proxy(
                PreparedStatement.class,
                (proxy, method, arguments) -> method.getName().startsWith("execute")
                        ? around(what, () -> method.invoke(statement, arguments))
                        : plain(() -> method.invoke(statement, arguments)));
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(Points.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}

package io.heptad.gate.jdbc;

import java.io.PrintWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * A data source that keeps its connections, and on which each thing that is asked of the database can be seen, counted and
 * made to fail: before it is carried out, or after.
 */
final class Wire implements DataSource {
    /** What happens at a boundary such as "before COMMIT", "after INSERT INTO heptad_event …", "before CONNECT". */
    interface Fault {
        void at(String boundary) throws SQLException;
    }

    static final String COMMIT = "COMMIT";

    private final DataSource source;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Connection> idle = new ArrayDeque<>();
    private final List<String> asked = new ArrayList<>();
    private final AtomicInteger out = new AtomicInteger();
    private volatile Fault fault = boundary -> {};
    private volatile boolean dead;

    Wire(DataSource source) {
        this.source = source;
    }

    /** From now on. */
    void fault(Fault next) {
        fault = next;
    }

    void heal() {
        fault = boundary -> {};
    }

    /** Nobody is at the other end. */
    void cut() {
        fault = boundary -> {
            if (boundary.startsWith("before")) {
                throw new SQLException("nobody is there", "08001");
            }
        };
    }

    /** The process behind it is gone: what it has open is rolled back by the other end. */
    void die() {
        dead = true;
    }

    /** What has been asked since the last look, without the connecting. */
    List<String> asked() {
        lock.lock();
        try {
            List<String> all = List.copyOf(asked);
            asked.clear();
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** Connections that somebody has taken and not given back. */
    int connectionsOut() {
        return out.get();
    }

    void close() throws SQLException {
        lock.lock();
        try {
            for (Connection connection : idle) {
                connection.close();
            }
            idle.clear();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        fault.at("before CONNECT");
        Connection connection = take();
        out.incrementAndGet();
        return (Connection) Proxy.newProxyInstance(
                Wire.class.getClassLoader(), new Class<?>[] {Connection.class}, onConnection(connection));
    }

    private Connection take() throws SQLException {
        lock.lock();
        try {
            for (Connection kept = idle.poll(); kept != null; kept = idle.poll()) {
                if (!kept.isClosed()) {
                    return kept;
                }
            }
        } finally {
            lock.unlock();
        }
        return source.getConnection();
    }

    private InvocationHandler onConnection(Connection connection) {
        return (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "close" -> {
                    giveBack(connection);
                    return null;
                }
                case "abort" -> {
                    connection.close();
                    return null;
                }
                case "commit" -> {
                    return told(COMMIT, () -> method.invoke(connection, arguments));
                }
                case "rollback" -> {
                    fault.at("before ROLLBACK");
                    return invoke(() -> method.invoke(connection, arguments));
                }
                case "prepareStatement" -> {
                    PreparedStatement statement =
                            (PreparedStatement) invoke(() -> method.invoke(connection, arguments));
                    return Proxy.newProxyInstance(
                            Wire.class.getClassLoader(),
                            new Class<?>[] {PreparedStatement.class},
                            onStatement(statement, (String) arguments[0]));
                }
                default -> {
                    return invoke(() -> method.invoke(connection, arguments));
                }
            }
        };
    }

    private void giveBack(Connection connection) throws SQLException {
        out.decrementAndGet();
        if (connection.isClosed()) {
            return;
        }
        if (!connection.getAutoCommit()) {
            connection.close();
            if (!dead) {
                throw new AssertionError("a connection was not given back as it was");
            }
            return;
        }
        lock.lock();
        try {
            idle.push(connection);
        } finally {
            lock.unlock();
        }
    }

    private InvocationHandler onStatement(PreparedStatement statement, String text) {
        return (proxy, method, arguments) -> method.getName().startsWith("execute")
                ? told(text, () -> method.invoke(statement, arguments))
                : invoke(() -> method.invoke(statement, arguments));
    }

    private interface Call {
        Object run() throws ReflectiveOperationException;
    }

    private Object told(String what, Call call) throws Throwable {
        fault.at("before " + what);
        lock.lock();
        try {
            asked.add(what);
        } finally {
            lock.unlock();
        }
        Object result = invoke(call);
        fault.at("after " + what);
        return result;
    }

    private static Object invoke(Call call) throws Throwable {
        try {
            return call.run();
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    @Override
    public Connection getConnection(String username, String password) {
        throw new UnsupportedOperationException();
    }

    @Override
    public PrintWriter getLogWriter() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setLoginTimeout(int seconds) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int getLoginTimeout() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Logger getParentLogger() {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> T unwrap(Class<T> type) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}

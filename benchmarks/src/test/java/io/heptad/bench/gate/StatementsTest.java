package io.heptad.bench.gate;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.heptad.bench.gate.Door.Turn;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both sides of the comparison ask the database as often: it is the floor and not another machine. */
class StatementsTest {
    private final AtomicInteger statements = new AtomicInteger();
    private final AtomicInteger commits = new AtomicInteger();

    @ParameterizedTest
    @ValueSource(strings = {"heptad", "hand-written"})
    void aTurnCostsBothTheSame(String peer) throws Exception {
        LongAdder pushes = new LongAdder();
        Server server = Server.start("H2-in-memory");
        try (HikariDataSource pool = server.pool();
                Doors doors = Doors.of(peer, counted(pool), pushes)) {
            doors.create("A");
            forget();
            doors.turn("A", Turn.PLAIN);
            assertThat(statements).as("without an action").hasValue(4);
            assertThat(commits).hasValue(1);
            forget();
            doors.turn("A", Turn.PUSHED);
            assertThat(statements).as("with an action: T1 and T2").hasValue(3 + 4);
            assertThat(commits).hasValue(2);
            assertThat(doors.turns("A")).isEqualTo(2);
            assertThat(pushes.sum()).isEqualTo(1);
        } finally {
            server.close();
        }
    }

    private void forget() {
        statements.set(0);
        commits.set(0);
    }

    private DataSource counted(DataSource source) {
        return proxy(DataSource.class, (proxy, method, arguments) -> {
            Object result = call(source, method, arguments);
            return result instanceof Connection connection ? counted(connection) : result;
        });
    }

    private Connection counted(Connection connection) {
        return proxy(Connection.class, (proxy, method, arguments) -> {
            if (method.getName().equals("commit") && !isSweep()) {
                commits.incrementAndGet();
            }
            Object result = call(connection, method, arguments);
            return result instanceof PreparedStatement statement ? counted(statement) : result;
        });
    }

    private PreparedStatement counted(PreparedStatement statement) {
        return proxy(PreparedStatement.class, (proxy, method, arguments) -> {
            if (method.getName().toLowerCase(Locale.ROOT).startsWith("execute") && !isSweep()) {
                statements.incrementAndGet();
            }
            return call(statement, method, arguments);
        });
    }

    /** The gate looks for what was left behind once a second, also in the middle of a turn; that belongs to none. */
    private static boolean isSweep() {
        return Thread.currentThread().getName().endsWith(" sweep");
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(StatementsTest.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}

package io.heptad.stress.instances;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.heptad.gate.jdbc.HeptadSchema;
import io.heptad.stress.crash.Audit;
import io.heptad.stress.crash.Child;
import io.heptad.stress.crash.Ledger;
import io.heptad.stress.crash.Shop;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Four instances on one PostgreSQL bring thousands of orders to their ends, while one of them after the other is killed and
 * started again, or frozen for longer than its leases. Some orders are asked for at two instances at once; some customers
 * never come back. Every order settles, and nobody is charged twice, for nothing, or refunded twice. The throughput is
 * printed, with the kills and all: it is what is left of it in bad weather.
 */
class FourInstancesCrashTest {
    private static final int INSTANCES = 4;
    private static final boolean FULL = Boolean.getBoolean("heptad.stress.full");
    private static final int ORDERS = FULL ? 10_000 : 500;

    /** From one blow to the next, in milliseconds, at most: a new process wants to be warm now and then. */
    private static final int CALM = FULL ? 5_000 : 1_500;

    private static final long SEED = Long.getLong("heptad.stress.seed", System.nanoTime());
    private static final List<String> KINDS = List.of("packable", "packable", "packable", "unpackable", "poor");
    private static final long STUCK = TimeUnit.SECONDS.toNanos(60);
    private static final long PROGRESS = TimeUnit.SECONDS.toNanos(5);

    private final Random random = new Random(SEED);
    private int kills;
    private int freezes;

    @TempDir
    private Path folder;

    @Test
    @Timeout(7_200)
    void everyOrderSettlesThoughTheyDieAllTheTime() throws Exception {
        System.out.printf(Locale.ROOT, "instances: %,d orders, seed %d (-Dstress.seed)%n", ORDERS, SEED);
        List<String> orders = new ArrayList<>();
        for (int i = 0; i < ORDERS; i++) {
            orders.add("order " + i + " " + KINDS.get(random.nextInt(KINDS.size())));
        }
        Process provider = null;
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().start();
                HikariDataSource pool = Instance.pool(postgres.getJdbcUrl("postgres", "postgres"))) {
            HeptadSchema.create(pool);
            Path port = folder.resolve("port");
            Path ledger = folder.resolve("ledger");
            provider = Child.java(Ledger.class, ledger.toString(), port.toString(), Long.toString(SEED))
                    .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                    .start();
            Awaitility.await().until(() -> Files.exists(port));
            int number = Integer.parseInt(Files.readString(port));
            try (Fleet fleet = new Fleet(
                    INSTANCES, new Random(random.nextLong()), postgres.getJdbcUrl("postgres", "postgres"), number)) {
                play(fleet, orders);
                settle(fleet, orders, pool, ledger, number);
            }
        } finally {
            if (provider != null) {
                provider.destroyForcibly().waitFor();
            }
        }
    }

    /** Some come twice. */
    private List<String> customers(List<String> orders) {
        List<String> customers = new ArrayList<>();
        for (String order : orders) {
            customers.add(order);
            if (random.nextInt(10) == 0) {
                customers.add(order);
            }
        }
        return customers;
    }

    private void play(Fleet fleet, List<String> orders) throws Exception {
        long start = System.nanoTime();
        long said = start;
        long moved = start;
        int over = 0;
        fleet.serve(customers(orders));
        while (!fleet.await(TimeUnit.MILLISECONDS.toNanos(500 + random.nextInt(CALM)))) {
            strike(fleet);
            long now = System.nanoTime();
            if (fleet.over() > over) {
                over = fleet.over();
                moved = now;
            } else if (now - moved > STUCK) {
                fleet.dump(Path.of(""));
                throw new AssertionError("no order has settled for a minute; threads are in "
                        + Path.of("").toAbsolutePath());
            }
            if (now - said > PROGRESS) {
                said = now;
                say(over, now - start);
            }
        }
        assertThat(fleet.wrong()).isEmpty();
        say(fleet.over(), System.nanoTime() - start);
    }

    private void say(int over, long nanos) {
        System.out.printf(
                Locale.ROOT,
                "instances: %,d of %,d orders in %.1f s, %.0f orders/s; %d killed, %d frozen%n",
                over,
                ORDERS,
                nanos / 1e9,
                over / (nanos / 1e9),
                kills,
                freezes);
    }

    private void strike(Fleet fleet) throws Exception {
        int number = random.nextInt(INSTANCES);
        if (random.nextInt(4) > 0) {
            fleet.kill(number);
            kills++;
            return;
        }
        fleet.signal(number, "STOP");
        freezes++;
        boolean ignored = fleet.await(TimeUnit.MILLISECONDS.toNanos(600 + random.nextInt(900)));
        fleet.signal(number, "CONT");
    }

    private void settle(Fleet fleet, List<String> orders, HikariDataSource pool, Path ledger, int provider)
            throws Exception {
        // By themselves first: nobody asks for anything.
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(Audit.unfinished(pool))
                        .as("unfinished after the leases have ended")
                        .isZero());
        List<String> givenUp = fleet.givenUp();
        assertThat(kills).as("killed").isPositive();
        try (Shop shop = new Shop(pool, provider)) {
            Audit audit = new Audit(shop, ledger);
            assertThat(audit.disagreements(orders, false)).isEmpty();
            // Then the customers who had given up come back.
            fleet.serve(givenUp);
            assertThat(fleet.await(TimeUnit.SECONDS.toNanos(120)))
                    .as("answered")
                    .isTrue();
            assertThat(fleet.wrong()).isEmpty();
            assertThat(audit.disagreements(orders, true)).isEmpty();
        }
        System.out.printf(
                Locale.ROOT,
                "instances: %,d orders settled, %,d of them after their customers had given up; ledger, status, log and"
                        + " actions agree%n",
                ORDERS,
                givenUp.size());
    }
}

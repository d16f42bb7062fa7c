package io.heptad.stress.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.gate.jdbc.HeptadSchema;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes of the shop die at every numbered point, at pairs of points, and at random moments, while another instance runs
 * all the time. Afterwards every order is settled, by itself or by a caller who asks again, and the provider's ledger, the
 * status and the log say the same: nobody was charged twice, nobody was charged for nothing, nobody was refunded twice.
 */
class OrdersCrashTest {
    private static final boolean FULL = Boolean.getBoolean("heptad.stress.full");
    private static final long SEED = Long.getLong("heptad.stress.seed", System.nanoTime());
    private static final List<String> KINDS = List.of("packable", "unpackable", "poor");

    @TempDir
    private static Path folder;

    private static EmbeddedPostgres postgres;
    private static Process provider;
    private static int port;
    private static Shop survivor;

    private final List<String> orders = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        System.out.println("crash: seed " + SEED + " (-Dstress.seed)");
        try {
            postgres = EmbeddedPostgres.builder()
                    .setServerConfig("max_connections", "300")
                    .start();
        } catch (IOException | RuntimeException e) {
            throw new AssertionError("PostgreSQL did not start, and there is no crash test without it: " + e, e);
        }
        HeptadSchema.create(postgres.getPostgresDatabase());
        Path portFile = folder.resolve("port");
        provider = Child.java(
                        Ledger.class, folder.resolve("ledger").toString(), portFile.toString(), Long.toString(SEED))
                .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .start();
        Awaitility.await().until(() -> Files.exists(portFile));
        port = Integer.parseInt(Files.readString(portFile));
        survivor = new Shop(postgres.getPostgresDatabase(), port, new Points(0), Duration.ofMillis(100));
    }

    @AfterAll
    static void stop() throws IOException {
        if (survivor != null) {
            survivor.close();
        }
        if (provider != null) {
            provider.destroyForcibly();
        }
        if (postgres != null) {
            postgres.close();
        }
    }

    private static Process shop(int haltAt, List<String> ids) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of(postgres.getJdbcUrl("postgres", "postgres"), Integer.toString(port), Integer.toString(haltAt)));
        arguments.addAll(ids);
        return Child.java(Shop.class, arguments.toArray(String[]::new)).start();
    }

    /** What a process of the shop has said at its end. */
    private record End(int exit, String output) {
        boolean halted() {
            return Points.halted(exit);
        }

        int passed() {
            Matcher passed = Pattern.compile("passed (\\d+)").matcher(output);
            assertThat(passed.find()).as(output).isTrue();
            return Integer.parseInt(passed.group(1));
        }
    }

    private End run(int haltAt, String... ids) throws IOException, InterruptedException {
        Process process = shop(haltAt, List.of(ids));
        try {
            String output =
                    new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended").isTrue();
            End end = new End(process.exitValue(), output);
            assertThat(end.exit == 0 || end.halted())
                    .as("exit %s: %s", end.exit, output)
                    .isTrue();
            return end;
        } finally {
            process.destroyForcibly();
        }
    }

    private String order(String name) {
        orders.add(name);
        return name;
    }

    /** The number of points of one whole life of an order of this kind, as a process of its own passes them. */
    private int points(String kind) throws IOException, InterruptedException {
        int points = run(0, order("whole " + System.nanoTime() + " " + kind)).passed();
        System.out.println("crash: " + points + " points in the life of one " + kind + " order");
        assertThat(points).isGreaterThan(30);
        return points;
    }

    @Test
    @Timeout(1_200)
    void haltedAtEachPointOnce() throws IOException, InterruptedException {
        int halts = 0;
        for (String kind : KINDS) {
            int points = points(kind);
            for (int at = 1; at <= points; at++) {
                halts += run(at, order("single " + at + " " + kind)).halted() ? 1 : 0;
            }
        }
        System.out.println("crash: " + halts + " processes halted, each at one point");
        assertThat(halts).isGreaterThan(100);
    }

    @Test
    @Timeout(7_200)
    void haltedAgainWhileItRecovers() throws IOException, InterruptedException {
        Random random = new Random(SEED);
        int halts = 0;
        int pairs = 0;
        for (String kind : KINDS) {
            int points = points(kind);
            for (int first = 1; first <= points; first++) {
                for (int second = 1; second <= points; second++) {
                    if (FULL || random.nextInt(points * points) < 8) {
                        String id = order("pair " + first + " " + second + " " + kind);
                        halts += run(first, id).halted() ? 1 : 0;
                        halts += run(second, id).halted() ? 1 : 0;
                        pairs++;
                    }
                }
            }
        }
        System.out.println("crash: " + pairs + " pairs of points, " + halts + " processes halted");
    }

    @Test
    @Timeout(1_200)
    void killedAtRandomMoments() throws IOException, InterruptedException {
        Random random = new Random(SEED);
        int rounds = FULL ? 100 : 8;
        int killed = 0;
        for (int round = 0; round < rounds; round++) {
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                ids.add(order("kill " + round + " " + i + " " + KINDS.get(random.nextInt(KINDS.size()))));
            }
            Process one = shop(0, ids.subList(0, 14));
            Process two = shop(0, ids.subList(6, 20)); // eight of them are both's
            boolean ended = one.waitFor(200 + random.nextInt(1_500), TimeUnit.MILLISECONDS);
            killed += ended ? 0 : 1;
            one.destroyForcibly(); // SIGKILL
            ended = two.waitFor(random.nextInt(500), TimeUnit.MILLISECONDS);
            killed += ended ? 0 : 1;
            two.destroyForcibly();
            assertThat(one.waitFor(10, TimeUnit.SECONDS) && two.waitFor(10, TimeUnit.SECONDS))
                    .isTrue();
        }
        System.out.println("crash: " + killed + " of " + 2 * rounds + " processes killed while they were at it");
    }

    @AfterEach
    @Timeout(1_200)
    void everyOrderIsSettledAndAllSayTheSame() throws Exception {
        // By itself first: nobody asks for anything.
        Awaitility.await()
                .atMost(Duration.ofSeconds(120))
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> assertThat(Audit.unfinished(postgres.getPostgresDatabase()))
                        .as("unfinished after the leases have ended")
                        .isZero());
        Audit audit = new Audit(survivor, folder.resolve("ledger"));
        assertThat(audit.disagreements(orders, false)).isEmpty();
        // Then the callers who had no answer ask again.
        survivor.serve(orders);
        assertThat(audit.disagreements(orders, true)).isEmpty();
        System.out.println("crash: " + orders.size() + " orders settled; ledger, status and log agree");
    }
}

package io.heptad.recipes.orders;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A PostgreSQL for one run, started by a process of its own: to unpack it takes more memory than a recipe has, and it is stopped
 * when whoever wanted it is gone, however that came.
 */
final class PostgresServer implements AutoCloseable {
    private final Process process;
    private final String url;

    private PostgresServer(Process process, String url) {
        this.process = process;
        this.url = url;
    }

    /**
     * Serves until its input ends.
     *
     * @param none nothing
     * @throws Exception if PostgreSQL did not start
     */
    public static void main(String[] none) throws Exception {
        Thread.ofPlatform().daemon().name("parent").start(() -> {
            Shop.awaitTheEndOfTheInput();
            System.exit(0); // the server's own hook stops it, as after Ctrl-C
        });
        EmbeddedPostgres server = EmbeddedPostgres.builder().start();
        System.out.println(server.getJdbcUrl("postgres", "postgres"));
        System.out.flush();
        new CountDownLatch(1).await(); // until it is ended
    }

    static PostgresServer start() throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PostgresServer.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader lines = process.inputReader();
        String url = lines.readLine();
        if (url == null) {
            process.destroyForcibly();
            throw new IOException("PostgreSQL did not start, for the reason above. Its binaries come from Maven Central"
                    + " (io.zonky.test.postgres) for Linux on amd64; for another machine add the artifact of that"
                    + " machine to docs/pom.xml");
        }
        return new PostgresServer(process, url);
    }

    String url() {
        return url;
    }

    /** Lets it stop, and waits for that as long as there is time after a Ctrl-C: it needs nobody for it. */
    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        Object ignored = process.onExit()
                .orTimeout(500, TimeUnit.MILLISECONDS)
                .exceptionally(late -> process)
                .join();
    }
}

package io.heptad.recipes.readiness;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.heptad.core.FullException;
import io.heptad.core.VoidBody;
import io.heptad.sync.Latch;
import io.heptad.sync.LatchFailedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A service that takes requests at once and is ready when its parts are. Early requests wait at a latch, each in a virtual
 * thread; so many may wait, the next one is turned away, and a part that fails ends the wait of all.
 */
final class Service implements AutoCloseable {
    static {
        System.setProperty("sun.net.httpserver.nodelay", "true"); // read once, when the server is loaded
    }

    private final Latch parts;
    private final Duration patience;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private Service(Latch parts, Duration patience, HttpServer server) {
        this.parts = parts;
        this.patience = patience;
        this.server = server;
    }

    /** Listens from now on. {@code patience} is how long a request may wait: less than the client's own timeout. */
    static Service open(int mostWaiting, Duration patience, String... parts) throws IOException {
        Service service = new Service(
                Latch.ofParts("startup", mostWaiting, parts),
                patience,
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000));
        service.server.setExecutor(service.threads);
        service.server.createContext("/health/ready", service::handle);
        service.server.start();
        return service;
    }

    URI ready() {
        return URI.create("http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort() + "/health/ready");
    }

    Latch parts() {
        return parts;
    }

    // @start region=start
    /** Starts one part. If it fails, nobody is left to wait for. */
    void start(String part, VoidBody<? extends Exception> body) {
        threads.execute(() -> {
            try {
                body.run();
                parts.arrive(part);
            } catch (Throwable cause) {
                parts.fail(new PartFailedException(part, cause));
            }
        });
    }
    // @end

    // @start region=answer
    Answer answer() throws InterruptedException {
        try {
            return parts.await(patience) ? Answer.ready() : Answer.comeBack("still starting " + parts.missing());
        } catch (FullException full) { // as many wait as may
            return Answer.comeBack("starting, and " + full.capacity() + " wait already");
        } catch (LatchFailedException failed) {
            return Answer.failed(reason(failed));
        }
    }
    // @end

    private static String reason(LatchFailedException failed) {
        return failed.getCause() instanceof PartFailedException part ? part.reason() : failed.toString();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Answer answer = answer();
            answer.retryAfterSeconds()
                    .ifPresent(seconds -> exchange.getResponseHeaders().set("Retry-After", Long.toString(seconds)));
            byte[] text = answer.text().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer.status(), text.length);
            exchange.getResponseBody().write(text);
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}

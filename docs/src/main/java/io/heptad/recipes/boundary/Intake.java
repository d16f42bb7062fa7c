package io.heptad.recipes.boundary;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.queue.BoundedQueue;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An HTTP endpoint in front of a bounded queue that rejects: 202 when the queue took the event, 429 with
 * {@code Retry-After} when it is full. Either way the answer comes at once.
 */
final class Intake implements AutoCloseable {
    static {
        System.setProperty("sun.net.httpserver.nodelay", "true"); // read once, when the server is loaded
    }

    private final BoundedQueue<String> queue;
    private final HttpServer server;
    private final ExecutorService handlers = Executors.newVirtualThreadPerTaskExecutor();

    private Intake(BoundedQueue<String> queue, HttpServer server) {
        this.queue = queue;
        this.server = server;
    }

    static Intake open(int capacity) throws IOException {
        BoundedQueue<String> queue = BoundedQueue.<String>builder(capacity, FullPolicy.REJECT)
                .name("events")
                .build();
        Intake intake =
                new Intake(queue, HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000));
        intake.server.setExecutor(intake.handlers);
        intake.server.createContext("/events", intake::handle);
        intake.server.start();
        return intake;
    }

    URI uri() {
        return URI.create("http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort() + "/events");
    }

    BoundedQueue<String> queue() {
        return queue;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String event = new String(exchange.getRequestBody().readNBytes(1_000), StandardCharsets.UTF_8);
            Answer answer = answer(event);
            answer.retryAfter()
                    .ifPresent(seconds -> exchange.getResponseHeaders().set("Retry-After", Long.toString(seconds)));
            exchange.sendResponseHeaders(answer.status(), -1);
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    // @start region=answer
    /** What to tell the stranger: never anything that takes time. */
    Answer answer(String event) throws InterruptedException {
        try {
            queue.put(event); // REJECT: takes it or throws, and does not wait
            return Answer.accepted();
        } catch (FullException full) {
            return Answer.comeBack(full.retryAfter().orElse(Duration.ofSeconds(1)));
        }
    }
    // @end

    @Override
    public void close() {
        server.stop(0);
        handlers.shutdownNow();
        queue.closeNow();
    }
}

package io.heptad.recipes.uploads;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Who the orders are delivered to: an HTTP server on the loopback that takes its time, and counts. */
final class Receiver implements AutoCloseable {
    static {
        System.setProperty("sun.net.httpserver.nodelay", "true"); // read once, when the server is loaded
    }

    private final long leastNanos;
    private final long spreadNanos;
    private final double failing;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    private Receiver(List<Duration> latency, double failing, HttpServer server) {
        leastNanos = latency.getFirst().toNanos();
        spreadNanos = latency.getLast().toNanos() - leastNanos;
        this.failing = failing;
        this.server = server;
    }

    static Receiver open(List<Duration> latency, double failing) throws IOException {
        Receiver receiver = new Receiver(
                latency, failing, HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000));
        receiver.server.setExecutor(receiver.threads);
        receiver.server.createContext("/orders", receiver::handle);
        receiver.server.start();
        return receiver;
    }

    URI uri() {
        return URI.create("http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort() + "/orders");
    }

    private void handle(HttpExchange exchange) throws IOException {
        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
        try (exchange) {
            // What it does with an order follows from the order, so that a run can be repeated.
            double share = Integer.toUnsignedLong(
                            new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8).hashCode()
                                    * 0x9E3779B9)
                    / 0x1p32;
            TimeUnit.NANOSECONDS.sleep(leastNanos + (long) (spreadNanos * share));
            boolean fails = share * 7 % 1 < failing;
            inside.decrementAndGet();
            if (!fails) {
                accepted.incrementAndGet();
            }
            exchange.sendResponseHeaders(fails ? 500 : 201, -1);
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    /** The orders that it said yes to. */
    long accepted() {
        return accepted.get();
    }

    /** The most that were inside at once. */
    int most() {
        return most.get();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}

package io.heptad.recipes.partner;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A partner on the loopback: a real HTTP server with limits of its own, which it enforces and counts. It is the witness
 * of the run: what it says about the requests in flight comes from the other side of the sockets.
 *
 * <p>{@code POST /items/NAME} with the header {@code Attempt: n} is one request.
 */
final class Partner implements Witness, AutoCloseable {
    /*
     * A request counts as in flight from when its head has been read until just before the last byte of its reply is
     * written. Not until after it: the client has its reply, gives up its slot and starts the next request while the
     * handler here is still on its way out, and the count would pass the limit although the client never did.
     */
    static {
        // Head and body of a reply go out in two writes; without this the second waits for the client's delayed
        // acknowledgement of the first, 40 ms for nothing. The server reads the property once, when it is loaded.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private static final byte[] BODY = "{\"enriched\":true,\"by\":\"partner\"}".getBytes(StandardCharsets.UTF_8);

    private final Traits traits;
    private final HttpServer server;
    private final Runnable answered;
    private final ExecutorService handlers;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger peak = new AtomicInteger();
    private final LongAdder requests = new LongAdder();
    private final LongAdder tooMany = new LongAdder();
    private final LongAdder tooFast = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder hangUps = new LongAdder();
    private final SlidingSecond second;

    private Partner(Traits traits, HttpServer server, Runnable answered) {
        this.traits = traits;
        this.server = server;
        this.answered = answered;
        this.second = new SlidingSecond(traits.rate() == 0 ? Integer.MAX_VALUE : traits.rate() + traits.burst());
        this.handlers = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("partner-", 0).factory());
    }

    static Partner start(Traits traits) throws IOException {
        return start(traits, () -> {});
    }

    /** Also runs something in each handler once its whole reply is on its way, which is when a test wants to look. */
    static Partner start(Traits traits, Runnable answered) throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 2 * traits.connections());
        Partner partner = new Partner(traits, server, answered);
        server.setExecutor(partner.handlers);
        server.createContext("/items/", partner::handle);
        server.start();
        return partner;
    }

    URI uri() {
        return URI.create("http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort() + "/items/");
    }

    Traits traits() {
        return traits;
    }

    /** The most requests that were ever in flight together, refused ones included. */
    @Override
    public int peak() {
        return peak.get();
    }

    @Override
    public String says() {
        return String.format(
                Locale.ROOT,
                "%,d requests: %,d answered 500, %,d cut off, %,d over %d at a time (503), %,d over %d a second (429);"
                        + " busiest second %,d",
                requests(),
                failures(),
                hangUps(),
                tooMany(),
                traits.connections(),
                tooFast(),
                traits.rate(),
                busiestSecond());
    }

    int inFlight() {
        return inFlight.get();
    }

    long requests() {
        return requests.sum();
    }

    /** How many got 503 because so many others were in flight. */
    long tooMany() {
        return tooMany.sum();
    }

    /** How many got 429 because so many others had come within the second. */
    long tooFast() {
        return tooFast.sum();
    }

    long failures() {
        return failures.sum();
    }

    long hangUps() {
        return hangUps.sum();
    }

    /** The most requests that it let pass within any one second. */
    int busiestSecond() {
        return second.most();
    }

    @Override
    public void close() {
        closed.countDown(); // whoever is being slow stops being slow
        server.stop(0);
        handlers.shutdownNow();
    }

    private void handle(HttpExchange exchange) throws IOException {
        int now = inFlight.incrementAndGet();
        peak.accumulateAndGet(now, Math::max);
        requests.increment();
        Flight flight = new Flight(exchange);
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            if (now > traits.connections()) {
                tooMany.increment();
                flight.end(503, 0);
                return;
            }
            if (!second.admits(System.nanoTime())) {
                tooFast.increment();
                exchange.getResponseHeaders().set("Retry-After", "1");
                flight.end(429, 0);
                return;
            }
            String item = exchange.getRequestURI().getPath().substring("/items/".length());
            int attempt = Integer.parseInt(exchange.getRequestHeaders().getFirst("Attempt"));
            if (pause(traits.latency(item, attempt))) {
                return; // closing: the line goes dead
            }
            switch (traits.answer(item, attempt)) {
                case REPLY -> flight.end(200, BODY.length);
                case FAILURE -> {
                    failures.increment();
                    flight.end(500, 0);
                }
                case HANG_UP -> {
                    hangUps.increment();
                    flight.end(200, BODY.length / 2);
                }
            }
        } finally {
            flight.land();
        }
    }

    /** Waits so long; true if the partner closed meanwhile. */
    private boolean pause(Duration time) {
        try {
            return closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** One request in flight, which lands once. Used by the handler's thread only. */
    private final class Flight {
        private final HttpExchange exchange;
        private boolean landed;

        Flight(HttpExchange exchange) {
            this.exchange = exchange;
        }

        void end(int status, int bytes) throws IOException {
            if (status != 200) {
                land();
                exchange.sendResponseHeaders(status, -1);
                return;
            }
            exchange.sendResponseHeaders(status, BODY.length);
            OutputStream reply = exchange.getResponseBody();
            reply.write(BODY, 0, bytes - 1);
            reply.flush();
            land();
            reply.write(BODY, bytes - 1, 1);
            reply.flush(); // closing an unfinished reply cuts the connection
            answered.run();
        }

        void land() {
            if (!landed) {
                landed = true;
                inFlight.decrementAndGet();
            }
        }
    }

    /** At most so many within any second, looking back from each arrival. */
    private static final class SlidingSecond {
        private static final long SECOND = 1_000_000_000L;

        private final int limit;
        private final ReentrantLock lock = new ReentrantLock();
        private final ArrayDeque<Long> admitted = new ArrayDeque<>(); // at most limit of them
        private int most;

        SlidingSecond(int limit) {
            this.limit = limit;
        }

        boolean admits(long now) {
            lock.lock();
            try {
                for (Long first = admitted.peekFirst(); first != null && now - first >= SECOND; ) {
                    admitted.removeFirst();
                    first = admitted.peekFirst();
                }
                if (admitted.size() >= limit) {
                    return false;
                }
                admitted.addLast(now);
                most = Math.max(most, admitted.size());
                return true;
            } finally {
                lock.unlock();
            }
        }

        int most() {
            lock.lock();
            try {
                return most;
            } finally {
                lock.unlock();
            }
        }
    }
}

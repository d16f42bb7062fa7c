package io.heptad.recipes.orders;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.heptad.recipes.orders.Ledger.Line;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The other side: an HTTP server on the loopback that takes money, gives it back, packs, and takes mail. It lives in another
 * process than the shop, keeps its books in a {@link Ledger}, and answers a key that it has seen with what it answered first.
 */
final class Provider implements AutoCloseable {
    static final String KEY = "Idempotency-Key";
    static final String ORDER = "Order";
    static final String CALLER = "Caller";

    static {
        System.setProperty("sun.net.httpserver.nodelay", "true"); // read once, when the server is loaded
    }

    /** What is done to a caller at the worst moment: its call has been carried out, and the answer has not left. */
    interface Killer {
        /** Returns when the caller is dead; says what was done. */
        String kill(Line line) throws InterruptedException;
    }

    private record Trap(String kind, int from, Killer killer) {}

    private final Traits traits;
    private final Ledger ledger;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Integer> mails = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable Trap> trap = new AtomicReference<>();

    private Provider(Traits traits, Ledger ledger, HttpServer server) {
        this.traits = traits;
        this.ledger = ledger;
        this.server = server;
    }

    static Provider open(Traits traits, Path books) throws IOException {
        Provider provider = new Provider(
                traits,
                Ledger.open(books),
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000));
        provider.server.setExecutor(provider.threads);
        provider.server.createContext("/", provider::handle);
        provider.server.start();
        return provider;
    }

    URI uri() {
        return URI.create("http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort() + "/");
    }

    /** From so many charges on, the first call of the kind costs its caller the life. */
    void setTrap(String kind, int from, Killer killer) {
        trap.set(new Trap(kind, from, killer));
    }

    /** How many mails each order has had. */
    Map<String, Integer> mails() {
        return Map.copyOf(mails);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String kind = exchange.getRequestURI().getPath().substring(1);
            String order = header(exchange, ORDER);
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            if (kind.equals("mail")) {
                mails.merge(order, 1, Integer::sum);
                exchange.sendResponseHeaders(202, -1);
                return;
            }
            call(exchange, kind, header(exchange, KEY), order, Long.parseLong(body));
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    private void call(HttpExchange exchange, String kind, String key, String order, long cents)
            throws IOException, InterruptedException {
        TimeUnit.NANOSECONDS.sleep(traits.takes(kind + key).toNanos());
        // @start region=enter
        Ledger.Answer answer = ledger.enter(
                header(exchange, CALLER),
                kind,
                key,
                order,
                cents,
                traits.isDeclined(kind, order) ? Optional.of(refusal(kind)) : Optional.empty());
        // @end
        Line line = answer.line();
        Trap set = trap.get();
        if (set != null
                && line.entry() == Ledger.Entry.BOOKED
                && kind.equals(set.kind)
                && ledger.booked("charge") >= set.from
                && trap.compareAndSet(set, null)) {
            ledger.lost(line, set.killer.kill(line));
        } else if (line.entry() == Ledger.Entry.BOOKED && traits.isLost(kind + key)) {
            ledger.lost(line, "the line went dead");
        } else {
            byte[] reply = line.reply().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer.yes() ? 200 : 402, reply.length);
            exchange.getResponseBody().write(reply);
        }
    }

    private static String refusal(String kind) {
        return kind.equals("pack") ? "out of stock" : "card declined";
    }

    private static String header(HttpExchange exchange, String name) {
        return Optional.ofNullable(exchange.getRequestHeaders().getFirst(name))
                .orElseThrow(() -> new IllegalArgumentException("no header " + name.toLowerCase(Locale.ROOT)));
    }

    @Override
    public void close() throws IOException {
        server.stop(0);
        threads.shutdownNow();
        ledger.close();
    }
}

package io.heptad.recipes.readiness;

import io.heptad.recipes.BrokenRunException;
import io.heptad.recipes.Option;
import io.heptad.recipes.Options;
import java.io.FileNotFoundException;
import java.io.PrintStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A service of three parts gets requests before it is ready: once all parts come up, once one of them fails.
 */
public final class Readiness {
    /** What can be set. */
    public static final List<Option> OPTIONS = List.of(
            new Option("early", "20", "how many requests come before the service is ready"),
            new Option("line", "16", "how many of them may wait; the next ones are turned away"),
            new Option("fails", "config", "the part that fails in the second start: cache, config or db"));

    private static final List<String> PARTS = List.of("cache", "config", "db");
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** One answer as a client sees it. */
    record Seen(int status, String retryAfter, String text) {
        String line() {
            return status + (retryAfter.isEmpty() ? "" : " Retry-After " + retryAfter) + ": " + text;
        }
    }

    /** One start: what the early ones were told before anything had started, at the end, and what a late one was told. */
    record Start(List<Seen> atOnce, int waited, List<Seen> atTheEnd, Seen late) {}

    private Readiness() {}

    /**
     * Starts the service twice.
     *
     * @param options what was set
     * @param out where the answers go
     * @throws Exception if the service could not be opened or called
     */
    public static void run(Options options, PrintStream out) throws Exception {
        int early = options.count("early", 1, 10_000);
        int line = options.count("line", 1, 10_000);
        String fails = options.text("fails");
        if (!PARTS.contains(fails)) {
            throw options.refused("fails", "must be one of " + String.join(", ", PARTS));
        }
        int waiting = Math.min(early, line);
        out.printf(
                Locale.ROOT,
                "readiness: a service of %s; %,d requests come early, %,d may wait%n",
                String.join(", ", PARTS),
                early,
                line);

        Start good = start(early, line, "");
        say(out, "all parts come up", good);
        Start failed = start(early, line, fails);
        say(out, fails + " fails", failed);

        if (good.atTheEnd.stream().anyMatch(seen -> seen.status != 200)
                || failed.atTheEnd.stream().anyMatch(seen -> !seen.text.startsWith(fails + " failed: "))
                || good.waited != waiting
                || failed.waited != waiting) {
            throw new BrokenRunException(
                    "exactly " + waiting + " must wait and be told how it ended, but " + good.waited
                            + " and " + failed.waited + " waited and were told " + told(good.atTheEnd) + " and "
                            + told(failed.atTheEnd));
        }
    }

    private static void say(PrintStream out, String which, Start start) {
        out.printf(Locale.ROOT, "  %s%n", which);
        told(start.atOnce)
                .forEach((answer, count) -> out.printf(Locale.ROOT, "    at once   %,6d  %s%n", count, answer));
        told(start.atTheEnd)
                .forEach((answer, count) -> out.printf(Locale.ROOT, "    in the end%,6d  %s%n", count, answer));
        out.printf(Locale.ROOT, "    later     %,6d  %s%n", 1, start.late.line());
    }

    private static Map<String, Integer> told(List<Seen> answers) {
        Map<String, Integer> told = new TreeMap<>();
        answers.forEach(seen -> told.merge(seen.line(), 1, Integer::sum));
        return told;
    }

    /** The parts begin to come up when every early request either waits or was turned away. */
    static Start start(int early, int line, String fails) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient(); // closed last: it waits for its requests
                Service service = Service.open(line, PATIENCE, PARTS.toArray(String[]::new))) {
            List<CompletableFuture<Seen>> requests = new ArrayList<>();
            for (int i = 0; i < early; i++) {
                requests.add(get(http, service));
            }
            int waiting = Math.min(early, line);
            until(() -> service.parts().waiting() == waiting
                    && requests.stream().filter(CompletableFuture::isDone).count() == early - waiting);
            List<Seen> atOnce = requests.stream()
                    .filter(CompletableFuture::isDone)
                    .map(CompletableFuture::join)
                    .toList();
            int waited = service.parts().waiting();
            for (String part : PARTS) {
                service.start(part, () -> {
                    if (part.equals(fails)) {
                        throw new FileNotFoundException(part + ".properties");
                    }
                });
            }
            List<Seen> all = new ArrayList<>();
            for (CompletableFuture<Seen> request : requests) {
                all.add(request.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
            }
            atOnce.forEach(all::remove);
            return new Start(atOnce, waited, all, get(http, service).get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }
    }

    private static CompletableFuture<Seen> get(HttpClient http, Service service) {
        HttpRequest request = HttpRequest.newBuilder(service.ready())
                .timeout(PATIENCE.plusSeconds(10))
                .build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                .thenApply(answer -> new Seen(
                        answer.statusCode(),
                        answer.headers().firstValue("Retry-After").orElse(""),
                        answer.body()));
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("the early requests have not come within " + PATIENCE);
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }
}

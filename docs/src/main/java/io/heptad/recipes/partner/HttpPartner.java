package io.heptad.recipes.partner;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Calls the partner over HTTP. It limits nothing: whoever calls holds a slot, so there are as many calls as slots. */
final class HttpPartner implements PartnerApi {
    private final URI base;
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("http-", 0).factory());
    private final HttpClient client;

    HttpPartner(URI base) {
        this.base = base;
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(5))
                .executor(threads)
                .build();
    }

    @Override
    public String call(String item, int attempt, Duration timeout) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(base.resolve(item))
                .header("Attempt", Integer.toString(attempt))
                .header("Idempotency-Key", item) // a retry must not charge twice
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        // The request's own timeout ends with the head of the reply. Waiting on the future covers the body as well, and
        // cancelling it closes the connection.
        CompletableFuture<HttpResponse<String>> reply = client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
        try {
            return read(reply.get(timeout.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException late) {
            throw new PartnerException("timed out after " + timeout.toMillis() + " ms");
        } catch (ExecutionException failed) {
            Throwable under = failed.getCause();
            throw new PartnerException(
                    under instanceof java.net.ConnectException ? "no connection" : "hung up", null, under);
        } finally {
            reply.cancel(true); // no effect on a reply that is here
        }
    }

    private static String read(HttpResponse<String> reply) throws PartnerException {
        if (reply.statusCode() == 200) {
            return reply.body();
        }
        Duration retryAfter = Duration.ofSeconds(
                reply.headers().firstValueAsLong("Retry-After").orElse(0));
        throw new PartnerException("HTTP " + reply.statusCode(), retryAfter, null);
    }

    @Override
    public void close() {
        client.shutdownNow(); // the batch is over: whatever is still open was abandoned
        client.close();
        threads.close();
    }
}

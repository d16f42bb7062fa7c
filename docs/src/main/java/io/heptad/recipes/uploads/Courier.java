package io.heptad.recipes.uploads;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** The third stage: sends an order and waits for the answer. */
final class Courier implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI to;

    Courier(URI to) {
        this.to = to;
    }

    Receipt deliver(Order order) throws IOException, InterruptedException, RefusedUploadException {
        HttpRequest request = HttpRequest.newBuilder(to)
                .timeout(PATIENCE)
                .POST(HttpRequest.BodyPublishers.ofString(order.body()))
                .build();
        int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        if (status != 201) {
            throw new RefusedUploadException("HTTP " + status);
        }
        return new Receipt(order.upload().name(), order.cents());
    }

    /** What is delivered. */
    record Receipt(String name, long cents) {}

    @Override
    public void close() {
        http.shutdownNow();
    }
}

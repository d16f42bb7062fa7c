package io.heptad.recipes.orders;

import io.heptad.gate.Attempt;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** The shop's side of its calls. What is not a definite no is an {@link IOException}: nobody knows. */
final class Partners implements AutoCloseable {
    /** The other side has said no, and means it. */
    static final class DeclinedException extends Exception {
        private static final long serialVersionUID = 1L;

        DeclinedException(String message) {
            super(message);
        }
    }

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI to;
    private final String caller;

    Partners(URI to, String caller) {
        this.to = to;
        this.caller = caller;
    }

    // @start region=call
    /** The key goes along: it is what makes a repeat harmless. */
    String call(String kind, Attempt<?> attempt, long cents)
            throws IOException, InterruptedException, DeclinedException {
        HttpResponse<String> answer = http.send(
                request(kind, attempt.id(), cents)
                        .header(Provider.KEY, attempt.key())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        return switch (answer.statusCode()) {
            case 200 -> answer.body();
            case 402 -> throw new DeclinedException(answer.body());
            default -> throw new IOException("HTTP " + answer.statusCode()); // it may have happened
        };
    }
    // @end

    /** A mail, which may be lost. */
    void mail(String order) {
        try {
            Object ignored = http.send(request("mail", order, 0).build(), HttpResponse.BodyHandlers.discarding());
        } catch (IOException lost) {
            throw new IllegalStateException("the mail for " + order + " is lost", lost); // counted by the gate
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpRequest.Builder request(String kind, String order, long cents) {
        return HttpRequest.newBuilder(to.resolve(kind))
                .timeout(TIMEOUT)
                .header(Provider.ORDER, order)
                .header(Provider.CALLER, caller)
                .POST(HttpRequest.BodyPublishers.ofString(Long.toString(cents)));
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}

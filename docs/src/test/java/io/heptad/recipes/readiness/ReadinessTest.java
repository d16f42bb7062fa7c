package io.heptad.recipes.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadinessTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cache config db",
                "cache db config",
                "config cache db",
                "config db cache",
                "db cache config",
                "db config cache"
            })
    void twentyEarlyRequestsAreAnsweredOnceTheThirdPartIsThere(String order) throws Exception {
        String[] parts = order.split(" ");
        try (HttpClient http = HttpClient.newHttpClient(); // closed last: it waits for its requests
                Service service = Service.open(20, LONG, "cache", "config", "db")) {
            List<CompletableFuture<HttpResponse<String>>> early = requests(http, service, 20);
            Awaitility.await().until(() -> service.parts().waiting() == 20);
            for (int i = 0; i < 2; i++) {
                service.start(parts[i], () -> {});
                int left = 2 - i;
                Awaitility.await().until(() -> service.parts().remaining() == left);
                assertThat(early).noneMatch(CompletableFuture::isDone);
                assertThat(service.parts().waiting()).isEqualTo(20);
            }
            service.start(parts[2], () -> {});

            for (CompletableFuture<HttpResponse<String>> request : early) {
                assertThat(request.get().statusCode()).isEqualTo(200);
                assertThat(request.get().body()).isEqualTo("ok");
            }
            assertThat(service.parts().waiting()).isZero();
        }
    }

    @Test
    void whoComesWhenAsManyWaitAsMayIsTurnedAwayAtOnce() throws Exception {
        try (HttpClient http = HttpClient.newHttpClient(); // closed last: it waits for its requests
                Service service = Service.open(3, LONG, "cache", "config", "db")) {
            List<CompletableFuture<HttpResponse<String>>> early = requests(http, service, 3);
            Awaitility.await().until(() -> service.parts().waiting() == 3);

            HttpResponse<String> fourth = requests(http, service, 1).getFirst().get();
            assertThat(fourth.statusCode()).isEqualTo(503);
            assertThat(fourth.headers().firstValue("Retry-After")).contains("1");
            assertThat(fourth.body()).isEqualTo("starting, and 3 wait already");
            assertThat(early).noneMatch(CompletableFuture::isDone);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cache", "config", "db"})
    void aPartThatFailsIsNamedWithItsCauseToAllWhoWaitAndAllWhoComeLater(String part) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient(); // closed last: it waits for its requests
                Service service = Service.open(10, LONG, "cache", "config", "db")) {
            List<CompletableFuture<HttpResponse<String>>> early = requests(http, service, 10);
            Awaitility.await().until(() -> service.parts().waiting() == 10);
            service.start(part, () -> {
                throw new IOException("no such host");
            });
            early.addAll(requests(http, service, 1));

            for (CompletableFuture<HttpResponse<String>> request : early) {
                assertThat(request.get().statusCode()).isEqualTo(503);
                assertThat(request.get().headers().firstValue("Retry-After")).isEmpty();
                assertThat(request.get().body()).isEqualTo(part + " failed: java.io.IOException: no such host");
            }
            assertThat(service.parts().waiting()).isZero();
        }
    }

    @Test
    void whoHasWaitedForLongEnoughIsToldWhatIsMissing() throws Exception {
        try (Service service = Service.open(10, Duration.ofMillis(1), "cache", "config", "db")) {
            service.start("config", () -> {});
            Awaitility.await().until(() -> service.parts().remaining() == 2);

            Answer answer = service.answer();
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.retryAfterSeconds()).isEqualTo(OptionalLong.of(1));
            assertThat(answer.text()).isEqualTo("still starting [cache, db]");
        }
    }

    @Test
    void showsAGoodStartAndOneWithAFailingPart() throws Exception {
        Readiness.Start good = Readiness.start(6, 4, "");
        assertThat(good.waited()).isEqualTo(4);
        assertThat(good.atOnce())
                .hasSize(2)
                .allSatisfy(
                        seen -> assertThat(seen.line()).isEqualTo("503 Retry-After 1: starting, and 4 wait already"));
        assertThat(good.atTheEnd())
                .hasSize(4)
                .allSatisfy(seen -> assertThat(seen.line()).isEqualTo("200: ok"));
        assertThat(good.late().line()).isEqualTo("200: ok");

        Readiness.Start failed = Readiness.start(6, 4, "db");
        assertThat(failed.atOnce()).hasSize(2);
        assertThat(failed.atTheEnd())
                .hasSize(4)
                .allSatisfy(seen -> assertThat(seen.line())
                        .isEqualTo("503: db failed: java.io.FileNotFoundException: db.properties"));
        assertThat(failed.late()).isEqualTo(failed.atTheEnd().getFirst());
    }

    private static List<CompletableFuture<HttpResponse<String>>> requests(HttpClient http, Service service, int count) {
        List<CompletableFuture<HttpResponse<String>>> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests.add(http.sendAsync(
                    HttpRequest.newBuilder(service.ready()).build(), HttpResponse.BodyHandlers.ofString()));
        }
        return requests;
    }
}

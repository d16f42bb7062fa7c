package io.heptad.recipes.partner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.github.bucket4j.BlockingStrategy;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The partner and its client, over real sockets. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PartnerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Quick, unlimited and faultless, but for what is given. */
    private static Traits traits(int connections, int rate, Duration latency, double failing, double hangups) {
        return new Traits(connections, rate, 0, latency, latency, failing, 0, Duration.ZERO, hangups, 1);
    }

    @Test
    void answersAndIsCalledAgainOverTheSameConnections() throws Exception {
        try (Partner partner = Partner.start(traits(20, 0, Duration.ZERO, 0, 0));
                HttpPartner http = new HttpPartner(partner.uri())) {
            for (int i = 0; i < 50; i++) {
                assertThat(http.call("item-" + i, 1, PATIENCE)).contains("enriched");
            }
            assertThat(partner.requests()).isEqualTo(50);
            assertThat(partner.peak()).isEqualTo(1);
            assertThat(partner.inFlight()).isZero();
        }
    }

    @Test
    void refusesAndCountsWhatIsOverItsConnections() throws Exception {
        try (Partner partner = Partner.start(traits(3, 0, Duration.ofHours(1), 0, 0));
                HttpPartner http = new HttpPartner(partner.uri());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<String>> held = IntStream.range(0, 3)
                    .mapToObj(i -> threads.submit(() -> http.call("held-" + i, 1, Duration.ofHours(1))))
                    .toList();
            await().until(() -> partner.inFlight() == 3);

            assertThatExceptionOfType(PartnerException.class)
                    .isThrownBy(() -> http.call("one-more", 1, PATIENCE))
                    .withMessage("HTTP 503");
            assertThat(partner.tooMany()).isEqualTo(1);
            assertThat(partner.peak()).isEqualTo(4); // the witness counts what came, not only what it took

            held.forEach(call -> call.cancel(true));
        }
    }

    @Test
    void answers429WithATimeToComeBackToWhatIsOverItsRate() throws Exception {
        try (Partner partner = Partner.start(traits(20, 5, Duration.ZERO, 0, 0));
                HttpPartner http = new HttpPartner(partner.uri())) {
            for (int i = 0; i < 5; i++) {
                http.call("item-" + i, 1, PATIENCE);
            }
            assertThatExceptionOfType(PartnerException.class)
                    .isThrownBy(() -> http.call("one-more", 1, PATIENCE))
                    .withMessage("HTTP 429")
                    .satisfies(no -> assertThat(no.retryAfter()).isEqualTo(Duration.ofSeconds(1)));
            assertThat(partner.tooFast()).isEqualTo(1);
            assertThat(partner.busiestSecond()).isEqualTo(5);
        }
    }

    @Test
    void theRetryComesNoSoonerThanThePartnerSaid() throws Exception {
        try (Partner partner = Partner.start(traits(20, 5, Duration.ZERO, 0, 0));
                HttpPartner http = new HttpPartner(partner.uri())) {
            PatientCall call = new PatientCall(
                    http,
                    null,
                    BlockingStrategy.PARKING,
                    TimeMeter.SYSTEM_NANOTIME,
                    PatientCall.retries(2, attempt -> Duration.ZERO),
                    PATIENCE,
                    PATIENCE.multipliedBy(2),
                    nanos -> {});
            for (int i = 0; i < 5; i++) {
                call.apply("item-" + i);
            }
            assertThat(call.apply("one-more")).contains("enriched"); // a retry at once would have met another 429
            assertThat(partner.tooFast()).isEqualTo(1);
        }
    }

    @Test
    void aReplyThatBreaksOffIsAFailureOfThatItemOnly() throws Exception {
        try (Partner partner = Partner.start(traits(20, 0, Duration.ZERO, 0, 1));
                HttpPartner http = new HttpPartner(partner.uri())) {
            for (int i = 1; i <= 3; i++) {
                assertThatExceptionOfType(PartnerException.class)
                        .isThrownBy(() -> http.call("item-1", 1, PATIENCE))
                        .withMessage("hung up");
                assertThat(partner.hangUps()).isEqualTo(i);
            }
            assertThat(partner.inFlight()).isZero();
            assertThat(partner.peak()).isEqualTo(1);
        }
    }

    @Test
    void aCallThatTakesTooLongIsGivenUp() throws Exception {
        try (Partner partner = Partner.start(traits(20, 0, Duration.ofHours(1), 0, 0));
                HttpPartner http = new HttpPartner(partner.uri())) {
            assertThatExceptionOfType(PartnerException.class)
                    .isThrownBy(() -> http.call("item-1", 1, Duration.ofMillis(50)))
                    .withMessage("timed out after 50 ms");
        }
    }

    @Test
    void aCallThatIsInterruptedEndsAtOnce() throws Exception {
        try (Partner partner = Partner.start(traits(20, 0, Duration.ofHours(1), 0, 0));
                HttpPartner http = new HttpPartner(partner.uri());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<Throwable> call = () -> {
                try {
                    http.call("item-1", 1, Duration.ofHours(1));
                    return null;
                } catch (InterruptedException expected) {
                    return expected;
                }
            };
            var calling = new java.util.concurrent.CompletableFuture<Throwable>();
            Thread caller = Thread.ofVirtual().start(() -> {
                try {
                    calling.complete(call.call());
                } catch (Exception other) {
                    calling.complete(other);
                }
            });
            await().until(() -> partner.inFlight() == 1);
            caller.interrupt();
            assertThat(calling.get()).isInstanceOf(InterruptedException.class);
        }
    }

    @Test
    void doesNotCountARequestWhoseReplyIsOutAlthoughItsHandlerIsStillThere() throws Exception {
        CountDownLatch nextIsHere = new CountDownLatch(1);
        CountDownLatch oneIsAnswered = new CountDownLatch(1);
        Runnable answered = () -> {
            oneIsAnswered.countDown();
            try {
                nextIsHere.await();
            } catch (InterruptedException closing) {
                Thread.currentThread().interrupt();
            }
        };
        // Two clients, because the connection of the first is busy until its handler has left.
        try (Partner partner = Partner.start(traits(20, 0, Duration.ZERO, 0, 0), answered);
                HttpPartner one = new HttpPartner(partner.uri());
                HttpPartner other = new HttpPartner(partner.uri())) {
            assertThat(one.call("item-1", 1, PATIENCE)).contains("enriched");
            oneIsAnswered.await();
            assertThat(other.call("item-2", 1, PATIENCE)).contains("enriched");
            nextIsHere.countDown();

            assertThat(partner.requests()).isEqualTo(2);
            assertThat(partner.peak()).isEqualTo(1);
        }
    }

    @Test
    void closingLeavesNoThreadBehind() throws Exception {
        Partner partner = Partner.start(traits(20, 0, Duration.ofHours(1), 0, 0));
        HttpPartner http = new HttpPartner(partner.uri());
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<String> open = threads.submit(() -> http.call("item-1", 1, Duration.ofHours(1)));
            await().until(() -> partner.inFlight() == 1);
            http.close();
            partner.close();
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(open::get)
                    .withCauseInstanceOf(PartnerException.class);
        }
        await().untilAsserted(() -> assertThat(threadNames()).isEmpty());
    }

    /** The threads that an HTTP server or client of the JDK would leave. */
    static List<String> threadNames() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> Stream.of("HTTP-Dispatcher", "HttpClient-", "server-timer", "sampler", "idle-timeout")
                        .anyMatch(name::startsWith))
                .toList();
    }
}

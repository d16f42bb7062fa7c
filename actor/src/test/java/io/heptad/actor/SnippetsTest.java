package io.heptad.actor;

import static io.heptad.core.FullPolicy.BLOCK;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The examples of the javadoc do what they say. */
@Watched
class SnippetsTest {
    private static final Duration SOON = Duration.ofSeconds(10);

    @Test
    void theAccountAnswers() throws Exception {
        assertThat(Snippets.ask()).containsExactly(true, 70L);
    }

    @Test
    void theCounterStops() throws Exception {
        Actor<String> words = Snippets.behavior();
        words.send("a");
        words.send("enough");

        Call.until(() -> ((Owner<?, ?>) words.target()).isStopped());
        assertThat(words.stats().handled()).isEqualTo(2);
    }

    @Test
    void theSessionEndsWhenNobodyTouchesIt() throws Exception {
        Actor<Snippets.Session> session = Snippets.timer(Duration.ofMillis(1));
        session.send(new Snippets.Session.Touch());

        Call.until(() -> ((Owner<?, ?>) session.target()).isStopped());
        assertThat(session.stats().timers()).isZero();
    }

    @Test
    void theBuilderBuilds() throws Exception {
        List<Long> saved = new ArrayList<>();
        Actor<Snippets.Command> account =
                Snippets.builder((balance, command, context) -> balance + 7, new ArrayList<>(), saved);
        account.send(new Snippets.Command.Deposit(1));

        assertThat(account.close(SOON)).isTrue();
        assertThat(saved).containsExactly(7L);
        assertThat(Snippets.supervision()).hasSize(3);
    }

    @Test
    void theCircleIsNamed() throws Exception {
        List<String> said = new ArrayList<>();
        Actor<Snippets.Command>[] account = newArray();
        Actor<Reply<Long>> audit = Actor.of("audit", 10, BLOCK, 0, (none, reply, context) -> {
            said.add(Snippets.deadlock(account[0]));
            reply.ok(0L);
            return none;
        });
        account[0] = Actor.of("account", 10, BLOCK, 0, (none, command, context) -> {
            audit.<Long>call(reply -> reply, SOON);
            return none;
        });
        account[0].send(new Snippets.Command.Deposit(1));

        assertThat(account[0].close(SOON)).isTrue();
        assertThat(said).containsExactly("audit waits for account waits for audit");
    }

    @SuppressWarnings("unchecked")
    private static <M> Actor<M>[] newArray() {
        return new Actor[1];
    }
}

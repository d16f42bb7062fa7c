package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** The examples of the javadoc and of the page, compiled and run. */
@Watched
class KeyedLockSnippetsTest {
    private final Map<String, Integer> balances = new HashMap<>(Map.of("alice", 100, "bob", 50));

    private int read(String account) {
        return balances.get(account);
    }

    private void write(String account, int balance) {
        balances.put(account, balance);
    }

    @Test
    void oneBodyAtATimeForAKey() throws InterruptedException {
        // @start region="keyed-lock"
        KeyedLock<String> accounts = KeyedLock.of("accounts");

        int balance = accounts.withLock(
                "alice",
                () -> { // whoever wants "bob" does not wait for this
                    int changed = read("alice") + 10;
                    write("alice", changed);
                    return changed;
                });
        // @end
        assertThat(balance).isEqualTo(110);
        assertThat(accounts.keys()).isZero();
    }

    @Test
    void forALimitedTime() throws InterruptedException {
        KeyedLock<String> accounts = KeyedLock.of("accounts");
        String answer;
        // @start region="keyed-lock-timeout"
        try {
            answer = accounts.withLock("alice", Duration.ofSeconds(2), () -> "balance " + read("alice"));
        } catch (TimeoutException busy) {
            answer = busy.getMessage(); // accounts: key alice was not free within PT2S, Thread[#42,…] is inside, 3 wait
        }
        // @end
        assertThat(answer).isEqualTo("balance 100");
    }

    @Test
    void twoKeysInOneOrder() throws InterruptedException {
        KeyedLock<String> accounts = KeyedLock.of("accounts");
        String from = "bob";
        String to = "alice";
        // @start region="keyed-lock-two"
        String first = from.compareTo(to) < 0 ? from : to; // whoever needs two keys takes them in one order
        String second = first.equals(from) ? to : from;
        accounts.withLock(
                first,
                () -> accounts.withLock(second, () -> {
                    write(from, read(from) - 20);
                    write(to, read(to) + 20);
                }));
        // @end
        assertThat(balances).containsEntry("alice", 120).containsEntry("bob", 30);
    }
}

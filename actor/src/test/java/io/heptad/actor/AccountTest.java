package io.heptad.actor;

import static io.heptad.core.FullPolicy.BLOCK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.actor.Account.Message;
import io.heptad.actor.Account.Message.Balance;
import io.heptad.actor.Account.Message.Deposit;
import io.heptad.actor.Account.Message.Poison;
import io.heptad.actor.Account.Message.Withdraw;
import io.heptad.contract.Watched;
import io.heptad.core.FullPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The account of the pattern text: one owner of a balance, and everybody else sends messages. */
@Watched
class AccountTest {
    private static final Duration SOON = Duration.ofSeconds(10);

    private final Account account = new Account();

    private Actor<Message> open(long balance) {
        return Actor.of("account", 100, BLOCK, balance, account);
    }

    private static long balance(Actor<Message> account) throws Exception {
        return account.<Long>call(Balance::new, SOON);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eightSendersOfTenThousandDepositsLoseNone(boolean virtual) throws Exception {
        try (Actor<Message> actor = open(0)) {
            List<Call<Object>> senders = IntStream.range(0, 8)
                    .mapToObj(sender -> Call.<Object>start(virtual, () -> {
                        for (int i = 0; i < 10_000; i++) {
                            actor.send(new Deposit(1));
                        }
                        return "done";
                    }))
                    .toList();
            senders.forEach(sender -> assertThat(sender.outcome()).isEqualTo("done"));

            assertThat(balance(actor)).isEqualTo(80_000);
            assertThat(account.insideAtMost).hasValue(1);
        }
    }

    @Test
    void checkThenActIsSafeAndNeverNegative() throws Exception {
        try (Actor<Message> actor = open(100)) {
            List<CompletableFuture<Boolean>> answers = new ArrayList<>();
            List<Call<List<CompletableFuture<Boolean>>>> askers = IntStream.range(0, 8)
                    .mapToObj(asker -> Call.start(true, () -> {
                        List<CompletableFuture<Boolean>> mine = new ArrayList<>();
                        for (int i = 0; i < 25; i++) {
                            CompletableFuture<Boolean> answer = CompletableFuture.completedFuture(
                                    actor.<Boolean>call(reply -> new Withdraw(1, reply), SOON));
                            mine.add(answer);
                        }
                        return mine;
                    }))
                    .toList();
            for (Call<List<CompletableFuture<Boolean>>> asker : askers) {
                @SuppressWarnings("unchecked")
                List<CompletableFuture<Boolean>> mine = (List<CompletableFuture<Boolean>>) asker.outcome();
                answers.addAll(mine);
            }

            Map<Boolean, Long> outcomes =
                    answers.stream().collect(Collectors.groupingBy(CompletableFuture::join, Collectors.counting()));
            assertThat(outcomes).isEqualTo(Map.of(true, 100L, false, 100L));
            assertThat(balance(actor)).isZero();
            assertThat(account.lowest).hasValue(0L);
        }
    }

    @Test
    void afterAPoisonedMessageTenDepositsAreAllApplied() throws Exception {
        try (Actor<Message> actor = open(0)) {
            CompletableFuture<Boolean> poisoned = actor.ask(Poison::new, SOON);
            for (int i = 0; i < 10; i++) {
                actor.send(new Deposit(1));
            }

            assertThat(balance(actor)).isEqualTo(10);
            assertThat(actor.stats().failed()).isEqualTo(1);
            assertThatThrownBy(poisoned::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(Account.PoisonException.class);
            assertThatThrownBy(() -> actor.<Boolean>call(Poison::new, SOON))
                    .isInstanceOf(Account.PoisonException.class);
        }
    }

    @Test
    void aReplyCallbackThatThrowsDoesNotEndTheLoop() throws Exception {
        try (Actor<Message> actor = open(5)) {
            CompletableFuture<Void> dependent = actor.<Long>ask(Balance::new, SOON)
                    .thenAccept(balance -> {
                        throw new IllegalStateException("callback");
                    });

            assertThatThrownBy(dependent::get).hasRootCauseMessage("callback");
            assertThat(balance(actor)).isEqualTo(5);
            assertThat(actor.stats().failed()).isZero();
        }
    }

    @Test
    void aHandlerThatWaitsForWorkElsewhereKeepsTheNextMessageOut() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> checked = new CompletableFuture<>();
        try (Actor<Message> actor = Actor.of("account", 10, BLOCK, 100L, (balance, message, context) -> {
            begun.countDown();
            checked.join(); // asynchronous work between the check and the act: awaited, there is no other way
            return account.handle(balance, message, context);
        })) {
            CompletableFuture<Boolean> first = actor.ask(reply -> new Withdraw(100, reply), SOON);
            CompletableFuture<Boolean> second = actor.ask(reply -> new Withdraw(100, reply), SOON);
            begun.await();
            assertThat(actor.depth()).isEqualTo(1);
            checked.complete(null);

            assertThat(List.of(first.get(), second.get())).containsExactly(true, false);
            assertThat(balance(actor)).isZero();
        }
    }

    @Test
    void theOrderOfEachSenderIsKept() throws Exception {
        record Numbered(int sender, int number) {}
        Map<Integer, List<Integer>> seen = new HashMap<>();
        Actor<Numbered> actor = Actor.of("order", 16, BLOCK, seen, (lists, message, context) -> {
            lists.computeIfAbsent(message.sender(), any -> new ArrayList<>()).add(message.number());
            return lists;
        });
        List<Call<Object>> senders = IntStream.range(0, 4)
                .mapToObj(sender -> Call.<Object>start(sender % 2 == 0, () -> {
                    for (int i = 1; i <= 1_000; i++) {
                        actor.send(new Numbered(sender, i));
                    }
                    return "done";
                }))
                .toList();
        senders.forEach(sender -> assertThat(sender.outcome()).isEqualTo("done"));

        assertThat(actor.close(SOON)).isTrue();
        List<Integer> all = IntStream.rangeClosed(1, 1_000).boxed().toList();
        assertThat(seen).isEqualTo(Map.of(0, all, 1, all, 2, all, 3, all));
    }

    @Test
    void aMessageThatCopiesItsListIsNotChangedByItsSender() throws Exception {
        record Order(List<String> items) {
            Order {
                items = List.copyOf(items);
            }
        }
        Held held = new Held();
        List<String> seen = new ArrayList<>();
        Actor<Order> actor = Actor.of("orders", 10, BLOCK, seen, (list, order, context) -> {
            held.here();
            list.addAll(order.items());
            return list;
        });
        List<String> items = new ArrayList<>(List.of("tea"));
        actor.send(new Order(items));
        held.awaitBegun();
        items.add("coffee");
        held.release();

        assertThat(actor.close(SOON)).isTrue();
        assertThat(seen).containsExactly("tea");
    }

    @Test
    void actorsWorkAtTheSameTimeAndEachDoesOneThing() throws Exception {
        CountDownLatch allInside = new CountDownLatch(4);
        List<Actor<Message>> actors = IntStream.range(0, 4)
                .mapToObj(i -> Actor.<Long, Message>of("account-" + i, 10, BLOCK, 0L, (balance, message, context) -> {
                    allInside.countDown();
                    allInside.await();
                    return account.handle(balance, message, context);
                }))
                .toList();
        for (Actor<Message> actor : actors) {
            actor.send(new Deposit(1));
            actor.send(new Deposit(1));
        }

        for (Actor<Message> actor : actors) {
            assertThat(balance(actor)).isEqualTo(2);
            actor.close();
        }
    }

    @Test
    void theStateCannotBeReachedFromOutside() {
        Set<String> methods = Arrays.stream(Actor.class.getMethods())
                .filter(method ->
                        method.getDeclaringClass() == Actor.class && !Modifier.isStatic(method.getModifiers()))
                .map(Method::getName)
                .collect(Collectors.toSet());

        assertThat(methods)
                .containsExactlyInAnyOrder(
                        "send",
                        "offer",
                        "ask",
                        "call",
                        "close",
                        "closeNow", // messages, and the end
                        "name",
                        "capacity",
                        "whenFull",
                        "depth",
                        "oldestAge",
                        "stats",
                        "metrics",
                        "toString");
        assertThat(Arrays.stream(Actor.class.getFields())).isEmpty();
        assertThat(Arrays.stream(ActorContext.class.getMethods()).map(Method::getName))
                .containsExactlyInAnyOrder("self", "stop", "sendAfter");
    }

    @Test
    void thereIsNoMailboxWithoutABoundAndNoneWithoutAPolicy() {
        assertThat(Arrays.stream(Actor.class.getMethods()).filter(method -> Modifier.isStatic(method.getModifiers())))
                .extracting(Method::getName)
                .containsExactlyInAnyOrder("of", "named");
        assertThat(Arrays.stream(Actor.Start.class.getDeclaredMethods())
                        .filter(method -> Modifier.isPublic(method.getModifiers())))
                .singleElement()
                .satisfies(
                        method -> assertThat(method.getParameterTypes()).containsExactly(int.class, FullPolicy.class));
    }
}

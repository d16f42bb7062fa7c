package io.heptad.recipes.approval;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.gate.Move;
import io.heptad.gate.OutboxMessage;
import io.heptad.recipes.Options;
import io.heptad.recipes.approval.Document.Approve;
import io.heptad.recipes.approval.Document.Approved;
import io.heptad.recipes.approval.Document.Draft;
import io.heptad.recipes.approval.Document.Event;
import io.heptad.recipes.approval.Document.Expire;
import io.heptad.recipes.approval.Document.Expired;
import io.heptad.recipes.approval.Document.InReview;
import io.heptad.recipes.approval.Document.Publish;
import io.heptad.recipes.approval.Document.Published;
import io.heptad.recipes.approval.Document.Reject;
import io.heptad.recipes.approval.Document.Rejected;
import io.heptad.recipes.approval.Document.Revise;
import io.heptad.recipes.approval.Document.Submit;
import io.heptad.recipes.approval.Document.Withdraw;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DocumentApprovalTest {
    private static final Document.Rules RULES = new Document.Rules(2, Duration.ofMinutes(1));

    @TempDir
    Path folder;

    @Test
    void whatNobodyAnsweredExpiresAndWhatMustBeToldIsToldAlsoAfterARestart() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DocumentApproval.run(
                Options.of(DocumentApproval.OPTIONS, List.of("items=30", "within=4s", "output=" + folder)),
                new PrintStream(out, true, StandardCharsets.UTF_8));
        String said = out.toString(StandardCharsets.UTF_8);

        assertThat(said)
                .contains("refused: 3 that would have published what is still in review")
                .containsPattern("closed: \\{.*InReview=[1-6], ")
                .contains("expired by themselves: {Draft=3, Expired=6, Published=21}")
                .contains("messages: 30 owed, 30 came, 3 of them twice and left out by their id; doubles 0, lost 0")
                .contains("pages on the site: 21, published in the store: 21")
                .contains("document-2, step by step", "by Reject[reviewer=reviewer-1, why=no sources]", "revision=2");
    }

    @Test
    void onlyWhatIsListedIsLegal() {
        Map<Class<? extends Document>, Set<Class<? extends Event>>> legal = Map.of(
                Draft.class,
                Set.of(Submit.class),
                InReview.class,
                Set.of(Approve.class, Reject.class, Expire.class),
                Approved.class,
                Set.of(Publish.class),
                Published.class,
                Set.of(Withdraw.class),
                Rejected.class,
                Set.of(Revise.class),
                Expired.class,
                Set.of(Revise.class));
        List<Document> documents = List.of(
                new Draft("t", 1),
                new InReview("t", 1, List.of()),
                new Approved("t", 1, List.of("a", "b")),
                new Published("t", 1, "/t"),
                new Rejected("t", 1, "a", "no"),
                new Expired("t", 1));
        List<Event> events = List.of(
                new Submit(),
                new Approve("a"),
                new Reject("a", "no"),
                new Expire(),
                new Publish(),
                new Withdraw(),
                new Revise());

        assertThat(documents).hasSize(Document.class.getPermittedSubclasses().length);
        assertThat(events).hasSize(Event.class.getPermittedSubclasses().length);
        for (Document document : documents) {
            for (Event event : events) {
                Move<Document, Event> move = RULES.next(document, event);
                assertThat(move.isLegal())
                        .as("%s in %s", event, document)
                        .isEqualTo(legal.get(document.getClass()).contains(event.getClass()));
            }
        }
        assertThat(RULES.next(new InReview("t", 1, List.of("a")), new Approve("a"))
                        .isLegal())
                .as("nobody approves twice")
                .isFalse();
    }

    @Test
    void aMessageThatIsHeldUpHoldsUpThoseOfItsDocumentOnly() throws Exception {
        Site site = new Site();
        try (Office office =
                Office.open(folder.resolve("documents"), new Document.Rules(1, Duration.ofMinutes(1)), site)) {
            for (String id : List.of("A", "B")) {
                office.draft(id, id);
                for (Event event : List.of(
                        new Submit(),
                        new Approve("a"),
                        new Publish(),
                        new Withdraw(),
                        new Submit(),
                        new Approve("a"),
                        new Publish())) {
                    Document ignored = office.tell(id, event);
                }
            }
            assertThat(office.store().outbox(10)).hasSize(4);
            Subscriber away = new Subscriber() {
                @Override
                void receive(OutboxMessage message) throws IOException {
                    if (message.orderKey().equals("A")) {
                        throw new IOException("away");
                    }
                    super.receive(message);
                }
            };
            assertThat(office.send(away)).isEqualTo(2);
            assertThat(away.told()).extracting(OutboxMessage::orderKey).containsExactly("B", "B");
            assertThat(office.store().outbox(10))
                    .extracting(OutboxMessage::orderKey)
                    .containsExactly("A", "A");
            assertThat(site.pages()).containsOnlyKeys("A", "B");
        }
    }

    /** The engine knows no orders, and this recipe has none. */
    @Test
    void nothingHereIsOfTheOrders() throws IOException {
        Path sources = Path.of("src/main/java/io/heptad/recipes/approval");
        try (Stream<Path> files = Files.list(sources)) {
            assertThat(files.toList())
                    .hasSizeGreaterThan(4)
                    .allSatisfy(file -> assertThat(Files.readString(file)).doesNotContain("io.heptad.recipes.orders"));
        }
    }
}

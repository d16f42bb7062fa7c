package io.heptad.recipes.approval;

import static io.heptad.gate.Move.also;
import static io.heptad.gate.Move.illegal;
import static io.heptad.gate.Move.perform;
import static io.heptad.gate.Move.to;
import static io.heptad.gate.Move.undo;

import io.heptad.gate.Action;
import io.heptad.gate.Move;
import io.heptad.gate.jdbc.Codec;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/** A document on its way from draft to published. */
sealed interface Document {
    record Draft(String title, int revision) implements Document {}

    record InReview(String title, int revision, List<String> approvedBy) implements Document {
        InReview and(String reviewer) {
            return new InReview(
                    title,
                    revision,
                    Stream.concat(approvedBy.stream(), Stream.of(reviewer)).toList());
        }
    }

    record Approved(String title, int revision, List<String> by) implements Document {}

    record Published(String title, int revision, String address) implements Document {}

    record Rejected(String title, int revision, String by, String why) implements Document {}

    record Expired(String title, int revision) implements Document {}

    /** What may happen to a document. */
    sealed interface Event {}

    record Submit() implements Event {}

    record Approve(String reviewer) implements Event {}

    record Reject(String reviewer, String why) implements Event {}

    /** Nobody sends it: it is the timer's. */
    record Expire() implements Event {}

    record Publish() implements Event {}

    record Withdraw() implements Event {}

    record Revise() implements Event {}

    /** What is put on the site. */
    record Page(String title, int revision) {}

    Action<Page, String> UPLOAD = Action.named("upload", Page.class, String.class);

    /**
     * The rules of the house.
     *
     * @param reviewers how many have to approve
     * @param within how long they have, each time anew
     */
    record Rules(int reviewers, Duration within) {
        // @start region=machine
        Move<Document, Event> next(Document document, Event event) {
            return switch (document) {
                case Draft d when event instanceof Submit -> waiting(new InReview(d.title(), d.revision(), List.of()));
                case InReview r
                when event instanceof Approve a && !r.approvedBy().contains(a.reviewer()) ->
                    r.approvedBy().size() + 1 < reviewers
                            ? waiting(r.and(a.reviewer()))
                            : to(new Approved(
                                    r.title(), r.revision(), r.and(a.reviewer()).approvedBy()));
                case InReview r
                when event instanceof Reject no -> to(new Rejected(r.title(), r.revision(), no.reviewer(), no.why()));
                case InReview r when event instanceof Expire -> to(new Expired(r.title(), r.revision()));
                case Approved a
                when event instanceof Publish ->
                    perform(
                            UPLOAD,
                            new Page(a.title(), a.revision()),
                            address -> new Published(a.title(), a.revision(), address));
                case Published p when event instanceof Withdraw -> undo(UPLOAD, new Draft(p.title(), p.revision() + 1));
                case Rejected r when event instanceof Revise -> to(new Draft(r.title(), r.revision() + 1));
                case Expired e when event instanceof Revise -> to(new Draft(e.title(), e.revision() + 1));
                case Draft d -> illegal(d, event);
                case InReview r -> illegal(r, event);
                case Approved a -> illegal(a, event);
                case Published p -> illegal(p, event);
                case Rejected r -> illegal(r, event);
                case Expired e -> illegal(e, event);
            };
        }

        /** In review, and not for ever. */
        private Move<Document, Event> waiting(InReview review) {
            return also(to(review), within, new Expire());
        }
        // @end
    }

    /** How all of it is stored. */
    static Codec codec() {
        ObjectMapper json = new JsonMapper();
        return Codec.builder(json::writeValueAsBytes, json::readValue)
                .type("draft", 1, Draft.class)
                .type("in review", 1, InReview.class)
                .type("approved", 1, Approved.class)
                .type("published", 1, Published.class)
                .type("rejected", 1, Rejected.class)
                .type("expired", 1, Expired.class)
                .type("submit", 1, Submit.class)
                .type("approve", 1, Approve.class)
                .type("reject", 1, Reject.class)
                .type("expire", 1, Expire.class)
                .type("publish", 1, Publish.class)
                .type("withdraw", 1, Withdraw.class)
                .type("revise", 1, Revise.class)
                .type("page", 1, Page.class)
                .type("text", 1, String.class)
                .build();
    }
}

package io.heptad.recipes.approval;

import io.heptad.gate.OutboxMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Who is told. Of what comes at least once it makes once, by leaving out the ids that it has seen. */
class Subscriber {
    private static final int EVERY = 9;

    private final Set<String> seen = new HashSet<>();
    private final List<OutboxMessage> told = new ArrayList<>();
    private int repeats;

    /** Takes a message; now and then nobody hears that it did. */
    void receive(OutboxMessage message) throws IOException {
        if (!seen.add(message.id())) {
            repeats++;
            return;
        }
        told.add(message);
        if (told.size() % EVERY == 0) {
            throw new IOException("no answer");
        }
    }

    List<OutboxMessage> told() {
        return List.copyOf(told);
    }

    int repeats() {
        return repeats;
    }
}

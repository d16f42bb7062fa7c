package io.heptad.stress;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What is left once the actors are done, as the last word of an outcome. */
public final class Rest {
    private Rest() {}

    /**
     * Polls until there is nothing.
     *
     * @param poll gives null at the end
     * @return the items in order, as a list prints itself
     */
    public static String of(Supplier<?> poll) {
        List<Object> items = new ArrayList<>();
        for (Object item; (item = poll.get()) != null; ) {
            items.add(item);
        }
        return items.toString();
    }
}

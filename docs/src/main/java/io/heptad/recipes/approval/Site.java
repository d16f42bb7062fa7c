package io.heptad.recipes.approval;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Where documents are published. It knows its keys, and now and then its answer is lost. */
final class Site {
    private static final int EVERY = 5;

    private final Map<String, Document.Page> pages = new ConcurrentHashMap<>();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    /** Puts a page there; the same key again changes nothing. */
    String put(String key, String id, Document.Page page) throws IOException {
        if (seen.add(key)) {
            pages.put(id, page);
            answer();
        }
        return "/" + id;
    }

    /** Takes it away again. */
    void remove(String key, String id) throws IOException {
        if (seen.add(key)) {
            pages.remove(id);
            answer();
        }
    }

    private void answer() throws IOException {
        if (seen.size() % EVERY == 0) {
            throw new IOException("no answer");
        }
    }

    Map<String, Document.Page> pages() {
        return Map.copyOf(pages);
    }
}

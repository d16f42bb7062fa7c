package io.heptad.core;

/**
 * What a shape does with one item more than it has room for. The choice is the caller's to write down: no constructor
 * in Heptad picks one by default.
 *
 * <p>There are three answers, and the third comes in two forms:
 *
 * <table>
 * <caption>Choosing a policy</caption>
 * <tr><th>Policy</th><th>Right when</th><th>Cost</th></tr>
 * <tr><td>{@link #BLOCK}</td><td>the producer is your own code and can wait</td><td>slowness travels upstream</td></tr>
 * <tr><td>{@link #REJECT}</td><td>the producer is a stranger: answer 429 at once</td><td>the caller must retry</td></tr>
 * <tr><td>{@link #DROP_NEWEST}, {@link #DROP_OLDEST}</td><td>losing an item is acceptable</td>
 *     <td>loss, so every drop is counted and handed to a hook</td></tr>
 * </table>
 *
 * <p>A fourth answer, to grow, is not offered: it postpones the failure to the moment when memory ends, and hides it until
 * then.
 */
public enum FullPolicy {
    /** The producer waits for space: backpressure. */
    BLOCK,
    /** The producer is told at once, by a {@link FullException}. */
    REJECT,
    /** The new item is dropped, counted, and handed to the drop hook. */
    DROP_NEWEST,
    /** The item that has waited longest makes room; it is counted and handed to the drop hook. */
    DROP_OLDEST
}

package io.heptad.recipes.partner;

import java.io.IOException;
import java.time.Duration;

/** What the batch needs of the partner: one call for one item. */
interface PartnerApi extends AutoCloseable {
    /**
     * Calls the partner once.
     *
     * @param item the item
     * @param attempt which attempt this is, from 1
     * @param timeout how long the whole reply may take, its last byte included
     * @return what the partner said
     * @throws PartnerException if the partner answered with anything but success, or did not answer in time
     * @throws IOException if the connection could not be made
     * @throws InterruptedException if interrupted; the call is abandoned
     */
    String call(String item, int attempt, Duration timeout) throws IOException, InterruptedException;

    @Override
    void close();
}

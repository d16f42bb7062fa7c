package io.heptad.future;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Code that the documentation shows. */
final class FuturesSnippets {
    record Quote(String shop, int cents) {}

    private FuturesSnippets() {}

    static List<Quote> quotes(List<String> shops, Function<String, CompletableFuture<Quote>> ask) {
        List<Quote> quotes = new ArrayList<>();
        // @start region="page"
        List<CompletableFuture<Quote>> asked = shops.stream().map(ask).toList(); // start all of them first
        for (Outcome<Quote> outcome : Futures.allSettled(asked).join()) { // and wait once
            switch (outcome) {
                case Outcome.Success<Quote>(Quote quote) -> quotes.add(quote);
                case Outcome.Failure<Quote>(Throwable cause) -> System.err.println("no quote: " + cause);
            }
        }
        // @end
        return quotes;
    }
}

package io.heptad.bench.pipeline;

import java.util.stream.IntStream;

/** What goes through the stages. All of them are made beforehand, so that a stage allocates nothing for its work. */
record Item(int at) {
    private static final int DISTINCT = 1024;
    private static final Item[] ALL =
            IntStream.range(0, DISTINCT).mapToObj(Item::new).toArray(Item[]::new);

    static Item of(int number) {
        return ALL[number & (DISTINCT - 1)];
    }

    /** The work of a cheap stage. */
    Item next() {
        return of(at + 1);
    }

    /** The sum of what comes out of {@code stages} cheap stages when the first {@code n} items went in. */
    static long sum(int n, int stages) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += of(i + stages).at;
        }
        return sum;
    }
}

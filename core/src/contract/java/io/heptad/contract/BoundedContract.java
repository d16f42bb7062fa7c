package io.heptad.contract;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.DROP_NEWEST;
import static io.heptad.core.FullPolicy.DROP_OLDEST;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.heptad.core.Bounded;
import io.heptad.core.ClosedException;
import io.heptad.core.DepthTrend;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.Metric;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The three questions, asked of every shape that holds work: what bounds it, what happens when it is full, how deep is
 * it. A shape extends this class, says in {@link #open} how to build one, and inherits the answers it has to give.
 *
 * <p>Each test builds a shape whose one consumer is stuck inside its handler, so what is put in stays in.
 */
@Watched
public abstract class BoundedContract {
    private static final Item PLUG = new Item(-1);

    private final Handler handler = new Handler();
    private Subject subject;
    private Bounded shape;

    /** A shape under test, under its role's names. */
    public interface Subject {
        /** The shape itself. */
        Bounded shape();

        /**
         * Hands over an item, following the policy.
         *
         * @return true if the shape took it; false if it dropped it ({@link FullPolicy#DROP_NEWEST})
         * @throws FullException at once, if the shape is full and rejects
         * @throws ClosedException if the shape is closed, also while this call waits
         * @throws InterruptedException if interrupted while it waits; the item was not taken
         */
        boolean put(Item item) throws InterruptedException;

        /** Hands over an item without waiting and without dropping another; false when there is no room. */
        boolean offer(Item item);

        /** Ends intake. May wait for the consumer. */
        void close();
    }

    /**
     * Builds a shape with one consumer, which calls {@link Handler#handle} for one item after another.
     *
     * @param name the name of the shape
     * @param capacity the bound on the items that wait
     * @param whenFull the policy
     * @param handler the consumer's work
     */
    protected abstract Subject open(String name, int capacity, FullPolicy whenFull, Handler handler);

    /** What the shape calls its bound: the word that an error about it must contain. */
    protected String bound() {
        return "capacity";
    }

    /** The policies under which the shape has a call that neither waits nor drops another item. */
    protected Set<FullPolicy> offering() {
        return EnumSet.allOf(FullPolicy.class);
    }

    /** How long to wait for what must come, before the test fails. */
    protected Duration patience() {
        return Duration.ofSeconds(10);
    }

    private void openStuck(int capacity, FullPolicy whenFull) throws InterruptedException {
        subject = open("letters", capacity, whenFull, handler);
        shape = subject.shape();
        assertThat(subject.put(PLUG)).isTrue();
        await().until(() -> handler.entered() == 1);
    }

    private void fill(int capacity, FullPolicy whenFull) throws InterruptedException {
        openStuck(capacity, whenFull);
        for (int i = 0; i < capacity; i++) {
            assertThat(subject.put(new Item(i))).isTrue();
        }
        assertThat(shape.depth()).isEqualTo(capacity);
    }

    /** Everything that the consumer gets to see, once it is free. */
    private List<Integer> outcome(int expected) {
        handler.release();
        await().until(() -> handler.handled().size() > expected && shape.depth() == 0);
        return handler.handled().stream().map(Item::number).filter(n -> n >= 0).toList();
    }

    private double counted(String figure) {
        return shape.metrics().stream()
                .filter(metric -> metric.name().endsWith("." + figure) && metric.kind() == Metric.Kind.COUNTER)
                .mapToDouble(metric -> metric.value().getAsDouble())
                .sum();
    }

    private double gauge(String figure) {
        List<Metric> found = shape.metrics().stream()
                .filter(metric -> metric.name().endsWith("." + figure) && metric.kind() == Metric.Kind.GAUGE)
                .toList();
        assertThat(found).as("gauges that end in ." + figure).hasSize(1);
        return found.get(0).value().getAsDouble();
    }

    /** A producer in a thread of its own, and how its call ended. */
    private final class Producer {
        private final AtomicReference<Object> end = new AtomicReference<>();
        private final Thread thread;

        Producer(Item item) {
            thread = Thread.ofPlatform().daemon().start(() -> {
                try {
                    end.set(subject.put(item));
                } catch (Throwable failure) {
                    end.set(failure);
                }
            });
        }

        void awaitParked() {
            await().until(() -> thread.getState() == Thread.State.WAITING);
        }

        Object end() {
            await().until(() -> end.get() != null);
            return end.get();
        }
    }

    @AfterEach
    void letGo() throws InterruptedException {
        handler.release();
        if (subject != null) {
            subject.close();
        }
    }

    // What bounds it?

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void refusesABoundBelowOneAndNamesIt(int capacity) {
        for (FullPolicy policy : FullPolicy.values()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> open("letters", capacity, policy, handler))
                    .withMessageContaining(bound())
                    .withMessageContaining(String.valueOf(capacity));
        }
    }

    @Test
    void refusesToBeBuiltWithoutAPolicy() {
        assertThatNullPointerException().isThrownBy(() -> open("letters", 2, null, handler));
    }

    @ParameterizedTest
    @EnumSource
    void answersTheQuestionsAsItWasBuilt(FullPolicy policy) throws InterruptedException {
        openStuck(3, policy);

        assertThat(shape.name()).isEqualTo("letters");
        assertThat(shape.capacity()).isEqualTo(3);
        assertThat(shape.whenFull()).isEqualTo(policy);
        assertThat(shape.depth()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64, 100})
    void holdsExactlyItsCapacity(int capacity) throws InterruptedException {
        openStuck(capacity, REJECT);
        for (int i = 0; i < capacity; i++) {
            assertThat(subject.put(new Item(i))).isTrue();
            assertThat(shape.depth()).isEqualTo(i + 1);
        }

        assertThatThrownBy(() -> subject.put(new Item(capacity))).isInstanceOf(FullException.class);
        assertThat(shape.depth()).isEqualTo(capacity);
        assertThat(outcome(capacity)).isEqualTo(numbers(0, capacity));
    }

    // What happens when it is full?

    @Test
    void blocksTheProducerUntilThereIsRoom() throws InterruptedException {
        fill(2, BLOCK);
        Producer third = new Producer(new Item(2));
        third.awaitParked();
        assertThat(shape.depth()).isEqualTo(2);

        handler.step();

        assertThat(third.end()).isEqualTo(true);
        assertThat(shape.depth()).isEqualTo(2);
        assertThat(outcome(3)).containsExactly(0, 1, 2);
    }

    @Test
    void rejectsAtOnceAndSaysHowFullItIs() throws InterruptedException {
        fill(2, REJECT);

        FullException refusal = catchThrowableOfType(FullException.class, () -> subject.put(new Item(2)));

        assertThat(refusal.shape()).isEqualTo("letters");
        assertThat(refusal.capacity()).isEqualTo(2);
        assertThat(refusal.depth()).isEqualTo(2);
        assertThat(refusal).hasMessageContaining("letters").hasMessageContaining("2");
        assertThat(shape.depth()).isEqualTo(2);
        assertThat(counted("rejected")).isEqualTo(1);
        assertThat(outcome(2)).containsExactly(0, 1);
    }

    @Test
    void dropsTheNewestAndCountsIt() throws InterruptedException {
        fill(2, DROP_NEWEST);

        assertThat(subject.put(new Item(2))).isFalse();

        assertThat(shape.depth()).isEqualTo(2);
        assertThat(counted("dropped")).isEqualTo(1);
        assertThat(outcome(2)).containsExactly(0, 1);
    }

    @Test
    void dropsTheOldestAndCountsIt() throws InterruptedException {
        fill(2, DROP_OLDEST);

        assertThat(subject.put(new Item(2))).isTrue();

        assertThat(shape.depth()).isEqualTo(2);
        assertThat(counted("dropped")).isEqualTo(1);
        assertThat(outcome(2)).containsExactly(1, 2);
    }

    @Test
    void anOfferNeitherWaitsNorDropsAnother() throws InterruptedException {
        for (FullPolicy policy : offering()) {
            Handler own = new Handler();
            Subject one = open("letters", 2, policy, own);
            assertThat(one.offer(PLUG)).as("%s", policy).isTrue();
            await().until(() -> own.entered() == 1);
            assertThat(one.offer(new Item(0))).as("%s", policy).isTrue();
            assertThat(one.offer(new Item(1))).as("%s", policy).isTrue();
            assertThat(one.offer(new Item(2))).as("%s", policy).isFalse();
            assertThat(one.shape().depth()).as("%s", policy).isEqualTo(2);
            own.release();
            await().until(() -> own.handled().size() == 3);
            assertThat(own.handled()).as("%s", policy).containsExactly(PLUG, new Item(0), new Item(1));
            one.close();
        }
    }

    @Test
    void tellsTheRefusedWhenToComeBackOnceItHasDrained() throws InterruptedException {
        fill(2, REJECT);
        handler.step();
        await().until(() -> shape.depth() == 1);
        assertThat(subject.put(new Item(2))).isTrue();

        FullException refusal = catchThrowableOfType(FullException.class, () -> subject.put(new Item(3)));

        assertThat(refusal.retryAfter())
                .hasValueSatisfying(wait -> assertThat(wait).isPositive().isLessThan(Duration.ofMinutes(1)));
        assertThat(refusal).hasMessageContaining("try again in");
    }

    @Test
    void tenThousandRefusalsParkNoThreadAndKeepNothing() throws InterruptedException {
        fill(2, REJECT);
        List<WeakReference<Item>> refused = new ArrayList<>();
        long threads = Threads.alive();
        long waits = Threads.waits();

        for (int i = 0; i < 10_000; i++) {
            Item item = new Item(1_000 + i);
            refused.add(new WeakReference<>(item));
            try {
                subject.put(item);
                throw new AssertionError("accepted " + item);
            } catch (FullException expected) {
                assertThat(expected.depth()).isEqualTo(2);
            }
        }

        assertThat(Threads.waits() - waits).as("waits of the refused thread").isZero();
        assertThat(Threads.alive() - threads).as("threads left behind").isLessThan(100);
        assertThat(shape.depth()).isEqualTo(2);
        assertThat(counted("rejected")).isEqualTo(10_000);
        await().untilAsserted(() -> {
            System.gc();
            assertThat(refused.stream().filter(item -> item.get() != null)).isEmpty();
        });
        assertThat(outcome(2)).containsExactly(0, 1);
    }

    @Test
    void countsEveryDropUnderContention() throws InterruptedException {
        for (FullPolicy policy : EnumSet.of(DROP_NEWEST, DROP_OLDEST)) {
            Handler own = new Handler();
            Subject one = open("letters", 100, policy, own);
            one.put(PLUG);
            await().until(() -> own.entered() == 1);
            inParallel(8, worker -> {
                for (int i = 0; i < 125; i++) {
                    one.put(new Item(worker * 125 + i));
                }
            });
            subject = one;
            shape = one.shape();
            assertThat(shape.depth()).as("%s", policy).isEqualTo(100);
            assertThat(counted("dropped")).as("%s", policy).isEqualTo(900);
            own.release();
            one.close();
        }
    }

    // Interrupts and close

    @Test
    void anInterruptedProducerLeavesNothingBehind() throws InterruptedException {
        fill(2, BLOCK);
        Producer third = new Producer(new Item(2));
        third.awaitParked();

        third.thread.interrupt();

        assertThat(third.end()).isInstanceOf(InterruptedException.class);
        assertThat(shape.depth()).isEqualTo(2);
        Producer fourth = new Producer(new Item(3));
        fourth.awaitParked();
        handler.step();
        assertThat(fourth.end()).isEqualTo(true);
        assertThat(outcome(3)).containsExactly(0, 1, 3);
    }

    @Test
    void closingFreesABlockedProducerAndRefusesTheNext() throws InterruptedException {
        fill(2, BLOCK);
        Producer third = new Producer(new Item(2));
        third.awaitParked();

        Thread closer = Thread.ofPlatform().daemon().start(subject::close);

        assertThat(third.end())
                .isInstanceOfSatisfying(
                        ClosedException.class,
                        closed -> assertThat(closed.shape()).isEqualTo("letters"));
        assertThatThrownBy(() -> subject.put(new Item(3))).isInstanceOf(ClosedException.class);
        handler.release();
        closer.join();
        subject.close();
        assertThat(outcome(2)).containsExactly(0, 1);
    }

    // How deep is it, and who can see it?

    @Test
    void anyThreadReadsTheDepthOfAStuckShapeAtOnce() throws InterruptedException {
        openStuck(3, BLOCK);
        for (int i = 0; i < 3; i++) {
            subject.put(new Item(i));
        }
        Producer blocked = new Producer(new Item(3));
        blocked.awaitParked();

        AtomicLong wrong = new AtomicLong(-1);
        AtomicLong waits = new AtomicLong(-1);
        Thread reader = Thread.ofPlatform().daemon().start(() -> {
            shape.metrics().forEach(metric -> metric.value().getAsDouble()); // loads classes, which may wait
            long before = Threads.waits();
            long count = 0;
            for (int i = 0; i < 1_000; i++) {
                count += shape.depth() == 3 && shape.capacity() == 3 ? 0 : 1;
                shape.metrics().forEach(metric -> metric.value().getAsDouble());
            }
            wrong.set(count);
            waits.set(Threads.waits() - before);
        });
        assertThat(reader.join(patience())).as("reader done").isTrue();

        assertThat(wrong).as("wrong readings").hasValue(0);
        assertThat(waits).as("waits of the reader").hasValue(0);
        assertThat(handler.handled()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void staysWithinItsBoundUnderLoadAndLosesNothingItDoesNotCount(FullPolicy policy) throws InterruptedException {
        openStuck(5, policy);
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong lowest = new AtomicLong();
        AtomicLong highest = new AtomicLong();
        AtomicLong readings = new AtomicLong();
        Thread reader = Thread.ofPlatform().daemon().start(() -> {
            while (!done.get()) {
                long depth = shape.depth();
                lowest.accumulateAndGet(depth, Math::min);
                highest.accumulateAndGet(depth, Math::max);
                readings.incrementAndGet();
            }
        });
        await().until(() -> readings.get() > 0);
        handler.release();

        Set<Integer> accepted = Collections.newSetFromMap(new ConcurrentHashMap<>());
        inParallel(4, worker -> {
            for (int i = 0; i < 500; i++) {
                int number = worker * 500 + i;
                try {
                    if (subject.put(new Item(number))) {
                        accepted.add(number);
                    }
                } catch (FullException refused) {
                    Thread.yield();
                }
            }
        });
        double evicted = policy == DROP_OLDEST ? counted("dropped") : 0;
        List<Integer> handled = outcome(accepted.size() - (int) evicted);
        done.set(true);
        reader.join();

        assertThat(lowest.get()).isGreaterThanOrEqualTo(0);
        assertThat(highest.get()).isLessThanOrEqualTo(5);
        assertThat(new HashSet<>(handled)).as("handled once each").hasSameSizeAs(handled);
        assertThat(accepted).containsAll(handled);
        assertThat(handled.size() + evicted).isEqualTo(accepted.size());
        switch (policy) {
            case BLOCK -> assertThat(handled).hasSize(2_000);
            case REJECT -> assertThat(counted("rejected")).isEqualTo(2_000 - accepted.size());
            case DROP_NEWEST -> assertThat(counted("dropped")).isEqualTo(2_000 - accepted.size());
            case DROP_OLDEST -> assertThat(accepted).hasSize(2_000);
        }
        for (int worker = 0; worker < 4; worker++) {
            int from = worker * 500;
            assertThat(handled.stream().filter(n -> n >= from && n < from + 500))
                    .isSorted();
        }
    }

    @Test
    void metricsCarryTheNameAndAgreeWithTheDepth() throws InterruptedException {
        fill(3, REJECT);

        assertThat(gauge("depth")).isEqualTo(3);
        assertThat(gauge("capacity")).isEqualTo(3);
        handler.step();
        await().until(() -> shape.depth() == 2);
        assertThat(gauge("depth")).isEqualTo(2);
        assertThat(shape.metrics()).isNotEmpty().allSatisfy(metric -> {
            assertThat(metric.name()).matches("heptad(\\.[a-z]+)+");
            assertThat(metric.tags()).containsEntry("name", "letters");
            assertThat(metric.description()).isNotBlank();
            assertThat(metric.value().getAsDouble()).isFinite().isNotNegative();
        });
    }

    @Test
    void theListOfMetricsIsFixed() throws InterruptedException {
        openStuck(2, REJECT);
        List<Metric> before = List.copyOf(shape.metrics());
        subject.put(new Item(0));

        assertThat(shape.metrics()).isEqualTo(before).doesNotHaveDuplicates();
        assertThatThrownBy(() -> shape.metrics().clear()).isInstanceOf(UnsupportedOperationException.class);
        Set<Object> keys = new HashSet<>();
        for (Metric metric : before) {
            assertThat(keys.add(List.of(metric.name(), metric.tags())))
                    .as(metric.name())
                    .isTrue();
        }
    }

    @Test
    void itsTrendTellsTheNextFiveMinutes() throws InterruptedException {
        openStuck(1_000, REJECT);
        AtomicLong now = new AtomicLong();
        DepthTrend trend = DepthTrend.of(shape::depth, Duration.ofSeconds(60), now::get);
        trend.sample();
        for (int second = 1; second <= 60; second++) {
            now.addAndGet(1_000_000_000L);
            for (int i = 0; i < 10; i++) {
                subject.put(new Item(second * 10 + i));
            }
            trend.sample();
        }

        assertThat(trend.slope()).isCloseTo(10, within(1e-9));
        assertThat(trend.forecast(Duration.ofMinutes(5))).isEqualTo(shape.depth() + 3_000);
    }

    private ConditionFactory await() {
        return Awaitility.await().atMost(patience()).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1));
    }

    private static List<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    private interface Job {
        void run(int worker) throws Exception;
    }

    private static void inParallel(int workers, Job job) throws InterruptedException {
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<Thread> threads = IntStream.range(0, workers)
                .mapToObj(worker -> Thread.ofPlatform().daemon().start(() -> {
                    try {
                        job.run(worker);
                    } catch (Throwable failure) {
                        failures.add(failure);
                    }
                }))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
    }
}

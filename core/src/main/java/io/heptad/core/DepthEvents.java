package io.heptad.core;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import org.jspecify.annotations.Nullable;

/**
 * Puts the depth of open shapes into Flight Recorder, once a period, with no wiring: every shape of Heptad reports
 * itself here when it is built and leaves when it is closed or collected.
 *
 * <p>Call it only for a {@link Bounded} type of your own:
 *
 * {@snippet file="io/heptad/core/Snippets.java" region="depth-events"}
 *
 * <p>The event is {@code io.heptad.Depth}, enabled in every recording, by default each second. It carries the type and
 * the name of the shape, its depth and capacity in items, and its policy. A shape that throws when it is asked gets an
 * event that names the exception. Without a recording the cost is one weak reference for each open shape. Shapes are held
 * weakly, so one that is dropped without being closed is collected as usual.
 *
 * <p>Any thread may call it. Flight Recorder's own thread reads the shapes, with no lock held.
 *
 * <p><b>Memory consistency effects:</b> what a thread did before {@code include(shape)} <i>happens-before</i> the readings
 * of that shape.
 */
public final class DepthEvents {
    /*
     * The one piece of static state in Heptad. Flight Recorder's periodic events are per class, not per object, so
     * "every open shape, with no wiring" needs a list of them somewhere; a weak one keeps nobody alive and answers no
     * look-ups, so it is no registry. Rejected: one hook per shape, which would keep every shape that is never closed.
     *
     * The hook is added when Flight Recorder starts, not when this class does: the first event class that a JVM touches
     * costs it 150 ms of CPU, which an application that records nothing would pay for its first queue.
     */
    private static final Set<Open> OPEN = ConcurrentHashMap.newKeySet();
    private static final ReferenceQueue<Bounded> COLLECTED = new ReferenceQueue<>();

    static {
        FlightRecorder.addListener(new FlightRecorderListener() {
            @Override
            public void recorderInitialized(FlightRecorder recorder) { // at once, if that was long ago
                FlightRecorder.addPeriodicEvent(DepthEvent.class, DepthEvents::emit);
            }
        });
    }

    private DepthEvents() {}

    /**
     * From now on the depth of this shape is recorded. Including it twice changes nothing.
     *
     * @param shape a shape that is ready to be read
     */
    public static void include(Bounded shape) {
        expunge();
        OPEN.add(new Open(Objects.requireNonNull(shape, "shape"), COLLECTED));
    }

    /**
     * From now on the depth of this shape is no longer recorded.
     *
     * @param shape a shape, included or not
     */
    public static void exclude(Bounded shape) {
        expunge();
        OPEN.remove(new Open(Objects.requireNonNull(shape, "shape"), null));
    }

    static int open() {
        expunge();
        return OPEN.size();
    }

    private static void expunge() {
        for (Object gone; (gone = COLLECTED.poll()) != null; ) {
            OPEN.remove(gone);
        }
    }

    private static void emit() {
        for (Open open : OPEN) {
            Bounded shape = open.get();
            if (shape == null) {
                continue;
            }
            DepthEvent event = new DepthEvent();
            event.type = shape.getClass().getSimpleName();
            try {
                event.shape = shape.name();
                event.depth = shape.depth();
                event.capacity = shape.capacity();
                event.whenFull = shape.whenFull().name();
            } catch (Throwable failure) {
                // One bad shape must not silence the others, and whoever reads the recording should see which it was.
                event.failure = failure.getClass().getName();
            }
            event.commit();
        }
        expunge();
    }

    /** Equal when it refers to the same shape; when that is gone, only to itself. */
    private static final class Open extends WeakReference<Bounded> {
        private final int hash;

        Open(Bounded shape, @Nullable ReferenceQueue<Bounded> queue) {
            super(shape, queue);
            hash = System.identityHashCode(shape);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            if (this == other) {
                return true;
            }
            Bounded mine = get();
            return mine != null && other instanceof Open that && that.refersTo(mine);
        }
    }
}

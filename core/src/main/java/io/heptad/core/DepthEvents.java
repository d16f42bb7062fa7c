package io.heptad.core;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Puts the depth of open shapes into Flight Recorder, once a period, with no wiring: every shape of Heptad reports
 * itself here when it is built and leaves when it is closed or collected.
 *
 * <p>Call it only for a {@link Bounded} type of your own:
 *
 * {@snippet file="io/heptad/core/Snippets.java" region="depth-events"}
 *
 * <p>The event is {@code io.heptad.Depth}, enabled in every recording, by default each second. Without a recording the
 * cost is one weak reference a shape. Shapes are held weakly, so one that is dropped without being closed is collected
 * as usual.
 */
public final class DepthEvents {
    /*
     * The one piece of static state in Heptad. Flight Recorder's periodic events are per class, not per object, so
     * "every open shape, with no wiring" needs a list of them somewhere; a weak one keeps nobody alive and answers no
     * look-ups, so it is no registry. (One hook per shape instead would leak every shape that is never closed.)
     */
    private static final Set<Open> OPEN = ConcurrentHashMap.newKeySet();
    private static final ReferenceQueue<Bounded> COLLECTED = new ReferenceQueue<>();

    static {
        FlightRecorder.addPeriodicEvent(DepthEvent.class, DepthEvents::emit);
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

package io.heptad.core;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;

/** The main class of a JVM that opens a shape and, when asked to, records afterwards. */
final class DepthEventsStart {
    private DepthEventsStart() {}

    public static void main(String[] options) throws InterruptedException {
        boolean record = List.of(options).contains("record");
        CountDownLatch read = new CountDownLatch(1);
        Bounded shape = new Bounded() {
            @Override
            public String name() {
                return "early";
            }

            @Override
            public List<Metric> metrics() {
                return List.of();
            }

            @Override
            public long capacity() {
                return 1;
            }

            @Override
            public FullPolicy whenFull() {
                return FullPolicy.REJECT;
            }

            @Override
            public long depth() {
                read.countDown();
                return 1;
            }
        };
        boolean before = FlightRecorder.isInitialized();
        DepthEvents.include(shape);
        System.out.println("recorder before: " + before + ", after: " + FlightRecorder.isInitialized());
        if (record || before) {
            try (Recording recording = new Recording()) {
                recording.start();
                System.out.println("recorded: " + read.await(10, TimeUnit.SECONDS));
            }
        }
        DepthEvents.exclude(shape);
    }
}

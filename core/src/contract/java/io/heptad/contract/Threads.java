package io.heptad.contract;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the JVM knows about threads. By reflection, because the modules under test do not read {@code java.management}
 * and tests should not make them.
 */
public final class Threads {
    private Threads() {}

    /** The stacks of all threads, virtual ones included. */
    public static String dump() {
        try {
            Path directory = Files.createTempDirectory("threads");
            Path file = directory.resolve("dump.txt");
            try {
                Class<?> type = Class.forName("com.sun.management.HotSpotDiagnosticMXBean");
                Class<?> format = Class.forName("com.sun.management.HotSpotDiagnosticMXBean$ThreadDumpFormat");
                type.getMethod("dumpThreads", String.class, format)
                        .invoke(bean(type), file.toString(), format.getEnumConstants()[0]);
                return Files.readString(file);
            } finally {
                Files.deleteIfExists(file);
                Files.delete(directory);
            }
        } catch (IOException | ReflectiveOperationException failure) {
            throw new AssertionError("no thread dump", failure);
        }
    }

    /** How many threads are alive, virtual ones included. */
    public static long alive() {
        return dump().lines().filter(line -> line.startsWith("#")).count();
    }

    /** How often the calling platform thread has blocked, waited or parked so far. */
    public static long waits() {
        try {
            Class<?> type = Class.forName("java.lang.management.ThreadMXBean");
            Object info = type.getMethod("getThreadInfo", long.class)
                    .invoke(bean(type), Thread.currentThread().threadId());
            return count(info, "getBlockedCount") + count(info, "getWaitedCount");
        } catch (ReflectiveOperationException failure) {
            throw new AssertionError("no thread figures", failure);
        }
    }

    /** The processor time that a platform thread has used so far. */
    public static long cpuNanos(Thread thread) {
        try {
            Class<?> type = Class.forName("java.lang.management.ThreadMXBean");
            return (long) type.getMethod("getThreadCpuTime", long.class).invoke(bean(type), thread.threadId());
        } catch (ReflectiveOperationException failure) {
            throw new AssertionError("no thread figures", failure);
        }
    }

    private static long count(Object info, String figure) throws ReflectiveOperationException {
        Method method = Class.forName("java.lang.management.ThreadInfo").getMethod(figure);
        return (long) method.invoke(info);
    }

    private static Object bean(Class<?> type) throws ReflectiveOperationException {
        return Class.forName("java.lang.management.ManagementFactory")
                .getMethod("getPlatformMXBean", Class.class)
                .invoke(null, type);
    }
}

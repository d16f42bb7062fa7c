package io.heptad.stress.instances;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.heptad.stress.crash.Child;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Instances in processes of their own, and the customers in front of them: a customer whose instance dies asks another one,
 * or gives up.
 */
final class Fleet implements AutoCloseable {
    private static final int AT_ONCE = 24;

    /** One place in the fleet, and whoever fills it now. All of it is guarded by the fleet's lock. */
    private final class Place {
        private final int number;
        private Process process;
        private final Set<String> asked = new LinkedHashSet<>();

        Place(int number) throws IOException {
            this.number = number;
            this.process = begin();
        }

        private Process begin() throws IOException {
            Process begun = start.get().start();
            Thread.ofVirtual().start(() -> listen(this, begun));
            return begun;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Supplier<ProcessBuilder> start;
    private final Random random;
    private final List<Place> places = new ArrayList<>();
    private final Deque<String> waiting = new ArrayDeque<>();
    private final Set<String> settled = new HashSet<>();
    private final Set<String> givenUp = new LinkedHashSet<>();
    private final List<String> wrong = new ArrayList<>();

    Fleet(int size, Random random, String database, int provider) throws IOException {
        this.random = random;
        this.start = () -> Child.java(Instance.class, database, Integer.toString(provider));
        lock.lock();
        try {
            for (int i = 0; i < size; i++) {
                places.add(new Place(i));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Customers come with these orders; one order may come twice, at two instances or at one. */
    void serve(Collection<String> orders) {
        lock.lock();
        try {
            waiting.addAll(orders);
            places.forEach(this::fill);
        } finally {
            lock.unlock();
        }
    }

    private void fill(Place place) {
        while (place.asked.size() < AT_ONCE && !waiting.isEmpty()) {
            String order = waiting.poll();
            if (!settled.contains(order) && place.asked.add(order)) {
                ask(place, order);
            }
        }
    }

    private static void ask(Place place, String order) {
        try {
            OutputStream out = place.process.getOutputStream();
            out.write((order + "\n").getBytes(UTF_8));
            out.flush();
        } catch (IOException dead) {
            // Whoever has killed it takes its orders back.
        }
    }

    private void listen(Place place, Process process) {
        try (BufferedReader in = process.inputReader(UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                hear(place, process, line);
            }
        } catch (IOException closed) {
            // It is at its end, and below is asked whether it may be.
        }
        lock.lock();
        try {
            if (process.equals(place.process)) {
                wrong.add("instance " + place.number + " has ended by itself");
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private void hear(Place place, Process process, String line) {
        lock.lock();
        try {
            if (line.startsWith(Instance.SETTLED)) {
                String order = line.substring(Instance.SETTLED.length());
                settled.add(order); // also if it was killed right after it has said so
                givenUp.remove(order);
                if (process.equals(place.process)) {
                    place.asked.remove(order);
                    fill(place);
                }
                changed.signalAll();
            } else if (line.startsWith(Instance.FAILED)) {
                wrong.add(line);
                changed.signalAll();
            } else {
                System.out.println("instance " + place.number + ": " + line);
            }
        } finally {
            lock.unlock();
        }
    }

    /** SIGKILL, and a new process in the same place. A fourth of its customers give up, the others ask again. */
    void kill(int number) throws IOException, InterruptedException {
        Process old;
        lock.lock();
        try {
            Place place = places.get(number);
            old = place.process;
            old.destroyForcibly();
            place.process = place.begin();
            for (String order : place.asked) {
                if (random.nextInt(4) == 0) {
                    givenUp.add(order);
                } else {
                    waiting.addFirst(order);
                }
            }
            place.asked.clear();
            places.forEach(this::fill);
        } finally {
            lock.unlock();
        }
        if (!old.waitFor(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException(old + " outlives SIGKILL");
        }
    }

    /** SIGSTOP or SIGCONT: it does nothing for a while, and its customers wait. */
    void signal(int number, String signal) throws IOException, InterruptedException {
        String pid = Long.toString(pids().get(number));
        int exit = new ProcessBuilder("kill", "-" + signal, pid)
                .inheritIO()
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IllegalStateException("kill -" + signal + " " + pid + " ended with " + exit);
        }
    }

    private List<Long> pids() {
        lock.lock();
        try {
            return places.stream().map(place -> place.process.pid()).toList();
        } finally {
            lock.unlock();
        }
    }

    /** How many orders have an answer, or nobody who waits for one. */
    int over() {
        lock.lock();
        try {
            return settled.size()
                    + (int) givenUp.stream()
                            .filter(order -> !settled.contains(order))
                            .count();
        } finally {
            lock.unlock();
        }
    }

    /** Those that nobody has asked for since their instance died. */
    List<String> givenUp() {
        lock.lock();
        try {
            return givenUp.stream().filter(order -> !settled.contains(order)).toList();
        } finally {
            lock.unlock();
        }
    }

    List<String> wrong() {
        lock.lock();
        try {
            return List.copyOf(wrong);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until every customer has an answer or has given up, or something is wrong; false if the time ends before. */
    boolean await(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (!isOver() && left > 0) {
                left = changed.awaitNanos(left);
            }
            return isOver();
        } finally {
            lock.unlock();
        }
    }

    private boolean isOver() {
        return !wrong.isEmpty() || (waiting.isEmpty() && places.stream().allMatch(place -> place.asked.isEmpty()));
    }

    /** What all threads of all instances are at, virtual ones included, in files of this folder. */
    void dump(Path folder) throws IOException, InterruptedException {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        for (long pid : pids()) {
            Path file = folder.resolve("threads-of-" + pid + ".txt").toAbsolutePath();
            Process dump = new ProcessBuilder(
                            jcmd, Long.toString(pid), "Thread.dump_to_file", "-overwrite", file.toString())
                    .inheritIO()
                    .start();
            boolean ignored = dump.waitFor(10, TimeUnit.SECONDS);
            dump.destroyForcibly();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            for (Place place : places) {
                Process last = place.process;
                place.process = null;
                last.destroyForcibly();
                Object ignored = last.onExit().join();
            }
        } finally {
            lock.unlock();
        }
    }
}

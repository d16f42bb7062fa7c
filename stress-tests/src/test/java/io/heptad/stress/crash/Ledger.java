package io.heptad.stress.crash;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The provider: a process of its own that charges, refunds and packs, and writes down what it has really done before it says
 * so. A key that it has seen gets the reply it got then. It is slow at times, loses calls and replies, and declines.
 */
public final class Ledger {
    /** One thing that has really happened. */
    public record Entry(String kind, String key, String order) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, String> replies = new HashMap<>();
    private final FileChannel file;
    private final Random moods;

    private Ledger(Path file, long seed) throws IOException {
        this.file = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        this.moods = new Random(seed);
    }

    /**
     * Serves until it is ended, or until nobody is at the other end of its input: it does not outlive who has started it.
     *
     * @param args the ledger's file, the file for the port, the seed
     * @throws IOException if it cannot serve
     */
    public static void main(String[] args) throws IOException {
        Ledger ledger = new Ledger(Path.of(args[0]), Long.parseLong(args[2]));
        Parent.endWithIt();
        try (ServerSocket server = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress())) {
            Path port = Path.of(args[1] + ".new");
            Files.writeString(port, Integer.toString(server.getLocalPort()));
            Files.move(port, Path.of(args[1]));
            while (true) {
                Socket caller = server.accept();
                Thread.ofVirtual().start(() -> ledger.serve(caller));
            }
        }
    }

    private void serve(Socket caller) {
        try (caller;
                BufferedReader in = new BufferedReader(new InputStreamReader(caller.getInputStream(), UTF_8))) {
            String call = in.readLine();
            if (call == null) {
                return;
            }
            double mood;
            lock.lock();
            try {
                mood = moods.nextDouble();
            } finally {
                lock.unlock();
            }
            if (mood < 0.05) {
                return; // the call got lost
            }
            String reply = answer(call.split("\t", -1));
            if (mood < 0.10) {
                reply = answer(call.split("\t", -1)); // it came twice
            }
            if (mood < 0.20) {
                return; // the reply got lost
            }
            caller.getOutputStream().write((reply + "\n").getBytes(UTF_8));
        } catch (IOException gone) {
            // The caller has died meanwhile.
        }
    }

    private String answer(String[] call) throws IOException {
        String kind = call[0];
        String key = call[1];
        String order = call[2];
        lock.lock();
        try {
            String reply = replies.get(kind + "\t" + key);
            if (reply == null) {
                boolean no = (kind.equals("pack") && order.endsWith("unpackable"))
                        || (kind.equals("charge") && order.endsWith("poor"));
                reply = no ? "no\tnot possible" : "yes\t" + kind + "-" + replies.size();
                if (!no) {
                    ByteBuffer line = ByteBuffer.wrap((String.join("\t", call) + "\n").getBytes(UTF_8));
                    while (line.hasRemaining()) {
                        int ignored = file.write(line);
                    }
                    file.force(false);
                }
                replies.put(kind + "\t" + key, reply);
            }
            return reply;
        } finally {
            lock.unlock();
        }
    }

    // ---- for the others

    /** A definite no. */
    static final class NoException extends Exception {
        private static final long serialVersionUID = 1L;

        NoException(String message) {
            super(message);
        }
    }

    /** Asks the provider. */
    static String call(int port, String kind, String key, String order) throws IOException, NoException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
            socket.setSoTimeout(5_000);
            socket.getOutputStream().write((kind + "\t" + key + "\t" + order + "\n").getBytes(UTF_8));
            String reply = in.readLine();
            if (reply == null) {
                throw new IOException("no reply");
            }
            String[] parts = reply.split("\t", -1);
            if (parts[0].equals("no")) {
                throw new NoException(parts[1]);
            }
            return parts[1];
        }
    }

    /**
     * All that has really happened so far.
     *
     * @param file the ledger's file
     * @return what is in it, oldest first
     * @throws IOException if it cannot be read
     */
    public static List<Entry> read(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .map(line -> line.split("\t", -1))
                .map(parts -> new Entry(parts[0], parts[1], parts[2]))
                .toList();
    }
}

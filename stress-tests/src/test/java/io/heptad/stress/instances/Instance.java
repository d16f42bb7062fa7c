package io.heptad.stress.instances;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariDataSource;
import io.heptad.stress.crash.Shop;
import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * A process of the shop: brings each order that comes as a line of its input to its end, and says so in a line of its output.
 * It halts when its input ends, which it does when its parent dies.
 */
public final class Instance {
    static final String SETTLED = "settled ";
    static final String FAILED = "failed ";

    private static final int CONNECTIONS = 8;

    private Instance() {}

    /**
     * Serves until its input ends.
     *
     * @param args the database, the port of the provider
     * @throws Exception if it cannot begin
     */
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        Shop shop = new Shop(pool(args[0]), Integer.parseInt(args[1]));
        for (String order = in.readLine(); order != null; order = in.readLine()) {
            String id = order;
            Thread.ofVirtual().start(() -> serve(shop, id));
        }
        Runtime.getRuntime().halt(0); // whatever its threads are at: what they leave behind is for the others
    }

    /** Connections that are kept: as an instance has them. */
    static HikariDataSource pool(String url) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(CONNECTIONS);
        return pool;
    }

    private static void serve(Shop shop, String id) {
        try {
            shop.life(id);
            System.out.println(SETTLED + id);
        } catch (Throwable thrown) {
            thrown.printStackTrace();
            System.out.println(FAILED + id + ": " + thrown);
        }
    }
}

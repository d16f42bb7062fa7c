package io.heptad.stress.run;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs what chooses its own schedules, a job for each processor: such a tool lets one thread run at a time, and finds the
 * same whatever else the machine does. What races real threads must have the machine for itself.
 */
final class SideBySide {
    private SideBySide() {}

    /** The rows, in the order of the jobs. */
    static List<Row> run(List<Callable<Row>> jobs, int processors) throws IOException, InterruptedException {
        List<Row> rows = new ArrayList<>();
        try (ExecutorService lanes = Executors.newFixedThreadPool(processors)) {
            for (Future<Row> row : lanes.invokeAll(jobs)) {
                rows.add(row.get());
            }
        } catch (ExecutionException failed) {
            throw new IOException("a job broke: " + failed.getCause(), failed.getCause());
        }
        return rows;
    }
}

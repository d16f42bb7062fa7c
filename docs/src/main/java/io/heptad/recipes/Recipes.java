package io.heptad.recipes;

import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs one recipe: the first argument names it, the others are {@code name=value}.
 *
 * <p>Exit codes: 0 when the recipe ran to its end (items that failed are data, not a failure of the run), 1 when the
 * run broke, 2 when the recipe or an option is unknown or wrong, and the system's own after Ctrl-C.
 */
public final class Recipes {
    private static final long LAST_WORDS_MILLIS = 900;

    private Recipes() {}

    /**
     * Runs one recipe.
     *
     * @param arguments the recipe, then its options
     */
    public static void main(String[] arguments) {
        // Ctrl-C reaches this process and the build that started it at once. The hook turns it into an interrupt of the
        // recipe and holds the process until the recipe has said what was done; it never waits for more than a second.
        Thread recipe = Thread.currentThread();
        CountDownLatch said = new CountDownLatch(1);
        Thread lastWords = new Thread(
                () -> {
                    recipe.interrupt();
                    try {
                        if (!said.await(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS)) {
                            System.err.println(
                                    "stopped without a report: none came within " + LAST_WORDS_MILLIS + " ms");
                        }
                    } catch (InterruptedException neverSent) {
                        Thread.currentThread().interrupt();
                    }
                },
                "last-words");
        Runtime.getRuntime().addShutdownHook(lastWords);
        int code;
        try {
            code = run(List.of(arguments), System.out, System.err);
        } finally {
            System.out.flush();
            said.countDown();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(lastWords);
        } catch (IllegalStateException stopping) {
            return; // the exit code is the signal's
        }
        if (code != 0) {
            System.exit(code);
        }
    }

    /** Runs one recipe and answers with the exit code. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        String name = arguments.isEmpty() ? "" : arguments.getFirst();
        Recipe recipe = Recipe.named(name).orElse(null);
        if (recipe == null) {
            err.println("There is no recipe \"" + name + "\". There are:");
            Stream.of(Recipe.values()).forEach(known -> err.printf("  %-16s %s%n", known.title(), known.line()));
            return 2;
        }
        try {
            recipe.run(Options.of(recipe.options(), arguments.subList(1, arguments.size())), out);
            return 0;
        } catch (BadOptionException wrong) {
            err.println(recipe.title() + ": " + wrong.getMessage());
            return 2;
        } catch (InterruptedException stopped) {
            out.println(recipe.title() + ": stopped");
            return 1;
        } catch (Exception broken) {
            err.println(recipe.title() + ": the run is broken");
            broken.printStackTrace(err);
            return 1;
        }
    }
}

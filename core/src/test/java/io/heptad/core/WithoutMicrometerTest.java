package io.heptad.core;

import static io.heptad.core.ChildJvm.CLASSES;
import static io.heptad.core.ChildJvm.CLASS_PATH;
import static io.heptad.core.ChildJvm.TESTS;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Core needs nothing at run time but the JDK: a JVM that has nothing else uses all of it but {@link HeptadMetrics}. */
@Watched
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // each test starts a JVM
class WithoutMicrometerTest {
    private static final String MAIN = "io.heptad.core.WithoutMicrometer";

    @Test
    void worksOnTheClassPath() throws Exception {
        assertThat(ChildJvm.run("-cp", CLASS_PATH, MAIN, CLASSES.toString())).contains("classes, named module: false");
    }

    @Test
    void worksOnTheModulePath() throws Exception {
        String patch = "io.heptad.core=" + TESTS;
        assertThat(ChildJvm.run(
                        "-p",
                        CLASSES.toString(),
                        "--patch-module",
                        patch,
                        "-m",
                        "io.heptad.core/" + MAIN,
                        CLASSES.toString()))
                .contains("classes, named module: true");
    }
}

package io.heptad.recipes.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.recipes.durable.KillAndRebuild.Aftermath;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KillAndRebuildTest {
    @TempDir
    Path folder;

    @Test
    void whatWasInMemoryIsLostWithTheProcess() throws Exception {
        Aftermath after = KillAndRebuild.inMemory(50, 20);

        assertThat(after.accepted()).hasSize(50);
        assertThat(after.handled()).hasSize(20);
        assertThat(after.rebuilt()).isEmpty();
        assertThat(after.lost()).hasSize(30);
    }

    @Test
    void whatWasInTheJournalComesBackInOrderAndNothingIsLost() throws Exception {
        Aftermath after = KillAndRebuild.durable(folder.resolve("journal.log"), 50, 20);

        assertThat(after.accepted()).hasSize(50);
        assertThat(after.handled()).hasSize(20);
        // The first of them had been taken and not done when the process was killed.
        assertThat(after.rebuilt())
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(21, 50).mapToObj(i -> "item-" + i).toList());
        assertThat(after.lost()).isEmpty();
    }

    @Test
    void aLineThatTheCrashCutOffWasNeverAccepted() throws Exception {
        Path file = folder.resolve("journal.log");
        Files.writeString(file, "+1 a\n+2 b\n-1\n+3 c", StandardOpenOption.CREATE);

        try (DurableQueue queue = DurableQueue.open(file, 10)) {
            assertThat(queue.depth()).isEqualTo(1);
            assertThat(queue.offer("d")).isTrue();
            assertThat(items(queue)).containsExactly("b", "d");
        }
        assertThat(file).hasContent("+1 a\n+2 b\n-1\n+3 d");
    }

    @Test
    void takenAndNotDoneStillCountsSoWhatComesBackAlwaysFits() throws Exception {
        Path file = folder.resolve("journal.log");
        try (DurableQueue queue = DurableQueue.open(file, 2)) {
            assertThat(queue.offer("a")).isTrue();
            assertThat(queue.offer("b")).isTrue();
            assertThat(queue.offer("c")).isFalse();
            DurableQueue.Entry first = queue.take();
            assertThat(queue.offer("c")).isFalse();
            queue.done(first);
            assertThat(queue.offer("c")).isTrue();
            assertThat(queue.depth()).isEqualTo(2);
        }
        try (DurableQueue queue = DurableQueue.open(file, 2)) {
            assertThat(items(queue)).containsExactly("b", "c");
        }
    }

    private static List<String> items(DurableQueue queue) throws InterruptedException {
        List<String> items = new ArrayList<>();
        for (int left = queue.depth(); left > 0; left--) {
            items.add(queue.take().item());
        }
        return items;
    }
}

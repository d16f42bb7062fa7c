package io.heptad.recipes.partner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.heptad.recipes.BadOptionException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ItemsTest {
    @TempDir
    Path folder;

    @Test
    void numbersThemOneByOne() {
        Items items = Items.numbered(3, () -> false);

        assertThat(items.total()).isEqualTo(3);
        assertThat(items).toIterable().containsExactly("item-1", "item-2", "item-3");
    }

    @Test
    void readsTheFirstColumnOfWhatTheRetryFileWrote() throws Exception {
        Path file = folder.resolve("retry.csv");
        try (RetryFile retries = new RetryFile(file)) {
            retries.add("item-7", "HTTP 500");
            retries.add("item-9", "said \"no\", twice");
            assertThat(file).doesNotExist();
            retries.publish();
        }
        assertThat(file).hasContent("item,reason\nitem-7,\"HTTP 500\"\nitem-9,\"said \"\"no\"\", twice\"");
        try (Items items = Items.of(file, () -> false)) {
            assertThat(items.total()).isEqualTo(2);
            assertThat(items).toIterable().containsExactly("item-7", "item-9");
        }
    }

    @Test
    void aRunThatBreaksLeavesItsInputAsItWas() throws Exception {
        Path file = Files.writeString(folder.resolve("retry.csv"), "item,reason\nitem-7,\"HTTP 500\"\n");
        try (RetryFile retries = new RetryFile(file)) {
            retries.add("item-8", "half of the story");
        }
        assertThat(file).hasContent("item,reason\nitem-7,\"HTTP 500\"");
        assertThat(folder).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void refusesARowThatCouldNotBePartOfAnAddress() throws Exception {
        Path file = Files.writeString(folder.resolve("bad.csv"), "item-1\n../secrets,x\n");

        assertThatExceptionOfType(BadOptionException.class)
                .isThrownBy(() -> Items.of(file, () -> false))
                .withMessageContaining("line 2 of " + file)
                .withMessageContaining("../secrets");
    }

    @Test
    void saysWhatIsLeftFirstWhatWasHandedOutAndThenTheRest() {
        Items items = Items.numbered(5, () -> false);
        items.next();
        items.next();
        items.settled("item-1");
        List<String> left = new ArrayList<>();

        assertThat(items.left(10, left::add)).isTrue();
        assertThat(left).containsExactly("item-2", "item-3", "item-4", "item-5");
    }

    @Test
    void saysWhenNotAllThatIsLeftWasSaid() {
        Items items = Items.numbered(5, () -> false);
        List<String> left = new ArrayList<>();

        assertThat(items.left(2, left::add)).isFalse();
        assertThat(left).containsExactly("item-1", "item-2");
    }

    @Test
    void anItemHandedOutTwiceIsLeftOnceWhenOneOfTheTwoIsSettled() throws Exception {
        Path file = Files.writeString(folder.resolve("twice.csv"), "item-1\nitem-1\n");
        try (Items items = Items.of(file, () -> false)) {
            items.next();
            items.next();
            items.settled("item-1");
            List<String> left = new ArrayList<>();
            items.left(10, left::add);
            assertThat(left).containsExactly("item-1");
        }
    }

    @Test
    void handsOutNoMoreOnceTheTimeIsOver() {
        boolean[] over = {false};
        Items items = Items.numbered(5, () -> over[0]);
        items.next();
        over[0] = true;

        assertThat(items.hasNext()).isFalse();
    }
}

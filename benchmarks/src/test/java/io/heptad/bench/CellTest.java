package io.heptad.bench;

import static io.heptad.bench.Results.cell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class CellTest {
    private final Cell cell = cell("pairs=2 capacity=16 threads=virtual");

    @Test
    void matchesWhatNamesItsValues() {
        assertThat(cell.matches("")).isTrue();
        assertThat(cell.matches("pairs=2")).isTrue();
        assertThat(cell.matches("pairs=1|2 threads=virtual")).isTrue();
        assertThat(cell.matches("pairs=1|2 threads=platform")).isFalse();
        assertThat(cell.matchesAny()).isFalse();
        assertThat(cell.matchesAny("pairs=1", "capacity=16")).isTrue();
    }

    @Test
    void refusesAParameterThatItDoesNotHave() {
        assertThatThrownBy(() -> cell.matches("pears=2"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("pears=2", "pairs");
    }

    @Test
    void readsAsItWasDeclared() {
        assertThat(cell.label()).isEqualTo("pairs=2 capacity=16 threads=virtual");
        assertThat(cell.label("threads")).isEqualTo("pairs=2 capacity=16");
    }
}

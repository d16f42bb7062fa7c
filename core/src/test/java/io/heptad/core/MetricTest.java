package io.heptad.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MetricTest {
    private static final Metric.Kind GAUGE = Metric.Kind.GAUGE;

    @Test
    void copiesItsTags() {
        Map<String, String> tags = new HashMap<>(Map.of("name", "letters"));
        Metric metric = new Metric("heptad.queue.depth", GAUGE, "items", "what waits", tags, () -> 1);
        tags.put("name", "parcels");

        assertThat(metric.tags()).containsExactly(Map.entry("name", "letters"));
        assertThatThrownBy(() -> metric.tags().put("more", "tags")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void refusesNullsAndNamesThem() {
        Map<String, String> none = Map.of();
        assertThatNullPointerException()
                .isThrownBy(() -> new Metric(null, GAUGE, "", "", none, () -> 1))
                .withMessage("name");
        assertThatNullPointerException()
                .isThrownBy(() -> new Metric("a", null, "", "", none, () -> 1))
                .withMessage("kind");
        assertThatNullPointerException()
                .isThrownBy(() -> new Metric("a", GAUGE, null, "", none, () -> 1))
                .withMessage("unit");
        assertThatNullPointerException()
                .isThrownBy(() -> new Metric("a", GAUGE, "", null, none, () -> 1))
                .withMessage("description");
        assertThatNullPointerException().isThrownBy(() -> new Metric("a", GAUGE, "", "", null, () -> 1));
        assertThatNullPointerException()
                .isThrownBy(() -> new Metric("a", GAUGE, "", "", none, null))
                .withMessage("value");
    }
}

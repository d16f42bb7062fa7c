package io.heptad.recipes.rooms;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.actor.Backlog;
import io.heptad.recipes.rooms.Room.Command;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RoomsTest {
    @Test
    void fiftyRoomsOfFourPlayersApplyTheirCommandsAsTheyWereAccepted() throws Exception {
        Rooms.Seen seen = Rooms.play(50, 4, 100, 20, 16, 1);

        assertThat(seen.stored()).hasSize(50);
        seen.stored().forEach((room, played) -> {
            assertThat(played).as(room).hasSize(400);
            assertThat(played.stream().map(Command.Play::number))
                    .as(room)
                    .containsExactlyElementsOf(
                            IntStream.rangeClosed(1, 400).boxed().toList());
            for (int player = 0; player < 4; player++) {
                int me = player;
                assertThat(played.stream().filter(play -> play.player() == me).map(Command.Play::turn))
                        .as("%s of player %s", room, me)
                        .isSorted();
            }
        });
        assertThat(seen.end().keys()).isZero();
        assertThat(seen.end().depth()).isZero();
        assertThat(seen.end().loaded()).isEqualTo(seen.end().passivated()).isGreaterThanOrEqualTo(50);
    }

    @Test
    void aRoomThatHangsWithAFullMailboxDelaysNoOther() throws Exception {
        Rooms.Seen seen = Rooms.play(10, 2, 30, 4, 5, 3);

        assertThat(seen.stuck()).extracting(Backlog::key).containsExactlyInAnyOrder("room-0", "room-1", "room-2");
        assertThat(seen.stuck()).extracting(Backlog::depth).containsOnly(5);
        assertThat(seen.stored().values())
                .allSatisfy(played -> assertThat(Rooms.isAsAccepted(played, 60)).isTrue());
    }

    @Test
    void noticesACommandThatIsMissingTwiceOrOutOfPlace() {
        Command.Play one = new Command.Play(0, 0, 1);
        Command.Play two = new Command.Play(0, 1, 2);
        assertThat(Rooms.isAsAccepted(List.of(one, two), 2)).isTrue();
        assertThat(Rooms.isAsAccepted(List.of(two, one), 2)).isFalse();
        assertThat(Rooms.isAsAccepted(List.of(one, one), 2)).isFalse();
        assertThat(Rooms.isAsAccepted(List.of(one), 2)).isFalse();
    }
}

package io.heptad.actor;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

@Name("io.heptad.ActorFailed")
@Label("Actor Failed")
@Description("The handler of an actor threw")
@Category({"Heptad"})
@StackTrace(false)
final class ActorFailedEvent extends Event {
    @Label("Actor")
    String actor = "";

    @Label("Failure")
    @Description("The class of what it threw")
    String failure = "";

    @Label("Message")
    @Description("The message of what it threw")
    @Nullable
    String message;

    static void emit(String actor, Throwable failure) {
        ActorFailedEvent event = new ActorFailedEvent();
        if (event.isEnabled()) {
            event.actor = actor;
            event.failure = failure.getClass().getName();
            try {
                event.message = failure.getMessage();
            } catch (Throwable noMessage) {
                // An exception of a user may throw here too; the event is still worth having.
            }
            event.commit();
        }
    }
}

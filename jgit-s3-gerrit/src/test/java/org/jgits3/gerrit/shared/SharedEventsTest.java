// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Suppliers;
import com.google.common.util.concurrent.Uninterruptibles;
import com.google.gerrit.entities.Account;
import com.google.gerrit.entities.BranchNameKey;
import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import com.google.gerrit.extensions.registration.DynamicSet;
import com.google.gerrit.server.AnonymousUser;
import com.google.gerrit.server.CurrentUser;
import com.google.gerrit.server.config.GerritRuntime;
import com.google.gerrit.server.data.ChangeAttribute;
import com.google.gerrit.server.events.ChangeDeletedEvent;
import com.google.gerrit.server.events.Event;
import com.google.gerrit.server.events.EventGsonProvider;
import com.google.gerrit.server.events.EventListener;
import com.google.gerrit.server.events.ProjectCreatedEvent;
import com.google.gerrit.server.events.UserScopedEventListener;
import com.google.gerrit.server.notedb.ChangeNotes;
import com.google.gerrit.server.plugincontext.PluginContext.PluginMetrics;
import com.google.gerrit.server.plugincontext.PluginSetContext;
import com.google.gerrit.server.project.NoSuchChangeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jgits3.gerrit.TestSite;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ObjectStore;
import org.jgits3.testing.Holds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events of several nodes on one store. */
@Holds(
    "SharedEvents, Follower: Each node streams an event once, after it followed what the event "
        + "reports, or 5 seconds later")
@Holds("StreamedEvents: An event reaches only the plugins of its own node")
@Holds(
    "SharedEvents: No clock decides which events are read, in which order, or how long they are "
        + "kept")
class SharedEventsTest {
  private static final String NODE = "0123456789abcdef";
  private static final BranchNameKey BRANCH = BranchNameKey.create("project", "refs/heads/master");

  /** Notes of changes that are all deleted. */
  private static final ChangeNotes.Factory NO_CHANGE =
      new ChangeNotes.Factory(null, null, null) {
        @Override
        public ChangeNotes createChecked(Project.NameKey project, Change.Id change) {
          throw new NoSuchChangeException(change);
        }
      };

  private final List<String> streamed = new ArrayList<>();
  private final List<String> unrestricted = new ArrayList<>();
  private Consumer<String> onStreamed = name -> {};
  private long nanoTime;
  private long step;

  @TempDir Path directory;
  private S3GitRepositoryManager gerrit;
  private SharedEvents events;

  /** A user who listens, and may see everything that Gerrit asks permission for. */
  private final class Streamed extends StreamedEvents {
    private Streamed(DynamicSet<UserScopedEventListener> users, DynamicSet<EventListener> others) {
      super(
          new PluginSetContext<>(users, PluginMetrics.DISABLED_INSTANCE),
          new PluginSetContext<>(others, PluginMetrics.DISABLED_INSTANCE),
          null,
          null,
          NO_CHANGE,
          "this");
    }

    @Override
    protected boolean isVisibleTo(Project.NameKey project, CurrentUser user) {
      return true;
    }

    @Override
    protected boolean isVisibleTo(Change change, CurrentUser user) {
      throw new AssertionError("all changes are deleted");
    }

    @Override
    protected boolean isVisibleTo(BranchNameKey branch, CurrentUser user) {
      streamed.add("readers of " + branch);
      return true;
    }
  }

  @BeforeEach
  void open() throws Exception {
    gerrit = TestSite.below(directory).manager(GerritRuntime.BATCH);
    events = node();
    events.exchange();
  }

  @AfterEach
  void close() {
    gerrit.stop();
  }

  private SharedEvents node() throws Exception {
    DynamicSet<UserScopedEventListener> users = DynamicSet.emptySet();
    users.add(
        "gerrit",
        new UserScopedEventListener() {
          @Override
          public void onEvent(Event event) {
            String name = event instanceof ProjectCreatedEvent its ? its.projectName : event.type;
            onStreamed.accept(name);
            streamed.add(name);
          }

          @Override
          public CurrentUser getUser() {
            return new AnonymousUser();
          }
        });
    DynamicSet<EventListener> others = DynamicSet.emptySet();
    others.add("plugin", event -> unrestricted.add(event.type));
    return new SharedEvents(
        gerrit,
        TestSite.requests(),
        new Streamed(users, others),
        NO_CHANGE,
        new EventGsonProvider().get(),
        () -> nanoTime += step);
  }

  private static ChangeDeletedEvent deletion(boolean ofPrivate) {
    Change change =
        new Change(Change.key("I1"), Change.id(1), Account.id(1), BRANCH, Instant.EPOCH);
    ChangeAttribute its = new ChangeAttribute();
    its.number = 1;
    its.isPrivate = ofPrivate ? true : null; // as Gerrit does
    ChangeDeletedEvent event = new ChangeDeletedEvent(change);
    event.change = Suppliers.ofInstance(its);
    return event;
  }

  private static Event creation(String project) {
    ProjectCreatedEvent event = new ProjectCreatedEvent();
    event.projectName = project;
    return event;
  }

  private void put(String name, String text) throws Exception {
    byte[] bytes = text.getBytes(UTF_8);
    gerrit.store().put("gerrit-events/" + name, bytes, 0, bytes.length);
  }

  private List<String> names() throws Exception {
    List<String> names = new ArrayList<>();
    gerrit.store().list("gerrit-events/", object -> names.add(object.key()));
    return names;
  }

  private List<String> received() throws Exception {
    streamed.clear();
    events.exchange();
    events.post(events.unposted());
    return List.copyOf(streamed);
  }

  @Test
  void event_of_another_node_reaches_users_and_no_unrestricted_listener() throws Exception {
    SharedEvents other = node();
    other.onEvent(creation("p"));
    other.exchange();
    assertThat(received()).containsExactly("p");
    assertThat(unrestricted).isEmpty();
  }

  @Test
  void event_comes_after_all_that_were_written_before_it_happened() throws Exception {
    List<SharedEvents> nodes = List.of(node(), node(), node());
    List<String> happened = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      SharedEvents one = nodes.get(i % nodes.size());
      one.onEvent(creation("p" + i));
      one.exchange();
      happened.add("p" + i);
    }
    assertThat(received()).containsExactlyElementsOf(happened);
  }

  @Test
  void object_is_deleted_5_minutes_after_a_node_has_listed_it_first() throws Exception {
    SharedEvents other = node();
    other.onEvent(creation("p"));
    other.exchange();
    nanoTime = SharedEvents.KEPT.multipliedBy(2).toNanos();
    assertThat(received()).containsExactly("p");
    nanoTime += SharedEvents.KEPT.toNanos();
    events.exchange();
    assertThat(names()).hasSize(1);
    nanoTime++;
    events.exchange();
    assertThat(names()).isEmpty();
  }

  @Test
  void object_with_another_name_is_left_alone_and_stops_nothing() throws Exception {
    List<String> others = List.of("9999999999999999999-" + NODE, "1-" + NODE, "readme");
    for (String name : others) {
      put(name, "x\n");
    }
    events.exchange();
    nanoTime = SharedEvents.KEPT.toNanos() + 1;
    put("000000000000000001-" + NODE, "{'type':'project-created','projectName':'p'}");
    assertThat(received()).containsExactly("p");
    nanoTime = 2 * nanoTime;
    events.exchange();
    assertThat(names())
        .containsExactlyInAnyOrderElementsOf(
            others.stream().map(name -> "gerrit-events/" + name).toList());
  }

  @Test
  void line_that_is_no_event_costs_itself_only() throws Exception {
    List<String> bad = List.of("", "x", "null", "[", "[]", "{}", "{'type':7}", "{'type':'no'}");
    String deep = "{'type':'project-created','projectName':" + "[".repeat(1_000_000);
    String notes = "{'type':'ref-updated'}\n{'type':'comment-added','change':{}}";
    put(
        "000000000000000001-" + NODE,
        String.join("\n", bad)
            + "\n%s\n%s\n{'type':'project-created','projectName':'p'}".formatted(deep, notes));
    assertThat(received()).containsExactly("p");
  }

  @Test
  void event_too_large_for_an_object_is_not_shared() throws Exception {
    SharedEvents other = node();
    other.onEvent(creation("x".repeat(SharedEvents.MAX_BYTES)));
    other.onEvent(creation("p"));
    other.exchange();
    assertThat(received()).containsExactly("p");
  }

  @Test
  void events_beyond_the_size_of_an_object_are_written_by_the_next_rounds() throws Exception {
    String half = "x".repeat(SharedEvents.MAX_BYTES / 2);
    SharedEvents other = node();
    for (int i = 0; i < 3; i++) {
      other.onEvent(creation(i + half));
    }
    for (int i = 0; i < 3; i++) {
      other.exchange();
      assertThat(received()).containsExactly(i + half);
    }
  }

  @Test
  void node_reads_no_more_than_an_object_before_it_has_posted() throws Exception {
    String half = "x".repeat(SharedEvents.MAX_BYTES / 2);
    List<SharedEvents> others = List.of(node(), node());
    for (int i = 0; i < others.size(); i++) {
      others.get(i).onEvent(creation(i + half));
      others.get(i).exchange();
    }
    assertThat(received()).containsExactly("0" + half);
    assertThat(received()).containsExactly("1" + half);
  }

  @Test
  void object_larger_than_any_of_a_gerrit_is_not_read() throws Exception {
    put("000000000000000001-" + NODE, "x".repeat(SharedEvents.MAX_BYTES + 1));
    put("000000000000000002-" + NODE, "{'type':'project-created','projectName':'p'}");
    assertThat(received()).containsExactly("p");
  }

  @Test
  void push_of_many_refs_drops_no_events_of_other_projects() throws Exception {
    SharedEvents other = node();
    other.onEvent(creation("first"));
    for (int i = 0; i < 3 * SharedEvents.OF_PROJECT; i++) {
      other.onEvent(creation("large"));
    }
    other.onEvent(creation("last"));
    other.exchange();
    List<String> received = received();
    assertThat(received).hasSize(SharedEvents.OF_PROJECT + 2).startsWith("first").endsWith("last");
    other.onEvent(creation("large"));
    other.exchange();
    assertThat(received()).as("once the others are written").containsExactly("large");
  }

  @Test
  void event_that_hangs_delays_no_later_one_for_good() throws Exception {
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch ends = new CountDownLatch(1);
    onStreamed =
        event -> {
          if (event.equals("hangs")) {
            hangs.countDown();
            Uninterruptibles.awaitUninterruptibly(ends, Duration.ofSeconds(20)); // longer: a fault
          }
        };
    SharedEvents other = node();
    other.onEvent(creation("hangs"));
    other.onEvent(creation("hangs"));
    other.onEvent(creation("p"));
    other.exchange();
    events.exchange();
    Thread first = new Thread(() -> events.post(events.unposted()));
    first.start();
    try {
      hangs.await();
      assertThat(received()).as("one thread hangs, not two").containsExactly("p");
    } finally {
      ends.countDown();
      first.join();
    }
    other.onEvent(creation("hangs"));
    other.exchange();
    assertThat(received()).as("once it has ended").containsExactly("hangs");
  }

  @Test
  void slow_events_leave_following_its_turn() throws Exception {
    SharedEvents other = node();
    for (int i = 0; i < 4; i++) {
      other.onEvent(creation("p" + i));
    }
    step = SharedEvents.TURN.toNanos() / 2;
    other.exchange();
    assertThat(received()).containsExactly("p0");
    other.exchange();
    assertThat(received()).containsExactly("p1");
    step = 0;
    other.exchange();
    step = SharedEvents.TURN.toNanos() / 2;
    assertThat(received()).containsExactly("p2");
    assertThat(received()).containsExactly("p3");
  }

  @Test
  void deletion_of_a_change_is_shown_to_readers_of_its_branch_if_public() throws Exception {
    SharedEvents other = node();
    other.onEvent(deletion(true));
    other.onEvent(deletion(false));
    other.exchange();
    assertThat(received()).containsExactly("readers of " + BRANCH, "change-deleted");
  }

  @Test
  void events_whose_write_had_an_unknown_outcome_are_posted_once() throws Exception {
    SharedEvents other = node();
    other.onEvent(creation("p1"));
    ObjectStore losesAnswers =
        new DelegatingObjectStore(gerrit.store()) {
          @Override
          public void put(String key, byte[] bytes, int offset, int length) throws IOException {
            super.put(key, bytes, offset, length);
            throw new IOException("no answer");
          }
        };
    assertThatThrownBy(() -> other.exchange(losesAnswers)).hasMessage("no answer");
    assertThat(received()).containsExactly("p1");
    other.onEvent(creation("p2"));
    other.exchange();
    other.exchange();
    assertThat(received()).containsExactly("p2");
  }
}

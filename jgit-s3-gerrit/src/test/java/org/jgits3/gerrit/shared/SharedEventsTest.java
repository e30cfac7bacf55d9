// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Suppliers;
import com.google.gerrit.entities.Account;
import com.google.gerrit.entities.BranchNameKey;
import com.google.gerrit.entities.Change;
import com.google.gerrit.entities.Project;
import com.google.gerrit.extensions.registration.DynamicItem;
import com.google.gerrit.server.config.GerritRuntime;
import com.google.gerrit.server.data.ChangeAttribute;
import com.google.gerrit.server.events.ChangeDeletedEvent;
import com.google.gerrit.server.events.ChangeEvent;
import com.google.gerrit.server.events.Event;
import com.google.gerrit.server.events.EventDispatcher;
import com.google.gerrit.server.events.EventGsonProvider;
import com.google.gerrit.server.events.ProjectEvent;
import com.google.gerrit.server.events.RefEvent;
import com.google.gerrit.server.notedb.ChangeNotes;
import com.google.gerrit.server.project.NoSuchChangeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jgits3.gerrit.TestSite;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.jgits3.store.DelegatingObjectStore;
import org.jgits3.store.ObjectStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events of several nodes on one store. */
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

  private final Posted posted = new Posted();

  @TempDir Path directory;
  private S3GitRepositoryManager gerrit;
  private SharedEvents events;

  /** Notes the events that are posted, and for the readers of what. */
  private static final class Posted implements EventDispatcher {
    private final List<String> events = new ArrayList<>();

    @Override
    public void postEvent(Change change, ChangeEvent event) {
      events.add(event.type + " " + change.getId());
    }

    @Override
    public void postEvent(BranchNameKey branch, RefEvent event) {
      events.add(event.type + " " + branch);
    }

    @Override
    public void postEvent(Project.NameKey project, ProjectEvent event) {
      events.add(event.type + " " + project);
    }

    @Override
    public void postEvent(Event event) {
      events.add(event.type);
    }
  }

  @BeforeEach
  void open() throws Exception {
    gerrit = TestSite.below(directory).manager(GerritRuntime.BATCH);
    events = node();
  }

  @AfterEach
  void close() {
    gerrit.stop();
  }

  private SharedEvents node() throws Exception {
    return new SharedEvents(
        gerrit,
        TestSite.requests(),
        DynamicItem.itemOf(EventDispatcher.class, posted),
        NO_CHANGE,
        new EventGsonProvider().get());
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

  private void put(String name) throws Exception {
    byte[] line = "x\n".getBytes(UTF_8);
    gerrit.store().put("gerrit-events/" + name, line, 0, line.length);
  }

  private List<String> names() throws Exception {
    List<String> names = new ArrayList<>();
    gerrit.store().list("gerrit-events/", object -> names.add(object.key()));
    return names;
  }

  @Test
  void object_with_another_name_is_left_alone_and_stops_nothing() throws Exception {
    events.exchange();
    put("0000000000001-" + NODE + "-99999999999999999999999");
    put("readme");
    put("0000000000001-" + NODE + "-1");
    events.exchange();
    assertThat(names())
        .containsExactlyInAnyOrder(
            "gerrit-events/0000000000001-" + NODE + "-99999999999999999999999",
            "gerrit-events/readme");
    events.post(); // a line that is no event
    assertThat(posted.events).isEmpty();
  }

  @Test
  void deletion_of_a_change_is_shown_to_readers_of_its_branch_unless_it_was_private()
      throws Exception {
    events.exchange();
    SharedEvents other = node();
    other.onEvent(deletion(true));
    other.onEvent(deletion(false));
    other.exchange();
    events.exchange();
    events.post();
    assertThat(posted.events).containsExactly("change-deleted " + BRANCH);
  }

  @Test
  void events_whose_write_had_an_unknown_outcome_are_posted_once() throws Exception {
    events.exchange();
    SharedEvents other = node();
    other.onEvent(deletion(false));
    ObjectStore losesAnswers =
        new DelegatingObjectStore(gerrit.store()) {
          @Override
          public void put(String key, byte[] bytes, int offset, int length) throws IOException {
            super.put(key, bytes, offset, length);
            throw new IOException("no answer");
          }
        };
    assertThatThrownBy(() -> other.exchange(losesAnswers)).hasMessage("no answer");
    other.exchange();
    other.onEvent(deletion(false));
    other.exchange();
    events.exchange();
    events.post();
    assertThat(posted.events).hasSize(2);
  }
}

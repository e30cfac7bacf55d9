// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gerrit.server.config.GerritRuntime;
import com.google.gson.Gson;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jgits3.gerrit.TestSite;
import org.jgits3.gerrit.repository.S3GitRepositoryManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events of several nodes on one store. */
class SharedEventsTest {
  private static final String NODE = "0123456789abcdef";

  @TempDir Path directory;
  private S3GitRepositoryManager gerrit;
  private SharedEvents events;

  @BeforeEach
  void open() throws Exception {
    gerrit = TestSite.below(directory).manager(GerritRuntime.BATCH);
    events = new SharedEvents(gerrit, TestSite.requests(), null, null, new Gson());
  }

  @AfterEach
  void close() {
    gerrit.stop();
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
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.TestRepositories;
import org.jgits3.testing.aid.GitRequests;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeekedCommandsTest {
  private static final String NONE = ObjectId.zeroId().name();

  @AutoClose private InMemoryRepository repository;
  private String known;

  @BeforeEach
  void create() throws Exception {
    repository = new InMemoryRepository(new DfsRepositoryDescription("r"));
    ObjectId id = TestRepositories.blob(repository, new byte[] {1});
    TestRepositories.update(repository, "refs/heads/main", id);
    known = id.name();
  }

  /**
   * Tests whether some lines fit; they and the bytes that follow must still be there afterwards.
   */
  private boolean fit(String... lines) throws IOException {
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    sent.writeBytes(
        GitRequests.of(
            out -> {
              for (String line : lines) {
                out.writeString(line);
              }
            }));
    sent.writeBytes("PACK and so on".getBytes(UTF_8));
    return fit(sent.toByteArray());
  }

  private boolean fit(byte[] sent) throws IOException {
    PeekedCommands commands = PeekedCommands.of(new ByteArrayInputStream(sent));
    boolean fit = commands.fit(repository);
    assertThat(commands.andRest().readAllBytes()).isEqualTo(sent);
    return fit;
  }

  @Test
  void commands_that_name_the_values_of_their_refs_fit() throws Exception {
    assertThat(fit(known + " " + NONE + " refs/heads/main\0report-status atomic")).isTrue();
    assertThat(
            fit(
                NONE + " " + known + " refs/heads/new\0 report-status",
                known + " " + NONE + " refs/heads/main\n"))
        .isTrue();
  }

  @Test
  void a_command_with_another_value_does_not() throws Exception {
    assertThat(fit(NONE + " " + known + " refs/heads/main\0 atomic")).isFalse();
    assertThat(
            fit(
                NONE + " " + known + " refs/heads/new\0 atomic",
                known + " " + NONE + " refs/heads/unknown"))
        .isFalse();
  }

  @Test
  void nothing_fits_that_is_not_understood() throws Exception {
    assertThat(fit("shallow " + known)).isFalse();
    assertThat(fit("push-cert\0 atomic", "certificate version 0.1")).isFalse();
    String[] many = new String[300];
    for (int i = 0; i < many.length; i++) {
      many[i] = NONE + " " + known + " refs/heads/" + i;
    }
    assertThat(fit(many)).isFalse();
  }

  @Test
  void nor_do_commands_before_a_packet_as_long_as_may_be() throws Exception {
    String command = NONE + " " + known + " refs/heads/" + "x".repeat(16_000);
    assertThat(fit(command, "y".repeat(65_516))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "00", "0003", "zzzz", "ffffPACK", "0032 and no more", "0001"})
  void nor_what_is_no_push(String sent) throws Exception {
    assertThat(fit(sent.getBytes(UTF_8))).isFalse();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Validations among the requests of an operation. */
class ReportTest {
  private static final String READ = "GetObject git/repos/3775f94155077937/manifest 304";
  private static final String WRITTEN = "PutObject git/repos/3775f94155077937/manifest 200";
  private static final String READ_USERS = "GetObject git/repos/a1b2c3d4e5f60718/manifest 304";
  private static final String LEASE = "GetObject git/objects/3775f94155077937/lease 404";
  private static final String PACK = "PutObject git/objects/3775f94155077937/pack/4.bundle 200";

  private static void counts(List<String> requests, int project, int users) {
    assertThat(Report.validations(requests))
        .isEqualTo(Map.of("3775f94155077937", project, "a1b2c3d4e5f60718", users));
  }

  @Test
  void each_read_of_a_manifest_counts() {
    counts(List.of(READ_USERS, READ), 1, 1);
    counts(List.of(READ, READ_USERS, READ_USERS, READ, READ), 3, 2);
  }

  @Test
  void reads_before_the_last_write_count() {
    String absent = READ.replace("304", "404");
    counts(List.of(READ_USERS, absent, WRITTEN, READ, PACK, WRITTEN, WRITTEN), 2, 1);
  }

  @Test
  void work_after_a_write_does_not_count() {
    counts(List.of(READ_USERS, READ, PACK, WRITTEN, READ_USERS), 1, 1);
    counts(List.of(READ_USERS, READ, PACK, WRITTEN, READ), 1, 1);
    counts(
        List.of(READ, READ_USERS, PACK, WRITTEN, READ, LEASE, READ, READ, PACK, WRITTEN, READ),
        1,
        1);
  }

  @Test
  void validations_by_work_after_a_write_are_not_requests_of_an_operation() {
    assertThat(Report.own(List.of(READ_USERS, READ, PACK, WRITTEN))).isEqualTo(4);
    assertThat(Report.own(List.of(READ_USERS, READ, PACK, WRITTEN, READ_USERS, READ, READ)))
        .isEqualTo(4);
    assertThat(Report.own(List.of(READ, PACK, WRITTEN, LEASE, READ, PACK, WRITTEN))).isEqualTo(3);
  }

  @Test
  void requests_after_a_write_and_all_without_one_belong_to_an_operation() {
    assertThat(Report.own(List.of(READ, PACK, WRITTEN, READ.replace("304", "200"), PACK)))
        .isEqualTo(5);
    assertThat(Report.own(List.of(READ_USERS, READ, READ, READ_USERS))).isEqualTo(4);
    assertThat(Report.own(List.of())).isZero();
  }
}

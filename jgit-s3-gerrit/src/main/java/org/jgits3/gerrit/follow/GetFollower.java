// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.follow;

import com.google.gerrit.extensions.restapi.Response;
import com.google.gerrit.extensions.restapi.RestReadView;
import com.google.gerrit.server.config.ConfigResource;
import com.google.inject.Inject;
import org.jgits3.gerrit.repository.UnavailableResponse;

/**
 * {@code GET /config/server/s3-follower}: the progress of this node. Answers 503 instead of 200 if
 * it is late, so that a load balancer sends requests elsewhere.
 */
public class GetFollower implements RestReadView<ConfigResource> {
  private final FollowerStatus status;

  @Inject
  GetFollower(FollowerStatus status) {
    this.status = status;
  }

  @Override
  public Response<FollowerStatus.Report> apply(ConfigResource resource) {
    FollowerStatus.Report report = status.report();
    return report.ready() ? Response.ok(report) : new UnavailableResponse<>(report);
  }
}

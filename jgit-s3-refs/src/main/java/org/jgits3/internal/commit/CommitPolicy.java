// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.time.Duration;

/**
 * Bounds on the attempts of a committer.
 *
 * @param deadline how long a change may take from its submission until it is reported as unknown
 */
public record CommitPolicy(Duration deadline) {
  /** 30 seconds. */
  public static final CommitPolicy DEFAULT = new CommitPolicy(Duration.ofSeconds(30));
}

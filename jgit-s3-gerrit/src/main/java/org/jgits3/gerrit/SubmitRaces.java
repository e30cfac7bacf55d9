// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit;

import com.google.gerrit.server.ExceptionHook;

/**
 * Has Gerrit repeat a submit of a change that another request has submitted meanwhile, on this node
 * or another one. Gerrit finds the change merged then and answers 409; without this it answers 500
 * if it learns of the other submit only while it updates the branch.
 */
final class SubmitRaces implements ExceptionHook {
  /** Part of what Gerrit says if a submit has changed nothing. */
  private static final String UNCHANGED = "unexpectedly had status NEW after submit attempt";

  @Override
  public boolean shouldRetry(String actionType, String actionName, Throwable failure) {
    return failure instanceof IllegalStateException
        && failure.getMessage() != null
        && failure.getMessage().endsWith(UNCHANGED);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.events;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.Locale;
import org.eclipse.jgit.lib.PersonIdent;
import org.jgits3.history.RepositoryChange;
import org.jgits3.history.Transaction;
import org.jgits3.manifest.RefChange;
import org.jgits3.server.terminal.LogLine;

/**
 * Event that the command prints or posts: a changed ref, or another change of a repository. Fields
 * that do not apply are null, and left out in JSON. Together, {@code repositoryId}, {@code
 * generation} and {@code ref} identify a repeated event.
 *
 * @param event {@code ref}; or {@code created}, {@code renamed}, {@code restored}, {@code deleted}
 * @param repository name of the repository
 * @param repositoryId id, which a renamed repository keeps
 * @param formerName name before a rename
 * @param transaction time and identity of the change of a ref
 * @param change the change of a ref
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Event(
    String event,
    String repository,
    String repositoryId,
    String formerName,
    @JsonUnwrapped Of transaction,
    @JsonUnwrapped LogLine.Row change) {
  /** Transaction that a change belongs to. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Of(long generation, String time, String name, String email, String message) {
    public static Of transaction(Transaction t) {
      PersonIdent who = t.who();
      return new Of(
          t.generation(), LogLine.time(who), who.getName(), who.getEmailAddress(), t.message());
    }
  }

  /** Event of a repository: it was created, renamed, restored or deleted. */
  public static Event of(RepositoryChange c) {
    return new Event(
        c.kind().name().toLowerCase(Locale.ROOT),
        c.name(),
        c.repositoryId(),
        c.formerName().orElse(null),
        null,
        null);
  }

  /** Event of a ref. */
  public static Event of(RepositoryChange c, Of transaction, RefChange change) {
    return new Event("ref", c.name(), c.repositoryId(), null, transaction, LogLine.Row.of(change));
  }

  /** Line for people. */
  public String text() {
    if (change == null) {
      return repository + " " + event + (formerName == null ? "" : " from " + formerName);
    }
    return repository
        + " "
        + transaction.time()
        + " "
        + transaction.name()
        + " <"
        + transaction.email()
        + "> "
        + change.text();
  }
}

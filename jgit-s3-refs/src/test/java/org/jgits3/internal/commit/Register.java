// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.commit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jgits3.internal.catalog.RepositoryCatalog;
import org.jgits3.manifest.LogEntry;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.manifest.RepositorySettings;
import org.jgits3.manifest.TransactionLog;
import org.jgits3.manifest.UnknownOutcomeException;
import org.jgits3.manifest.VersionedManifest;

/**
 * One value in a repository, with the operations of the models: compare-and-set and set. Each
 * leaves its name, and the value it replaced and made, in the transaction log.
 */
public final class Register {
  /** Result that a client is told. */
  enum Report {
    OK,
    FAIL,
    NO_CHANGE,
    GONE,
    LATE,
    UNKNOWN
  }

  /** An operation as it was applied. */
  record Applied(String op, String from, String to) {}

  private Register() {}

  /** A repository whose value is 0. */
  public static VersionedManifest create(RepositoryCatalog catalog, RepositoryName name)
      throws IOException {
    return catalog.create(name, new RepositorySettings("", "0"), ManifestFixture.HEAD);
  }

  static ManifestChange<Report> cas(String op, String from, String to) {
    return base ->
        value(base).equals(from)
            ? Proposal.edit(write(base, op, to), Report.OK)
            : Proposal.noEdit(Report.FAIL);
  }

  static ManifestChange<Report> set(String op, String to) {
    return base ->
        value(base).equals(to)
            ? Proposal.noEdit(Report.NO_CHANGE)
            : Proposal.edit(write(base, op, to), Report.OK);
  }

  static String value(Manifest manifest) {
    return manifest.settings().description();
  }

  /** Runs an operation and says what its client is told. */
  static Report run(ManifestCommitter committer, ManifestChange<Report> change) {
    try {
      return committer.commit(change);
    } catch (UnknownOutcomeException e) {
      return Report.UNKNOWN;
    } catch (ManifestException.Gone e) {
      return Report.GONE;
    } catch (ManifestException.NotCommitted e) {
      return Report.LATE;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The operations that made this very generation. */
  static List<Applied> madeBy(Manifest manifest) {
    return manifest.log().tail().stream()
        .filter(entry -> entry.generation() == manifest.generation())
        .map(entry -> new Applied(entry.name(), entry.email(), entry.message()))
        .toList();
  }

  private static Manifest write(Manifest base, String op, String to) {
    List<LogEntry> tail = new ArrayList<>(base.log().tail());
    tail.add(
        new LogEntry(
            base.generation() + 1, 0, 0, op, value(base), to, List.of(), Optional.empty()));
    RepositorySettings settings = base.settings();
    return base.withLog(new TransactionLog(base.log().segments(), tail))
        .withSettings(new RepositorySettings(settings.config(), to));
  }
}

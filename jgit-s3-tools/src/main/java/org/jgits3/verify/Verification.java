// SPDX-License-Identifier: Apache-2.0
package org.jgits3.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.errors.RepositoryNotFoundException;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.jgits3.S3RepositoryManager;
import org.jgits3.internal.version.MaintenanceTarget;
import org.jgits3.maintenance.UpToDate;
import org.jgits3.manifest.LiveObject;
import org.jgits3.manifest.Manifest;
import org.jgits3.manifest.ManifestException;
import org.jgits3.manifest.VersionedManifest;
import org.jgits3.store.StoreException;

/**
 * Checks a repository from the manifest down: every object that it lists exists and has the bytes
 * that were written, and Git's fsck finds no error. Changes nothing.
 *
 * <p>Others may commit meanwhile, and objects they replaced may be swept. So a finding counts only
 * if the newest manifest still lists the object; else everything is checked again.
 */
public final class Verification {
  /** Maximum number of attempts while commits keep replacing the objects being read. */
  private static final int ATTEMPTS = 5;

  private final S3RepositoryManager manager;
  private final ProgressMonitor monitor;

  /**
   * One defect.
   *
   * @param key key of the object in the store
   * @param problem description of the defect, without a full stop
   */
  public record Finding(String key, String problem) {}

  /**
   * Result of a verification.
   *
   * @param generation generation of the manifest that was checked
   * @param objects objects in the store that it lists
   * @param bytes bytes of them that were read
   * @param fsck true if Git's own check ran; it does not if an object it would read is damaged
   * @param findings the defects; empty for a sound repository
   * @param upToDate manifest of a sound repository; empty for another
   */
  public record Report(
      long generation,
      int objects,
      long bytes,
      boolean fsck,
      List<Finding> findings,
      Optional<UpToDate> upToDate) {
    public Report {
      findings = List.copyOf(findings);
    }
  }

  /**
   * Prepares verifications. Makes no request.
   *
   * @param manager store with the repositories
   * @param monitor receives progress; may cancel
   */
  public Verification(S3RepositoryManager manager, ProgressMonitor monitor) {
    this.manager = manager;
    this.monitor = monitor;
  }

  /**
   * Checks the newest manifest of a repository: that every object that it lists exists and has the
   * bytes that were written, then all packs and refs, as Git's fsck does. Reads everything.
   *
   * @param name its name; a trailing {@code .git} is ignored
   * @return the result
   * @throws RepositoryNotFoundException if there is none, or the name is not allowed
   * @throws ManifestException if its manifest is damaged, or it was deleted or renamed meanwhile
   * @throws IOException if the store does not answer
   */
  public Report run(String name) throws IOException {
    MaintenanceTarget repository = manager.maintenance(name).repository();
    VersionedManifest manifest = repository.committer().validate();
    for (int i = 1; ; i++) {
      Report report = check(repository, manifest);
      VersionedManifest now = repository.committer().validate();
      if (report.findings().isEmpty()
          || !replaced(report.findings(), manifest.manifest(), now.manifest())) {
        return report;
      }
      if (i == ATTEMPTS) {
        throw new IOException(
            repository.name()
                + ": objects were replaced and swept during each of "
                + ATTEMPTS
                + " verifications; verify again, or sweep later");
      }
      manifest = now;
    }
  }

  private Report check(MaintenanceTarget repository, VersionedManifest versioned)
      throws IOException {
    Manifest manifest = versioned.manifest();
    List<LiveObject> objects = LiveObject.of(manifest);
    ObjectCheck check = new ObjectCheck(repository.store());
    check.run(objects, monitor);
    List<Finding> findings = new ArrayList<>(check.findings());
    boolean sound = findings.isEmpty();
    if (sound) {
      try {
        findings.addAll(new Fsck(repository, manifest, monitor).run());
      } catch (StoreException.Missing e) {
        sound = false;
        findings.add(new Finding(e.key(), "is missing"));
      }
    }
    Optional<UpToDate> upToDate =
        findings.isEmpty() ? Optional.of(UpToDate.forGood(versioned)) : Optional.empty();
    return new Report(
        manifest.generation(), objects.size(), check.bytes(), sound, findings, upToDate);
  }

  /** Tests whether a finding is about an object that was listed and no longer is. */
  private static boolean replaced(List<Finding> findings, Manifest checked, Manifest now) {
    Set<String> left = keys(checked);
    left.removeAll(keys(now));
    return findings.stream().anyMatch(f -> left.contains(f.key()));
  }

  private static Set<String> keys(Manifest manifest) {
    Set<String> keys = new HashSet<>();
    LiveObject.of(manifest).forEach(object -> keys.add(object.key()));
    return keys;
  }
}

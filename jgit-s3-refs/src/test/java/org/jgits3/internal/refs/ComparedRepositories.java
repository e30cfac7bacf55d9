// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.ReflogEntry;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.StoredConfig;
import org.eclipse.jgit.util.FileUtils;
import org.jgits3.Purpose;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.refs.snapshot.SampleObjects;
import org.jgits3.store.MemoryObjectStore;

/** One repository with two RefDatabases: ours, and {@code RefDirectory}, which is the model. */
final class ComparedRepositories implements AutoCloseable {
  /** Bytes of configuration that leave a manifest little room, so that few refs are many. */
  private static final int CRAMPED = 200 << 10;

  static final List<String> NAMES = new ArrayList<>();

  static {
    NAMES.addAll(RefOperations.LINKS);
    NAMES.addAll(RefOperations.NAMES);
  }

  private final Path directory = Files.createTempDirectory("compared-refs");
  private final MemoryObjectStore store = new MemoryObjectStore();
  private final S3RepositoryManager here = TestRepositories.manager(store);
  private final S3RepositoryManager there = TestRepositories.manager(store);
  private final S3Repository ours = here.createRepository("r");
  private final S3Repository elsewhere = there.openRepository("r");
  private final FileRepository model = create("files.git");
  private final Map<String, ObjectId> objects = SampleObjects.insert(model);
  private int steps;

  ComparedRepositories(boolean cramped) throws Exception {
    SampleObjects.insert(ours);
    if (cramped) {
      StoredConfig config = ours.getConfig();
      config.setString("test", null, "filler", "x".repeat(CRAMPED));
      config.save();
    }
  }

  private FileRepository create(String name) throws IOException {
    FileRepository r = new FileRepository(new File(directory.toFile(), name));
    r.create(true);
    StoredConfig config = r.getConfig();
    config.setString("core", null, "logAllRefUpdates", "always");
    config.save();
    return r;
  }

  void step(RefDatabasePropertyTest.Step step) throws Exception {
    RefOperation operation = step.operation();
    RefOperation.Context context = new RefOperation.Context(model, objects, ++steps);
    if (RefDirectoryLimits.exclude(operation, context)) {
      return;
    }
    List<String> before = existing(model);
    String actual = ours(step, context);
    String expected = outcome(model, operation, context);
    String what = steps + ": " + step + "\nafter " + before + "\n";
    assertThat(actual).as(what).isEqualTo(expected);
    if (step.compacted()) {
      ours.getRefDatabase().compact();
    }
    Map<String, String> after = picture(model);
    assertThat(differences(after, picture(ours))).as(what).isEmpty();
  }

  private String ours(RefDatabasePropertyTest.Step step, RefOperation.Context context)
      throws Exception {
    RefOperation operation = step.operation();
    return switch (step.by()) {
      case HERE -> outcome(ours, operation, context);
      case ELSEWHERE -> outcome(elsewhere, operation, context);
      case REQUEST -> {
        try (S3Repository r = here.openRepository("r", Purpose.request())) {
          yield outcome(r, operation, context);
        }
      }
      case NEWCOMER -> {
        try (S3RepositoryManager m = TestRepositories.manager(store);
            S3Repository r = m.openRepository("r")) {
          yield outcome(r, operation, context);
        }
      }
    };
  }

  static String outcome(Repository r, RefOperation operation, RefOperation.Context context) {
    try {
      return operation.on(r, context);
    } catch (IOException | RuntimeException e) {
      return "throws " + e;
    }
  }

  /** Questions that are not answered as by the model. */
  private static List<String> differences(Map<String, String> model, Map<String, String> other) {
    Set<String> questions = new TreeSet<>(model.keySet());
    questions.addAll(other.keySet());
    return questions.stream()
        .filter(q -> !Objects.equals(model.get(q), other.get(q)))
        .map(q -> q + ": " + other.get(q) + "\n  instead of " + model.get(q))
        .toList();
  }

  private static List<String> existing(Repository r) throws IOException {
    List<String> refs = new ArrayList<>();
    for (String name : NAMES) {
      Ref ref = r.exactRef(name);
      if (ref != null) {
        refs.add(ref.toString());
      }
    }
    return refs;
  }

  private Map<String, String> picture(Repository r) throws IOException {
    return RefPicture.of(r, NAMES, objects.values());
  }

  /** Reflog of a ref. */
  List<ReflogEntry> reflog(String name) throws IOException {
    return ours.getRefDatabase().getReflogReader(name).getReverseEntries();
  }

  /** Checks that a process that has just started finds the same. */
  void reopen() throws Exception {
    try (S3RepositoryManager m = TestRepositories.manager(store);
        S3Repository r = m.openRepository("r")) {
      assertThat(differences(picture(model), picture(r))).as("opened again").isEmpty();
    }
  }

  @Override
  public void close() throws IOException {
    ours.close();
    elsewhere.close();
    here.close();
    there.close();
    model.close();
    FileUtils.delete(directory.toFile(), FileUtils.RECURSIVE);
  }
}

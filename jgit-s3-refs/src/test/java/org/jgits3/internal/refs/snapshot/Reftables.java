// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.jgits3.internal.refs.ComparedRepositories;
import org.jgits3.internal.refs.RefOperation;
import org.jgits3.internal.refs.RefOperations;
import org.jgits3.internal.refs.RefPicture;

/**
 * A repository whose refs are in JGit's {@code FileReftableDatabase}. Where that differs from
 * {@code RefDirectory}, it is made to follow, so that the next operation begins with the same refs.
 *
 * <p>All differences that are known:
 *
 * <ul>
 *   <li>Names beyond the BMP are written in the order of Java strings, and the next table is
 *       refused; the property leaves them out.
 *   <li>Of a batch that is refused, in whole or in part, other commands may be to blame, or for
 *       another reason. What is done is the same, but for the next two.
 *   <li>Two commands for a ref in one batch are an IllegalArgumentException.
 *   <li>Of names in a batch that are in each other's way, one that is refused keeps others from
 *       being created, and one that is deleted does not.
 *   <li>Commands of a batch are not led on by symbolic refs.
 *   <li>To rename a symbolic ref that leads to nothing is a NullPointerException.
 *   <li>A renamed ref has no peeled value. HEAD is led to the new name also where it leads to the
 *       old one by way of another symbolic ref.
 *   <li>Reflogs keep line ends, deletions and commands that change nothing, and name results
 *       otherwise; so only the values of the last change are compared. Updates through a symbolic
 *       ref are not in its log.
 * </ul>
 */
public final class Reftables implements AutoCloseable {
  /** Name in the result of a command that was done. */
  private static final Pattern DONE = Pattern.compile("([^ \\[]+) OK\\b");

  /** Two ids at the beginning of an entry of a log. */
  private static final Pattern CHANGE =
      Pattern.compile("(?<=[\\[ ])([0-9a-f]{40}) (?!\\1)[0-9a-f]{40}");

  private final FileRepository repository;
  private final List<String> names;

  /** Refs that were made to follow: their logs are of no use. */
  private final Set<String> followed = new HashSet<>();

  public Reftables(FileRepository repository, List<String> names) throws IOException {
    this.repository = repository;
    this.names = names;
    repository.convertRefStorage("reftable", true, false);
    update("HEAD").link("refs/heads/master");
    SampleObjects.insert(repository);
  }

  public String perform(RefOperation operation, RefOperation.Context context) {
    return ComparedRepositories.outcome(repository, operation, context);
  }

  /**
   * Compares what came of an operation, and all answers after it.
   *
   * @param what the operation, for messages
   * @param operation the operation
   * @param expected what {@code RefDirectory} said
   * @param actual what was said here
   * @param model the refs after it
   * @param objects objects that refs may point to
   */
  public void compare(
      String what,
      RefOperation operation,
      String expected,
      String actual,
      Repository model,
      Collection<ObjectId> objects)
      throws IOException {
    if (!actual.equals(expected)) {
      assertThat(isKnown(operation, expected, actual))
          .as(what + "in reftables " + actual + " instead of " + expected)
          .isTrue();
      follow(model);
    }
    if (operation instanceof RefOperation.Rename r && expected.equals("RENAMED")) {
      replace(model, r.to());
      follow(model);
    }
    Map<String, String> answers = comparable(RefPicture.of(model, names, objects));
    assertThat(
            ComparedRepositories.differences(
                answers, comparable(RefPicture.of(repository, names, objects))))
        .as(what + "in reftables")
        .isEmpty();
  }

  private static boolean isKnown(RefOperation operation, String expected, String actual) {
    if (operation instanceof RefOperation.Rename) {
      return expected.equals("IO_FAILURE") && actual.contains("NullPointerException");
    }
    if (operation instanceof RefOperation.CommitBatch batch) {
      return done(actual).equals(done(expected))
          || twoForOneRef(batch)
          || inEachOthersWay(batch)
          || names(batch).anyMatch(RefOperations.LINKS::contains);
    }
    return false;
  }

  private static Set<String> done(String outcome) {
    Set<String> done = new TreeSet<>();
    Matcher command = DONE.matcher(outcome);
    while (command.find()) {
      done.add(command.group(1));
    }
    return done;
  }

  private static Stream<String> names(RefOperation.CommitBatch batch) {
    return batch.commands().stream().map(RefOperation.Command::name);
  }

  private static boolean twoForOneRef(RefOperation.CommitBatch batch) {
    return names(batch).distinct().count() < batch.commands().size();
  }

  private static boolean inEachOthersWay(RefOperation.CommitBatch batch) {
    return names(batch).anyMatch(a -> names(batch).anyMatch(b -> b.startsWith(a + "/")));
  }

  private Map<String, String> comparable(Map<String, String> answers) {
    Map<String, String> comparable = new TreeMap<>(answers);
    followed.forEach(name -> comparable.remove("reflog of " + name));
    RefOperations.LINKS.forEach(name -> comparable.remove("reflog of " + name));
    comparable.replaceAll(
        (question, answer) -> question.startsWith("reflog") ? lastChange(answer) : answer);
    return comparable;
  }

  private static String lastChange(String log) {
    Matcher change = CHANGE.matcher(log);
    return change.find() ? change.group() : "none";
  }

  private void follow(Repository model) throws IOException {
    for (String name : names) {
      if (!String.valueOf(repository.exactRef(name)).equals(String.valueOf(model.exactRef(name)))) {
        replace(model, name);
      }
    }
  }

  private void replace(Repository model, String name) throws IOException {
    followed.add(name);
    update(name).delete();
    Ref wanted = model.exactRef(name);
    if (wanted != null && wanted.isSymbolic()) {
      update(name).link(wanted.getTarget().getName());
    } else if (wanted != null) {
      RefUpdate u = update(name);
      u.setNewObjectId(wanted.getObjectId());
      u.update();
    }
  }

  private RefUpdate update(String name) throws IOException {
    RefUpdate update = repository.getRefDatabase().newUpdate(name, true);
    update.setForceUpdate(true);
    return update;
  }

  @Override
  public void close() {
    repository.close();
  }
}

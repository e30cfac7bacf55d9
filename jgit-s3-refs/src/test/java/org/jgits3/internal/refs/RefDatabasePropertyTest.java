// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.internal.refs.snapshot.SampleObjects;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.testing.Holds;
import org.jgits3.testing.RandomSeed;

/**
 * The same random operations on this RefDatabase and on JGit's {@code RefDirectory}, with the same
 * results, and the same answers to every question after each; {@code -Djqwik.tries.default=10000}
 * tries more.
 */
@Holds(
    "S3BatchRefUpdate: A batch commits in one write or not at all, with the results of "
        + "`RefDirectory`")
@Holds(
    "S3RefUpdate: A verdict rests on its own write, or on a read that began after the change, or "
        + "its push, arrived (B2 to B4)")
@Holds("RefEdits: No ref is a directory of another one. Commits check this again.")
@Holds(
    "TransactionReflog, S3RefUpdate, S3RefRename: Reflogs, also of symbolic and renamed refs, "
        + "are those of `RefDirectory`")
@AddLifecycleHook(RefDatabasePropertyTest.FromSeed.class)
class RefDatabasePropertyTest {
  /** Which process does an operation on the store. */
  enum By {
    /** The one that answers all questions, and so knows the newest refs. */
    HERE,
    /** Another one, which looks nothing up between its operations. */
    ELSEWHERE,
    /** A handle for one request, which validates once. */
    REQUEST,
    /** One that has just begun. */
    NEWCOMER
  }

  /** One operation, and what our store goes through after it. */
  record Step(RefOperation operation, By by, boolean compacted) {}

  @Property
  void results_and_answers_are_those_of_RefDirectory(
      @ForAll("steps") List<Step> steps, @ForAll boolean cramped) throws Exception {
    try (ComparedRepositories repositories = new ComparedRepositories(cramped)) {
      for (Step step : steps) {
        repositories.step(step);
      }
      repositories.reopen();
    }
  }

  @Example
  void reflog_of_a_ref_that_one_batch_deletes_and_creates_begins_anew() throws Exception {
    String name = "refs/heads/a";
    RefOperation create =
        new RefOperation.Update(name, "first", RefOperation.ANY, true, false, false);
    RefOperation batch =
        new RefOperation.CommitBatch(
            List.of(
                new RefOperation.Command(name, Optional.of("second"), RefOperation.ZERO),
                new RefOperation.Command(name, Optional.empty(), RefOperation.CURRENT)),
            false,
            false,
            true);
    try (ComparedRepositories repositories = new ComparedRepositories(false)) {
      repositories.step(new Step(create, By.HERE, false));
      repositories.step(new Step(batch, By.HERE, true));
      repositories.reopen();
      assertThat(repositories.reflog(name)).hasSize(1);
    }
  }

  @Property
  void refs_are_those_of_a_generation_whatever_happened_since(@ForAll("steps") List<Step> steps)
      throws Exception {
    try (S3RepositoryManager manager = TestRepositories.manager(new MemoryObjectStore());
        S3Repository repository = manager.createRepository("r")) {
      Map<String, ObjectId> objects = SampleObjects.insert(repository);
      Map<Long, Map<String, String>> past = new TreeMap<>();
      past.put(generation(repository), refs(repository));
      for (Step step : steps) {
        RefOperation.Context context = new RefOperation.Context(repository, objects, past.size());
        ComparedRepositories.outcome(repository, step.operation(), context);
        if (step.compacted()) {
          repository.getRefDatabase().compact();
        }
        past.put(generation(repository), refs(repository));
      }
      List<Long> generations = new ArrayList<>(past.keySet());
      Collections.shuffle(generations, new Random(RandomSeed.first()));
      for (long wanted : generations) {
        repository.history().restoration(wanted).apply();
        assertThat(refs(repository))
            .as("generation %d, %s", wanted, steps)
            .isEqualTo(past.get(wanted));
      }
    }
  }

  private static long generation(S3Repository repository) throws IOException {
    return repository.history().position().generation();
  }

  private static Map<String, String> refs(S3Repository repository) throws IOException {
    Map<String, String> refs = new TreeMap<>();
    for (String name : ComparedRepositories.NAMES) {
      Ref ref = repository.exactRef(name);
      if (ref != null) {
        refs.put(name, ref.isSymbolic() ? ref.getTarget().getName() : ref.getObjectId().name());
      }
    }
    return refs;
  }

  @Provide
  static Arbitrary<List<Step>> steps() {
    Arbitrary<Boolean> compacted = Arbitraries.frequency(Tuple.of(9, false), Tuple.of(1, true));
    return Combinators.combine(RefOperations.any(), Arbitraries.of(By.class), compacted)
        .as(Step::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(30);
  }

  /** Begins properties with the {@linkplain RandomSeed seed} of the run. */
  static final class FromSeed implements AroundPropertyHook {
    @Override
    public PropagationMode propagateTo() {
      return PropagationMode.ALL_DESCENDANTS;
    }

    @Override
    public PropertyExecutionResult aroundProperty(
        PropertyLifecycleContext context, PropertyExecutor property) {
      context.attributes().setSeed(Integer.toString(RandomSeed.first()));
      PropertyExecutionResult result = property.execute();
      return result
          .throwable()
          .map(e -> result.mapToFailed(RandomSeed.failure(RandomSeed.first(), e)))
          .orElse(result);
    }
  }
}

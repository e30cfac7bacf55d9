// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;
import org.jgits3.internal.refs.snapshot.SampleObjects;

/** Random operations on few names, so that they meet. Simpler ones come first: they shrink to. */
final class RefOperations {
  /** Names of refs: directories of each other, beyond ASCII, and on both sides of the BMP's end. */
  static final List<String> NAMES =
      List.of(
          "refs/heads/master",
          "refs/heads/a",
          "refs/heads/a/b",
          "refs/heads/a/b/c",
          "refs/heads/a-b",
          "refs/heads/b",
          "refs/heads/\u00e9",
          "refs/heads/\uD83D\uDE00",
          "refs/heads/\uFF5E",
          "refs/tags/v1",
          "refs/tags/v1.0",
          "refs/changes/01/1/1",
          "refs/changes/01/1/meta",
          "refs/meta/config");

  /** Names of refs that may be symbolic. */
  static final List<String> LINKS =
      List.of("HEAD", "refs/heads/link", "refs/heads/chain", "refs/remotes/origin/HEAD");

  private RefOperations() {}

  static Arbitrary<RefOperation> any() {
    return Arbitraries.frequencyOf(
        Tuple.of(5, update()),
        Tuple.of(2, delete()),
        Tuple.of(1, link()),
        Tuple.of(1, rename()),
        Tuple.of(4, batch()));
  }

  private static Arbitrary<String> name() {
    return Arbitraries.of(NAMES);
  }

  private static Arbitrary<String> nameOrLink() {
    return Arbitraries.frequencyOf(Tuple.of(6, name()), Tuple.of(1, Arbitraries.of(LINKS)));
  }

  private static Arbitrary<String> object() {
    return Arbitraries.of(SampleObjects.NAMES);
  }

  private static Arbitrary<String> old(String mostly) {
    return Arbitraries.frequencyOf(
        Tuple.of(6, Arbitraries.just(mostly)),
        Tuple.of(1, Arbitraries.of(RefOperation.CURRENT, RefOperation.ZERO, "first", "second")));
  }

  private static Arbitrary<Boolean> flag() {
    return Arbitraries.of(false, true);
  }

  private static Arbitrary<RefOperation> update() {
    return Combinators.combine(
            nameOrLink(), object(), old(RefOperation.ANY), flag(), flag(), flag())
        .as(RefOperation.Update::new);
  }

  private static Arbitrary<RefOperation> delete() {
    return Combinators.combine(nameOrLink(), old(RefOperation.ANY), flag(), flag())
        .as(RefOperation.Delete::new);
  }

  private static Arbitrary<RefOperation> link() {
    Arbitrary<String> target = nameOrLink().filter(name -> name.startsWith("refs/"));
    return Combinators.combine(Arbitraries.of(LINKS), target, flag()).as(RefOperation.Link::new);
  }

  private static Arbitrary<RefOperation> rename() {
    return Combinators.combine(nameOrLink(), nameOrLink()).as(RefOperation.Rename::new);
  }

  private static Arbitrary<RefOperation> batch() {
    return Combinators.combine(command().list().ofMinSize(1).ofMaxSize(5), flag(), flag(), flag())
        .as(RefOperation.CommitBatch::new);
  }

  private static Arbitrary<RefOperation.Command> command() {
    Arbitrary<Optional<String>> object =
        Arbitraries.frequencyOf(
            Tuple.of(4, object().map(Optional::of)),
            Tuple.of(1, Arbitraries.just(Optional.empty())));
    return Combinators.combine(nameOrLink(), object, old(RefOperation.CURRENT))
        .as(RefOperation.Command::new);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.torture;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Some refs of one repository that are changed together: a group of the history. All processes use
 * the same ones for some seconds, then others, so that no group becomes too large to be judged.
 *
 * @param repositoryId the repository; one that has its name later is another
 * @param name directory of the refs below {@code refs/heads/}
 */
record Family(String repositoryId, String name) {
  /** The names, of which {@link #PARENT} cannot exist beside those below it. */
  static final List<String> NAMES = List.of("a", "b", "c", "d", "d/x", "d/y", "s");

  /** The name that is a directory at other times. */
  static final String PARENT = "d";

  /** The name of a symbolic ref to one of the others. */
  static final String LINK = "s";

  private static final Pattern REF = Pattern.compile("refs/heads/(f\\d+-\\d+)/.*");
  private static final int AT_A_TIME = 3;
  private static final long NANOS = TimeUnit.SECONDS.toNanos(10);

  /** One of the families of this moment. */
  static Family now(String repositoryId, RandomGenerator random) {
    long moment = System.nanoTime() / NANOS;
    return new Family(repositoryId, "f" + moment + "-" + random.nextInt(AT_A_TIME));
  }

  /** The family of a group; the opposite of {@link #group}. */
  static Family of(String group) {
    String[] parts = group.split("/", 2);
    return new Family(parts[0], parts[1]);
  }

  /** The family of a ref; empty if it is in none. */
  static Optional<Family> ofRef(String repositoryId, String ref) {
    Matcher matcher = REF.matcher(ref);
    return matcher.matches()
        ? Optional.of(new Family(repositoryId, matcher.group(1)))
        : Optional.empty();
  }

  /** Its name in the history. */
  String group() {
    return repositoryId + "/" + name;
  }

  /** Beginning of the full names of its refs. */
  String prefix() {
    return "refs/heads/" + name + "/";
  }

  /** Full name of one of its refs. */
  String ref(String of) {
    return prefix() + of;
  }
}

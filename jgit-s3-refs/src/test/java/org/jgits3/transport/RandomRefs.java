// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.jgits3.S3Repository;
import org.jgits3.TestRepositories;

/** Refs and rules that hide some of them, drawn from few words, so that they meet. */
record RandomRefs(Random random) {
  private static final List<String> WORDS = List.of("a", "a-b", "a.b", "b", "01", "02", "\u00e9");

  private static final List<String> RULES =
      List.of(
          "refs",
          "refs/heads",
          "refs/heads/a",
          "refs/heads/a/",
          "refs/heads/a-b",
          "refs/heads/",
          "refs/changes",
          "refs/changes/01//",
          "refs/changes/0",
          "refs/tags/a",
          "^refs/tags",
          "HEAD",
          "!refs/heads",
          "!refs/heads/a",
          "!refs/changes/01",
          "!^refs/tags/b",
          "!refs/tags/a/b",
          "!HEAD");

  /** Gives a repository some refs in its snapshot, and changes some of them after that. */
  void into(S3Repository repository) throws IOException {
    List<ObjectId> ids = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      ObjectId commit = TestRepositories.commit(repository, "commit " + i);
      ids.add(commit);
      ids.add(TestRepositories.tag(repository, "t" + i, commit));
    }
    set(repository, ids, 60);
    repository.getRefDatabase().compact();
    set(repository, ids, 15);
    delete(repository);
    for (String link : List.of("refs/heads/link", "refs/tags/link")) {
      repository.updateRef(link).link(name());
    }
    repository.updateRef("HEAD").link(random.nextInt(4) == 0 ? "refs/heads/unborn" : name());
  }

  private String name() {
    StringBuilder name = new StringBuilder("refs/");
    name.append(List.of("heads", "tags", "changes").get(random.nextInt(3)));
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      name.append('/').append(WORDS.get(random.nextInt(WORDS.size())));
    }
    return name.toString();
  }

  private void set(S3Repository repository, List<ObjectId> ids, int count) throws IOException {
    BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate();
    batch.setAtomic(false);
    batch.setAllowNonFastForwards(true);
    for (int i = 0; i < count; i++) {
      ObjectId id = ids.get(random.nextInt(ids.size()));
      batch.addCommand(new ReceiveCommand(ObjectId.zeroId(), id, name()));
    }
    try (RevWalk walk = new RevWalk(repository)) {
      batch.execute(walk, NullProgressMonitor.INSTANCE); // names that conflict are refused
    }
  }

  private void delete(S3Repository repository) throws IOException {
    for (var ref : repository.getRefDatabase().getRefsByPrefix("refs/")) {
      if (random.nextInt(8) == 0) {
        TestRepositories.delete(repository, ref.getName());
      }
    }
  }

  /** A config with some rules, in sections in any order. */
  String rules() {
    StringBuilder config = new StringBuilder();
    for (int i = random.nextInt(7); i > 0; i--) {
      config
          .append("[" + List.of("transfer", "receive", "uploadpack").get(random.nextInt(3)) + "]\n")
          .append("\thideRefs = \"" + RULES.get(random.nextInt(RULES.size())) + "\"\n");
    }
    return config.toString();
  }

  /** Some prefixes of refs. */
  List<String> prefixes() {
    List<String> prefixes = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      String name = random.nextInt(8) == 0 ? "HEAD" : name();
      prefixes.add(name.substring(0, name.length() - random.nextInt(3)));
    }
    return prefixes;
  }
}

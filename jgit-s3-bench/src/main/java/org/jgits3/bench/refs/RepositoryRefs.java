// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import java.io.IOException;
import java.util.Collection;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;

/** Refs of any JGit repository. */
record RepositoryRefs(Repository repository) implements RefStore {
  @Override
  @Nullable
  public Ref exact(String name) throws IOException {
    return repository.getRefDatabase().exactRef(name);
  }

  @Override
  public Collection<Ref> prefix(String prefix) throws IOException {
    return repository.getRefDatabase().getRefsByPrefix(prefix);
  }

  @Override
  public Collection<Ref> tips(ObjectId id) throws IOException {
    return repository.getRefDatabase().getTipsWithSha1(id);
  }

  @Override
  public void close() {
    repository.close();
  }
}

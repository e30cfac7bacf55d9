// SPDX-License-Identifier: Apache-2.0
package org.jgits3.refs;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.lib.RefRename;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.ReflogReader;

/**
 * What {@link RefUpdate} asks of refs while it decides, answered from one view, so that everything
 * it decides holds of one moment. Immutable; can do nothing else.
 */
final class ViewDatabase extends RefDatabase {
  private final RefView view;

  ViewDatabase(RefView view) {
    this.view = view;
  }

  @Override
  public boolean isNameConflicting(String name) {
    return !view.conflicts(name, 1).isEmpty();
  }

  @Override
  public Collection<String> getConflictingNames(String name) {
    return view.conflicts(name, Integer.MAX_VALUE);
  }

  @Override
  @Nullable
  public Ref exactRef(String name) {
    return view.exact(name);
  }

  @Override
  public void create() {}

  @Override
  public void close() {}

  @Override
  public RefUpdate newUpdate(String name, boolean detach) {
    throw new UnsupportedOperationException();
  }

  @Override
  public RefRename newRename(String from, String to) {
    throw new UnsupportedOperationException();
  }

  @Override
  @Deprecated
  public Map<String, Ref> getRefs(String prefix) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<Ref> getAdditionalRefs() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Ref peel(Ref ref) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ReflogReader getReflogReader(Ref ref) {
    throw new UnsupportedOperationException();
  }
}

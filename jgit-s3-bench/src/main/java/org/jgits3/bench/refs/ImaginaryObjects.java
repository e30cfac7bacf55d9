// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.jgit.lib.AbbreviatedObjectId;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Ref;

/**
 * Reads objects that do not exist: an annotated tag for each tag of a set of refs, and an empty
 * commit for every other id. So refs can be created by the thousand without storing an object for
 * each; no look-up ever opens one.
 */
final class ImaginaryObjects extends ObjectReader {
  private static final byte[] COMMIT =
      """
      tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904
      author A <a@example.com> 0 +0000
      committer A <a@example.com> 0 +0000

      """
          .getBytes(UTF_8);

  private final Map<ObjectId, ObjectId> tags;

  /**
   * Objects that refs point to.
   *
   * @param refs the refs
   */
  ImaginaryObjects(Collection<Ref> refs) {
    this(new HashMap<>());
    for (Ref ref : refs) {
      if (ref.getPeeledObjectId() != null) {
        tags.put(ref.getObjectId(), ref.getPeeledObjectId());
      }
    }
  }

  private ImaginaryObjects(Map<ObjectId, ObjectId> tags) {
    this.tags = tags;
  }

  @Override
  public ObjectReader newReader() {
    return new ImaginaryObjects(tags);
  }

  @Override
  public Collection<ObjectId> resolve(AbbreviatedObjectId id) {
    return List.of();
  }

  @Override
  public ObjectLoader open(AnyObjectId id, int typeHint) {
    ObjectId target = tags.get(id);
    if (target == null) {
      return new ObjectLoader.SmallObject(Constants.OBJ_COMMIT, COMMIT);
    }
    String tag = "object " + target.name() + "\ntype commit\ntag v1\n\nv1\n";
    return new ObjectLoader.SmallObject(Constants.OBJ_TAG, tag.getBytes(UTF_8));
  }

  @Override
  public Set<ObjectId> getShallowCommits() {
    return Set.of();
  }

  @Override
  public void close() {}
}

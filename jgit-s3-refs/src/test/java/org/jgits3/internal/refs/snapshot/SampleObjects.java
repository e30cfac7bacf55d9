// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.snapshot;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TagBuilder;
import org.eclipse.jgit.lib.TreeFormatter;
import org.jgits3.TestRepositories;

/** A few objects that every repository of a comparison has, under names that can be read. */
public final class SampleObjects {
  /** Objects that a ref can point to; {@code gone} is in no repository. */
  public static final List<String> NAMES =
      List.of("first", "second", "third", "side", "tag", "tagOfTag", "blob", "gone");

  private SampleObjects() {}

  /** Inserts the objects, which are the same in each repository. */
  public static Map<String, ObjectId> insert(Repository repository) throws IOException {
    Map<String, ObjectId> ids = new TreeMap<>();
    try (ObjectInserter inserter = repository.newObjectInserter()) {
      ObjectId tree = inserter.insert(new TreeFormatter());
      ids.put("first", commit(inserter, tree, "first"));
      ids.put("second", commit(inserter, tree, "second", ids.get("first")));
      ids.put("third", commit(inserter, tree, "third", ids.get("second")));
      ids.put("side", commit(inserter, tree, "side", ids.get("first")));
      ids.put("tag", tag(inserter, "tag", ids.get("second"), Constants.OBJ_COMMIT));
      ids.put("tagOfTag", tag(inserter, "tagOfTag", ids.get("tag"), Constants.OBJ_TAG));
      ids.put("blob", inserter.insert(Constants.OBJ_BLOB, new byte[] {1, 2, 3}));
      inserter.flush();
    }
    ids.put("gone", ObjectId.fromString("deadbeef".repeat(5)));
    return ids;
  }

  private static ObjectId commit(
      ObjectInserter inserter, ObjectId tree, String message, ObjectId... parents)
      throws IOException {
    return inserter.insert(TestRepositories.commitOf(tree, message, parents));
  }

  private static ObjectId tag(ObjectInserter inserter, String name, ObjectId of, int type)
      throws IOException {
    TagBuilder tag = new TagBuilder();
    tag.setTag(name);
    tag.setObjectId(of, type);
    tag.setTagger(TestRepositories.WHO);
    tag.setMessage(name);
    return inserter.insert(tag);
  }
}

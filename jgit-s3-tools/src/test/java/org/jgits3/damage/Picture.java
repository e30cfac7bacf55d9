// SPDX-License-Identifier: Apache-2.0
package org.jgits3.damage;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.eclipse.jgit.internal.storage.dfs.DfsRepositoryDescription;
import org.eclipse.jgit.internal.storage.dfs.InMemoryRepository;
import org.eclipse.jgit.internal.storage.pack.PackWriter;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.revwalk.ObjectWalk;
import org.eclipse.jgit.revwalk.RevObject;
import org.eclipse.jgit.transport.PackParser;
import org.jgits3.S3Repository;
import org.jgits3.history.Transaction;
import org.jgits3.history.Transactions;

/**
 * Everything that a repository answers.
 *
 * @param refs values of all refs, by name
 * @param objects names of all objects that the refs lead to
 * @param history all transactions, as text
 * @param settings a value of its configuration
 */
record Picture(
    Map<String, ObjectId> refs, Set<ObjectId> objects, List<String> history, String settings) {

  static Picture of(S3Repository repository) throws IOException {
    Map<String, ObjectId> refs = refs(repository);
    return new Picture(refs, walk(repository, refs), history(repository), settings(repository));
  }

  static Map<String, ObjectId> refs(S3Repository repository) throws IOException {
    Map<String, ObjectId> refs = new TreeMap<>();
    for (Ref ref : repository.getRefDatabase().getRefs()) {
      refs.put(ref.getName(), ref.getObjectId());
    }
    return refs;
  }

  /** Value of one ref; empty if there is none. */
  static Optional<ObjectId> ref(S3Repository repository, String name) throws IOException {
    return Optional.ofNullable(repository.exactRef(name)).map(Ref::getObjectId);
  }

  static String settings(S3Repository repository) {
    return String.valueOf(repository.getConfig().getString("sample", null, "key"));
  }

  /** Objects that some refs lead to, found as fsck does. */
  static Set<ObjectId> walk(S3Repository repository, Map<String, ObjectId> refs)
      throws IOException {
    Set<ObjectId> found = new HashSet<>();
    try (ObjectWalk walk = new ObjectWalk(repository)) {
      for (ObjectId tip : Set.copyOf(refs.values())) {
        walk.markStart(walk.parseAny(tip));
      }
      for (RevObject o = walk.next(); o != null; o = walk.next()) {
        found.add(o.copy());
      }
      for (RevObject o = walk.nextObject(); o != null; o = walk.nextObject()) {
        found.add(o.copy());
      }
    }
    return found;
  }

  /** Names of the contents that are found under some names: the same. */
  static Set<ObjectId> read(S3Repository repository, Set<ObjectId> objects) throws IOException {
    Set<ObjectId> read = new HashSet<>();
    try (ObjectReader reader = repository.newObjectReader();
        ObjectInserter.Formatter formatter = new ObjectInserter.Formatter()) {
      for (ObjectId id : objects) {
        ObjectLoader loader = reader.open(id);
        read.add(formatter.idFor(loader.getType(), loader.getBytes(Integer.MAX_VALUE)));
      }
    }
    return read;
  }

  /** Objects that a clone receives, with bitmaps and whole packs as from a server. */
  static Set<ObjectId> cloned(S3Repository repository, Map<String, ObjectId> refs)
      throws IOException {
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    try (PackWriter writer = new PackWriter(repository)) {
      writer.setUseCachedPacks(true);
      writer.preparePack(NullProgressMonitor.INSTANCE, Set.copyOf(refs.values()), Set.of());
      writer.writePack(NullProgressMonitor.INSTANCE, NullProgressMonitor.INSTANCE, sent);
    }
    Set<ObjectId> received = new HashSet<>();
    try (InMemoryRepository copy = new InMemoryRepository(new DfsRepositoryDescription("copy"));
        ObjectInserter inserter = copy.newObjectInserter()) {
      PackParser parser = inserter.newPackParser(new ByteArrayInputStream(sent.toByteArray()));
      parser.setNeedNewObjectIds(true);
      parser.parse(NullProgressMonitor.INSTANCE);
      parser.getNewObjectIds().forEach(id -> received.add(id.copy()));
    }
    return received;
  }

  static List<String> history(S3Repository repository) throws IOException {
    List<String> lines = new ArrayList<>();
    Transactions transactions = repository.history().since(0);
    for (Optional<Transaction> t = transactions.next(); t.isPresent(); t = transactions.next()) {
      Transaction one = t.get();
      one.forEachChange(change -> lines.add(one.generation() + " " + one.message() + " " + change));
    }
    return lines;
  }
}

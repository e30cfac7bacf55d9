// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.refs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collection;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.internal.storage.file.FileSnapshot;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectIdRef;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.util.RefList;

/**
 * The idea this project started from, for comparison: file times are not trusted, so each look-up
 * reads packed-refs again, and compares it with the bytes kept from the last time. If they are
 * equal, hashing and parsing are skipped and the snapshot of the file's state is renewed. Otherwise
 * as JGit's {@code RefDirectory}, without loose refs beyond looking for the one that is asked for.
 * For one thread.
 */
final class RawCompareRefs implements RefStore {
  private static final int HEX = 40;

  private final Path directory;
  private final Path packedRefs;
  private Packed packed;

  @SuppressWarnings("ArrayRecordComponent") // its bytes are compared by name
  private record Packed(byte[] raw, FileSnapshot snapshot, ObjectId hash, RefList<Ref> refs) {}

  RawCompareRefs(Path directory) {
    this.directory = directory;
    this.packedRefs = directory.resolve(Constants.PACKED_REFS);
  }

  private RefList<Ref> packedRefs() throws IOException {
    FileSnapshot snapshot = FileSnapshot.save(packedRefs.toFile());
    byte[] raw = Files.readAllBytes(packedRefs);
    Packed last = packed;
    packed =
        last != null && Arrays.equals(raw, last.raw)
            ? new Packed(last.raw, snapshot, last.hash, last.refs)
            : parse(raw, snapshot);
    return packed.refs;
  }

  private static Packed parse(byte[] raw, FileSnapshot snapshot) {
    MessageDigest digest = Constants.newMessageDigest();
    RefList.Builder<Ref> refs = new RefList.Builder<>();
    int end;
    for (int at = 0; at < raw.length; at = end + 1) {
      for (end = at; raw[end] != '\n'; end++) {}
      if (raw[at] == '^') {
        Ref tag = refs.get(refs.size() - 1);
        ObjectId peeled = ObjectId.fromString(raw, at + 1);
        refs.set(
            refs.size() - 1,
            new ObjectIdRef.PeeledTag(
                Ref.Storage.PACKED, tag.getName(), tag.getObjectId(), peeled));
      } else if (raw[at] != '#') {
        String name = new String(raw, at + HEX + 1, end - at - HEX - 1, UTF_8);
        refs.add(
            new ObjectIdRef.PeeledNonTag(Ref.Storage.PACKED, name, ObjectId.fromString(raw, at)));
      }
    }
    return new Packed(raw, snapshot, ObjectId.fromRaw(digest.digest(raw)), refs.toRefList());
  }

  @Override
  @Nullable
  public Ref exact(String name) throws IOException {
    Path loose = directory.resolve(name);
    if (Files.isRegularFile(loose)) {
      ObjectId id = ObjectId.fromString(Files.readAllBytes(loose), 0);
      return new ObjectIdRef.Unpeeled(Ref.Storage.LOOSE, name, id);
    }
    return packedRefs().get(name);
  }

  @Override
  public Collection<Ref> prefix(String prefix) throws IOException {
    RefList<Ref> refs = packedRefs();
    int found = refs.find(prefix);
    int from = found < 0 ? -(found + 1) : found;
    return refs.asList().subList(from, refs.size()).stream()
        .takeWhile(ref -> ref.getName().startsWith(prefix))
        .toList();
  }

  @Override
  public Collection<Ref> tips(ObjectId id) throws IOException {
    return packedRefs().asList().stream()
        .filter(ref -> id.equals(ref.getObjectId()) || id.equals(ref.getPeeledObjectId()))
        .toList();
  }

  @Override
  public void close() {}
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.file;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jgits3.internal.digest.Sha256;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.store.GetResult;
import org.jgits3.store.ListedObject;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectInfo;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ObjectVersion;
import org.jgits3.store.PartBody;
import org.jgits3.store.Precondition;
import org.jgits3.store.PutOutcome;
import org.jgits3.store.ReadRequest;
import org.jgits3.store.StoreException;
import org.jgits3.store.UploadedPart;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Store in a local directory: the default for embedding, which needs no S3. An object is a file
 * under its key, with exactly its bytes.
 *
 * <p><b>Atomic and durable.</b> A write goes to a temporary file, is forced to the disk, takes its
 * name by a rename, and is acknowledged when the directory is on the disk too. Files are never
 * changed in place and readers take no lock: an open file is one version. A process may be killed
 * at any point; an opening of the store a day later removes its temporary files.
 *
 * <p><b>Conditional.</b> Writers of one key exclude each other between threads and processes by a
 * lock that the system releases when a process dies, and compare and rename under it. The directory
 * must be on a file system whose locks work, and all its processes on one machine unless the locks
 * of the network file system are trusted.
 *
 * <p><b>Versions.</b> The version is the SHA-256 of the content, read through the same descriptor
 * as the bytes, so that it can't name other bytes than those that were read, whatever the
 * granularity of time stamps. Hashing a whole pack for every range of it would be absurd: the hash
 * of an object above 64 KiB that was written by {@link #put} or a multipart upload is stored in a
 * sidecar file before the object gets its name. This is sound because such names are used once: no
 * other bytes ever appear beside the sidecar. {@link #putIf}, which replaces contents, writes none,
 * and removes one that exists before it renames; what it wrote is always hashed.
 *
 * <p>Safe for use by many threads. Every failure to write is a {@link StoreException.Refused} with
 * the reason in one line, and leaves what was there.
 */
public final class DirectoryObjectStore implements ObjectStore {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryObjectStore.class);
  private static final int MAX_PARTS = 10_000;

  private final DirectoryLayout layout;
  private final DirectoryLocks locks;
  private final DirectoryTemp temp;
  private final DirectoryUploads uploads;
  private final DirectoryVersions versions;
  private final DirectoryNames names;
  private final IoConsumer<Path> forceDirectory;
  private final String location;

  /**
   * Opens a directory, creating it if needed, and removes abandoned temporary files.
   *
   * @param root the directory
   * @throws StoreException.Refused if it cannot be created or is no directory
   */
  public DirectoryObjectStore(Path root) throws IOException {
    this(root, DirectoryFiles::forceDirectory);
  }

  /** Opens a directory, with another way to wait until the entries of a directory are on disk. */
  DirectoryObjectStore(Path root, IoConsumer<Path> forceDirectory) throws IOException {
    this.forceDirectory = forceDirectory;
    location = "file:" + root;
    layout = new DirectoryLayout(openRoot(root));
    locks = new DirectoryLocks(layout.locks());
    temp = new DirectoryTemp(layout.temp());
    uploads = new DirectoryUploads(layout, temp);
    versions = new DirectoryVersions(layout);
    names = new DirectoryNames(layout, locks, temp, forceDirectory);
    try {
      temp.removeLeftovers();
    } catch (IOException e) {
      // A directory that cannot be written can still be read.
      LOG.warn("{}: cannot remove leftovers: {}", location, DirectoryFiles.reason(e));
    }
  }

  private Path openRoot(Path root) throws IOException {
    try {
      if (!Files.isDirectory(root)) {
        Files.createDirectories(root);
        forceDirectory.accept(root.toRealPath().getParent());
      }
      return root.toRealPath();
    } catch (IOException e) {
      throw new StoreException.Refused(
          "",
          location
              + ": cannot use this directory: "
              + DirectoryFiles.reason(e)
              + "; choose another",
          e);
    }
  }

  @Override
  public GetResult get(String key, Optional<ObjectVersion> known, Duration limit)
      throws IOException {
    try (FileChannel channel = versions.open(key)) {
      if (channel == null) {
        return new GetResult.Missing();
      }
      if (known.isPresent() && known.get().equals(DirectoryVersions.hash(channel))) {
        return new GetResult.NotModified();
      }
      byte[] bytes = new byte[Math.toIntExact(channel.size())];
      DirectoryFiles.readFully(channel, 0, bytes, 0, bytes.length);
      MessageDigest sha256 = Sha256.begin();
      sha256.update(bytes);
      return new GetResult.Found(bytes, DirectoryVersions.of(sha256));
    } catch (IOException e) {
      throw failed(key, "read", e);
    }
  }

  @Override
  public ObjectVersion read(ReadRequest range) throws IOException {
    String key = range.key();
    long offset = range.offset();
    int length = range.length();
    try (FileChannel channel = versions.open(key)) {
      if (channel == null) {
        throw missing(key);
      }
      ObjectVersion version = versions.of(key, channel);
      if (range.expected().filter(Predicate.not(version::equals)).isPresent()) {
        throw new StoreException.Changed(
            key, layout.location(key) + ": has changed; start over with the new version", null);
      }
      if (channel.size() - offset < length) {
        throw new StoreException.Corrupt(
            key,
            String.format(
                "%s: ends at byte %d, but bytes %d to %d were expected; it may be truncated",
                layout.location(key), channel.size(), offset, offset + length),
            null);
      }
      DirectoryFiles.readFully(channel, offset, range.dst(), range.dstOffset(), length);
      return version;
    } catch (IOException e) {
      throw failed(key, "read", e);
    }
  }

  @Override
  public boolean compare(ReadRequest held) throws IOException {
    try (FileChannel channel = versions.open(held.key())) {
      if (channel == null) {
        throw missing(held.key());
      }
      return channel.size() - held.offset() >= held.length() && matches(channel, held);
    } catch (IOException e) {
      throw failed(held.key(), "read", e);
    }
  }

  private static boolean matches(FileChannel channel, ReadRequest held) throws IOException {
    byte[] chunk = new byte[Math.min(DirectoryFiles.CHUNK, held.length())];
    for (int done = 0; done < held.length(); done += chunk.length) {
      int n = Math.min(chunk.length, held.length() - done);
      DirectoryFiles.readFully(channel, held.offset() + done, chunk, 0, n);
      int from = held.dstOffset() + done;
      if (!Arrays.equals(chunk, 0, n, held.dst(), from, from + n)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public Optional<ObjectInfo> stat(String key) throws IOException {
    try (FileChannel channel = versions.open(key)) {
      if (channel == null) {
        return Optional.empty();
      }
      Map<String, String> metadata =
          DirectorySidecar.read(layout.sidecar(key))
              .map(DirectorySidecar::metadata)
              .orElse(Map.of());
      return Optional.of(new ObjectInfo(channel.size(), versions.of(key, channel), metadata));
    } catch (IOException e) {
      throw failed(key, "read", e);
    }
  }

  @Override
  public PutOutcome putIf(String key, byte[] body, Precondition precondition) throws IOException {
    try {
      Optional<PutOutcome> lost = check(key, precondition);
      if (lost.isPresent()) {
        return lost.get();
      }
      Path file = temp.newName();
      try {
        DirectoryFiles.write(file, body, 0, body.length);
        return locks.withKey(key, () -> replace(key, file, body, precondition));
      } finally {
        temp.remove(file);
      }
    } catch (ClosedChannelException e) {
      return new PutOutcome.Unknown(layout.location(key) + ": interrupted");
    } catch (IOException e) {
      throw failed(key, "write", e);
    }
  }

  /** Compares and renames. Fails only if nothing was applied. */
  private PutOutcome replace(String key, Path file, byte[] body, Precondition precondition)
      throws IOException {
    Optional<PutOutcome> lost = check(key, precondition);
    if (lost.isPresent()) {
      return lost.get();
    }
    names.replace(key, file);
    MessageDigest sha256 = Sha256.begin();
    sha256.update(body);
    return onDisk(key, new PutOutcome.Won(DirectoryVersions.of(sha256)));
  }

  /** Decides nothing if the precondition holds. */
  private Optional<PutOutcome> check(String key, Precondition precondition) throws IOException {
    try (FileChannel channel = versions.open(key)) {
      if (channel == null) {
        return precondition instanceof Precondition.Matches
            ? Optional.of(new PutOutcome.Lost())
            : Optional.empty();
      }
      return precondition instanceof Precondition.Matches matches
              && matches.version().equals(versions.of(key, channel))
          ? Optional.empty()
          : Optional.of(onDisk(key, new PutOutcome.Lost()));
    }
  }

  /**
   * Gives an outcome once the name of the object is on the disk, and an unknown one before. Also of
   * a lost write: what has won may be an earlier attempt of the caller, or the write of a process
   * that died before the name was on the disk. The names of the directories above are there before
   * an object is.
   */
  private PutOutcome onDisk(String key, PutOutcome outcome) throws IOException {
    Path object = layout.object(key);
    try {
      forceDirectory.accept(object.getParent());
      return outcome;
    } catch (IOException e) {
      return new PutOutcome.Unknown(
          layout.location(key)
              + ": is written, but perhaps not to the disk: "
              + DirectoryFiles.reason(e));
    }
  }

  @Override
  public void put(String key, byte[] src, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, src.length);
    try {
      layout.object(key);
      Optional<DirectorySidecar> sidecar = Optional.empty();
      if (length > DirectoryVersions.HASH_ALWAYS) {
        MessageDigest sha256 = Sha256.begin();
        sha256.update(src, offset, length);
        sidecar =
            Optional.of(
                new DirectorySidecar(
                    key, "", length, DirectoryVersions.of(sha256).value(), Map.of()));
      }
      Path file = temp.newName();
      try {
        DirectoryFiles.write(file, src, offset, length);
        names.publish(key, file, sidecar);
      } finally {
        temp.remove(file);
      }
    } catch (IOException e) {
      throw failed(key, "write", e);
    }
  }

  @Override
  public MultipartUpload beginMultipart(String key, Map<String, String> metadata)
      throws IOException {
    try {
      layout.object(key);
      return uploads.begin(key, metadata);
    } catch (IOException e) {
      throw failed(key, "write", e);
    }
  }

  @Override
  public UploadedPart uploadPart(MultipartUpload upload, int number, PartBody body)
      throws IOException {
    if (number < 1 || number > MAX_PARTS) {
      throw new IllegalArgumentException("part " + number);
    }
    try {
      return uploads.put(upload, number, body);
    } catch (NoSuchFileException e) {
      throw uploadIsGone(upload, e);
    } catch (IOException e) {
      throw failed(upload.key(), "write part " + number + " of", e);
    }
  }

  @Override
  public void completeMultipart(MultipartUpload upload, List<UploadedPart> parts)
      throws IOException {
    String key = upload.key();
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i).number() != i + 1) {
        throw new IllegalArgumentException("parts of " + key + " are not numbered 1, 2, 3 ...");
      }
    }
    try {
      Path file = temp.newName();
      try {
        names.publish(key, file, Optional.of(uploads.assemble(upload, parts, file)));
      } finally {
        temp.remove(file);
      }
    } catch (NoSuchFileException e) {
      if (wasCompleted(upload, parts)) {
        return;
      }
      throw uploadIsGone(upload, e);
    } catch (IOException e) {
      throw failed(key, "write", e);
    }
    try {
      uploads.remove(upload);
    } catch (IOException e) {
      // The object is complete. Its parts stay listed as an upload, for the sweep to abort.
      LOG.warn("{}: cannot remove its parts: {}", layout.location(key), DirectoryFiles.reason(e));
    }
  }

  private boolean wasCompleted(MultipartUpload upload, List<UploadedPart> parts)
      throws IOException {
    long size = parts.stream().mapToLong(UploadedPart::size).sum();
    Optional<DirectorySidecar> sidecar = DirectorySidecar.read(layout.sidecar(upload.key()));
    return sidecar.isPresent()
        && sidecar.get().uploadId().equals(upload.uploadId())
        && Files.isRegularFile(layout.object(upload.key()))
        && Files.size(layout.object(upload.key())) == size;
  }

  private StoreException uploadIsGone(MultipartUpload upload, IOException cause) {
    return new StoreException.Missing(
        upload.key(),
        layout.location(upload.key())
            + ": upload "
            + upload.uploadId()
            + " or one of its parts is gone; upload again under a new name",
        cause);
  }

  @Override
  public void abortMultipart(MultipartUpload upload) throws IOException {
    try {
      uploads.remove(upload);
    } catch (IOException e) {
      throw failed(upload.key(), "abort the upload of", e);
    }
  }

  @Override
  public List<MultipartUpload> listMultipart(String prefix) throws IOException {
    try {
      return uploads.list(prefix);
    } catch (IOException e) {
      throw failed(prefix, "list the uploads of", e);
    }
  }

  @Override
  public void list(String prefix, Consumer<ListedObject> each) throws IOException {
    Path start = layout.prefix(prefix);
    if (!Files.isDirectory(start)) {
      return;
    }
    try {
      Files.walkFileTree(start, new Lister(each));
    } catch (IOException e) {
      throw failed(prefix, "list", e);
    }
  }

  /** Passes files on as objects; files deleted during the walk are left out. */
  private final class Lister extends LiveTreeVisitor {
    private final Consumer<ListedObject> each;

    Lister(Consumer<ListedObject> each) {
      this.each = each;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
      return dir.equals(layout.sideArea())
          ? FileVisitResult.SKIP_SUBTREE
          : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (attributes.isRegularFile()) {
        each.accept(new ListedObject(layout.key(file), attributes.size(), Optional.empty()));
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path dir, IOException failure) throws IOException {
      return failure == null ? FileVisitResult.CONTINUE : visitFileFailed(dir, failure);
    }
  }

  @Override
  public void delete(Collection<String> keys) throws IOException {
    Set<Path> parents = new HashSet<>();
    for (String key : keys) {
      try {
        if (names.remove(key)) {
          parents.add(layout.object(key).getParent());
        }
      } catch (IOException e) {
        throw failed(key, "delete", e);
      }
    }
    for (Path parent : parents) {
      try {
        forceDirectory.accept(parent);
      } catch (IOException e) {
        throw failed(layout.key(parent), "delete from", e);
      }
    }
  }

  @Override
  public Optional<String> service() {
    return Optional.empty();
  }

  @Override
  public String location() {
    return location;
  }

  @Override
  public void close() {
    temp.close();
  }

  @Override
  public String toString() {
    return location;
  }

  private StoreException.Missing missing(String key) {
    return new StoreException.Missing(
        key, layout.location(key) + ": no such object; refresh what named it", null);
  }

  private StoreException failed(String key, String what, IOException e) {
    if (e instanceof StoreException failure) {
      return failure;
    }
    String message = layout.location(key) + ": cannot " + what + " it: " + DirectoryFiles.reason(e);
    return e instanceof ClosedChannelException
        ? new StoreException.Unavailable(key, message, e)
        : new StoreException.Refused(key, message, e);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.file;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.StoreException;

/**
 * Layout of the directory of a {@link DirectoryObjectStore}.
 *
 * <pre>
 * &lt;root&gt;/&lt;key&gt;                     an object, its bytes and nothing else
 * &lt;root&gt;/.jgit-s3/meta/&lt;key&gt;       its {@link DirectorySidecar}, if it has one
 * &lt;root&gt;/.jgit-s3/uploads/&lt;id&gt;/    a multipart upload
 * &lt;root&gt;/.jgit-s3/temp/&lt;id&gt;        a file that is being written
 * &lt;root&gt;/.jgit-s3/locks/           empty files that processes lock
 * </pre>
 *
 * @param root absolute path of the directory, free of symbolic links
 */
record DirectoryLayout(Path root) {
  private static final String SIDE_AREA = ".jgit-s3";
  private static final int MAX_KEY = 900;
  private static final int MAX_SEGMENT = 255;

  /** File of an object. */
  Path object(String key) throws StoreException.Refused {
    checkKey(key);
    return root.resolve(key);
  }

  /** Directory of all objects under a prefix. */
  Path prefix(String prefix) throws StoreException.Refused {
    if (prefix.isEmpty()) {
      return root;
    }
    if (!prefix.endsWith("/")) {
      throw refused(prefix, "a listing prefix ends in '/'");
    }
    return object(prefix.substring(0, prefix.length() - 1));
  }

  /** Key of the object in a file. */
  String key(Path object) {
    return root.relativize(object).toString();
  }

  Path sideArea() {
    return root.resolve(SIDE_AREA);
  }

  Path sidecars() {
    return sideArea().resolve("meta");
  }

  Path sidecar(String key) {
    return sidecars().resolve(key);
  }

  Path uploads() {
    return sideArea().resolve("uploads");
  }

  Path upload(MultipartUpload upload) throws StoreException.Refused {
    if (!upload.uploadId().matches("[0-9a-f]{32}")) {
      throw refused(upload.key(), "'" + upload.uploadId() + "' is no upload of this store");
    }
    return uploads().resolve(upload.uploadId());
  }

  Path temp() {
    return sideArea().resolve("temp");
  }

  Path locks() {
    return sideArea().resolve("locks");
  }

  /** Tests whether a key that is a path prefix of this object's key is an object itself. */
  boolean isBelowAnObject(Path object) {
    for (Path p = object.getParent(); !p.equals(root); p = p.getParent()) {
      if (Files.isRegularFile(p)) {
        return true;
      }
    }
    return false;
  }

  StoreException.Refused refused(String key, String why) {
    String printable = key.replaceAll("[^ -~]", "?");
    return new StoreException.Refused(key, location(printable) + ": " + why, null);
  }

  /** Name of an object in messages. */
  String location(String key) {
    return "file:" + root + (key.isEmpty() ? "" : "/" + key);
  }

  private void checkKey(String key) throws StoreException.Refused {
    if (key.isEmpty() || key.length() > MAX_KEY) {
      throw refused(key, "a key has 1 to " + MAX_KEY + " bytes, not " + key.length());
    }
    for (int i = 0; i < key.length(); i++) {
      if (key.charAt(i) < ' ' || key.charAt(i) > '~') {
        throw refused(key, "a key is printable US-ASCII; position " + i + " is not");
      }
    }
    String[] segments = key.split("/", -1);
    for (String segment : segments) {
      if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
        throw refused(key, "'" + segment + "' cannot be a segment of a key");
      }
      if (segment.length() > MAX_SEGMENT) {
        throw refused(key, "a segment has more than " + MAX_SEGMENT + " bytes; shorten the name");
      }
    }
    if (segments[0].equals(SIDE_AREA)) {
      throw refused(key, "'" + SIDE_AREA + "' belongs to the store itself");
    }
  }
}

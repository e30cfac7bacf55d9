// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jgits3.fleet.Fleet;
import org.jgits3.fleet.FleetPass;
import org.jgits3.store.MemoryObjectStore;
import org.jgits3.store.MultipartUpload;
import org.jgits3.store.ObjectStore;
import org.jgits3.store.ReadRequest;
import org.jgits3.testing.PackBytes;
import org.jgits3.verify.Verification;
import org.junit.jupiter.api.Test;

/** The sample policies allow what each role does, and nothing else. */
class PoliciesTest {
  static final Path ETC = Path.of(System.getProperty("project.root", ".."), "etc");
  private static final String BUCKET = "arn:aws:s3:::my-bucket";
  private static final List<String> PLACES = List.of("names", "repos", "objects", "scan", "probe");

  /** A pack of several parts. */
  private static final int PARTS = 6 << 20;

  private static final Map<String, String> ACTIONS =
      Map.ofEntries(
          Map.entry("get", "s3:GetObject"),
          Map.entry("read", "s3:GetObject"),
          Map.entry("compare", "s3:GetObject"),
          Map.entry("stat", "s3:GetObject"),
          Map.entry("put", "s3:PutObject"),
          Map.entry("putIf", "s3:PutObject"),
          Map.entry("beginMultipart", "s3:PutObject"),
          Map.entry("uploadPart", "s3:PutObject"),
          Map.entry("completeMultipart", "s3:PutObject"),
          Map.entry("abortMultipart", "s3:AbortMultipartUpload"),
          Map.entry("delete", "s3:DeleteObject"),
          Map.entry("list", "s3:ListBucket"),
          Map.entry("listMultipart", "s3:ListBucketMultipartUploads"));

  private final ObjectStore store = new MemoryObjectStore();
  private final Set<String> sent = new ConcurrentSkipListSet<>();

  /** The store, which notes the action and the place of each request. */
  private ObjectStore noting() {
    return (ObjectStore)
        Proxy.newProxyInstance(
            ObjectStore.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            (proxy, method, args) -> {
              if (ACTIONS.containsKey(method.getName())) {
                String action = ACTIONS.get(method.getName());
                keys(args[0]).forEach(key -> sent.add(action + " " + place(action, key)));
              }
              try {
                return method.invoke(store, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static Stream<String> keys(Object argument) {
    if (argument instanceof ReadRequest range) {
      return Stream.of(range.key());
    } else if (argument instanceof MultipartUpload upload) {
      return Stream.of(upload.key());
    }
    return argument instanceof Collection<?> keys
        ? keys.stream().map(String::valueOf)
        : Stream.of((String) argument);
  }

  private static String place(String action, String key) {
    return action.startsWith("s3:ListBucket") ? "bucket" : key.substring(0, key.indexOf('/'));
  }

  /** What a policy allows, in the same form. */
  private static Set<String> allowed(String file) throws IOException {
    Set<String> allowed = new TreeSet<>();
    JsonNode policy = new ObjectMapper().readTree(ETC.resolve(file).toFile());
    for (JsonNode statement : policy.get("Statement")) {
      assertThat(statement.get("Effect").asText()).isEqualTo("Allow");
      for (String action : texts(statement.get("Action"))) {
        for (String resource : texts(statement.get("Resource"))) {
          places(resource).forEach(place -> allowed.add(action + " " + place));
        }
      }
    }
    return allowed;
  }

  private static Stream<String> places(String resource) {
    return resource.equals(BUCKET)
        ? Stream.of("bucket")
        : PLACES.stream()
            .filter(
                place ->
                    resource.equals(BUCKET + "/git/" + place + "/*")
                        || resource.equals(BUCKET + "/git/*"));
  }

  private static List<String> texts(JsonNode one) {
    return one.isArray()
        ? Stream.iterate(0, i -> i < one.size(), i -> i + 1).map(i -> one.get(i).asText()).toList()
        : List.of(one.asText());
  }

  private static S3Settings settings() throws Exception {
    Config config = new Config();
    config.setString("s3", "upload", "partSize", "5m");
    return S3Settings.from(config, "test");
  }

  /** All that a server does. */
  static void serve(S3RepositoryManager manager) throws Exception {
    assertThatIOException().isThrownBy(() -> manager.openRepository("missing"));
    try (S3Repository r = manager.createRepository("r")) {
      ObjectId commit = PackBytes.ofSize(PARTS, 1).pushTo(r);
      TestRepositories.createRef(r, "refs/heads/main", commit);
      PackBytes broken = PackBytes.ofSize(PARTS, 2).corrupt();
      assertThatIOException().isThrownBy(() -> broken.pushTo(r));
      try (S3Repository push = manager.openRepository("r", Purpose.push())) {
        PackBytes.childOf(commit).pushTo(push); // deleted, since no ref leads there
      }
      r.getRefDatabase().compact();
    }
    manager.maintenance("r").collectGarbage(NullProgressMonitor.INSTANCE);
    assertThat(manager.list()).containsExactly("r");
  }

  @Test
  void replica_reads_and_lists() throws Exception {
    try (S3RepositoryManager writer = new S3RepositoryManager(store, settings())) {
      serve(writer);
    }
    try (S3RepositoryManager replica = new S3RepositoryManager(noting(), settings());
        S3Repository r = replica.openRepository("r");
        RevWalk walk = new RevWalk(r)) {
      assertThat(replica.list()).containsExactly("r");
      walk.parseCommit(r.resolve("refs/heads/main"));
      assertThat(r.history().since(0).next()).isPresent();
    }
    assertThat(sent).isEqualTo(allowed("iam-policy-replica.sample.json"));
  }

  @Test
  void server_changes_manifests_and_deletes_none() throws Exception {
    try (S3RepositoryManager server = S3RepositoryManager.open(noting(), settings())) {
      serve(server);
    }
    assertThat(sent).isEqualTo(allowed("iam-policy-server.sample.json"));
  }

  @Test
  void maintenance_also_finds_unfinished_uploads_and_deletes_no_manifest() throws Exception {
    try (S3RepositoryManager writer = new S3RepositoryManager(store, settings())) {
      serve(writer);
    }
    try (S3RepositoryManager maintenance = S3RepositoryManager.open(noting(), settings())) {
      maintain(maintenance);
    }
    assertThat(allowed("iam-policy-maintenance.sample.json")).containsAll(sent);
    assertThat(sent)
        .contains(
            "s3:ListBucketMultipartUploads bucket",
            "s3:DeleteObject objects",
            "s3:GetObject scan",
            "s3:PutObject scan")
        .doesNotContain("s3:DeleteObject repos", "s3:DeleteObject names");
  }

  /** All that maintenance by commands does. */
  static void maintain(S3RepositoryManager manager) throws Exception {
    try (FleetPass pass = new Fleet(manager).collectionPass(false)) {
      String id = pass.next().orElseThrow();
      String name = manager.nameOf(id).orElseThrow();
      pass.done(
          id, manager.maintenance(name).collectGarbage(NullProgressMonitor.INSTANCE).upToDate());
      pass.save();
    }
    assertThat(new Verification(manager, NullProgressMonitor.INSTANCE).run("r").findings())
        .isEmpty();
    manager.sweep("r", Duration.ZERO, false); // leaves the mark that the next one needs
    manager.sweep("r", Duration.ZERO, false);
  }

  @Test
  void administrator_renames_and_deletes() throws Exception {
    try (S3RepositoryManager server = S3RepositoryManager.open(noting(), settings())) {
      serve(server);
      server.rename("r", "renamed");
      server.sweep("renamed", Duration.ZERO, false);
      server.delete("renamed");
    }
    assertThat(allowed("iam-policy.sample.json")).containsAll(sent);
  }
}

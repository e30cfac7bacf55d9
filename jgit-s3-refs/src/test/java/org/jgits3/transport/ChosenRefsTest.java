// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.transport.AdvertiseRefsHook;
import org.eclipse.jgit.transport.PacketLineOut;
import org.eclipse.jgit.transport.ProtocolV2Hook;
import org.eclipse.jgit.transport.ReceivePack;
import org.eclipse.jgit.transport.RefAdvertiser.PacketLineOutRefAdvertiser;
import org.eclipse.jgit.transport.UploadPack;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.testing.aid.GitRequests;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients see the refs, and get the objects, that the configuration or the embedder chooses. */
class ChosenRefsTest {
  private static final String SECRET = "refs/secret/name";

  @TempDir Path directory;
  private final Config hiding = new Config();
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;
  private ObjectId other;
  private ObjectId blob;
  private ObjectId tree;
  private ObjectId commit;
  private ObjectId tag;

  @BeforeEach
  void create() throws Exception {
    manager = TestRepositories.manager(directory);
    repository = manager.createRepository("r");
    ObjectId main = TestRepositories.commit(repository, "main");
    other = TestRepositories.commit(repository, "other");
    tag = TestRepositories.tag(repository, "hidden", main);
    blob = TestRepositories.blob(repository, "top secret".getBytes(UTF_8));
    tree =
        TestRepositories.insert(
            repository, to -> to.insert(TestRepositories.tree("f", FileMode.REGULAR_FILE, blob)));
    commit =
        TestRepositories.insert(
            repository, to -> to.insert(TestRepositories.commitOf(tree, "secret")));
    TestRepositories.createRef(repository, "refs/heads/main", main);
    TestRepositories.createRef(repository, "refs/heads/other", other);
    TestRepositories.createRef(repository, SECRET, commit);
    TestRepositories.createRef(repository, "refs/secret/tag", tag);
    hiding.fromText("[transfer]\n\thideRefs = refs/secret\n");
  }

  private S3UploadPack fetch() {
    S3UploadPack up = new S3UploadPack(repository, hiding);
    up.setExtraParameters(List.of("version=2"));
    up.setBiDirectionalPipe(false);
    return up;
  }

  /** The answer to a request, and the exception if there is one. */
  private static String answer(UploadPack up, byte[] request) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    String failure = "";
    try {
      up.upload(new ByteArrayInputStream(request), out, null);
    } catch (IOException | RuntimeException e) {
      failure = e.toString();
    }
    return out.toString(ISO_8859_1) + failure;
  }

  private static String list(UploadPack up, String... flags) {
    return answer(up, GitRequests.command("ls-refs", flags));
  }

  private static String want(UploadPack up, ObjectId id) {
    return answer(up, GitRequests.fetch(id));
  }

  private void assertNotSent(ObjectId id) {
    assertThat(want(fetch(), id)).contains(id.name()).doesNotContain("packfile", "PACK");
  }

  @Test
  void objects_under_hidden_refs_only_are_not_sent_by_id() throws Exception {
    assertThat(want(fetch(), other)).contains("PACK");
    for (ObjectId id : List.of(commit, tree, blob, tag)) {
      assertNotSent(id);
    }
  }

  @Test
  void objects_of_a_deleted_ref_are_not_sent_by_id() throws Exception {
    hiding.unset("transfer", null, "hideRefs");
    assertThat(want(fetch(), blob)).contains("PACK");
    TestRepositories.delete(repository, SECRET);
    for (ObjectId id : List.of(commit, tree, blob)) {
      assertNotSent(id);
    }
  }

  @Test
  void refs_that_the_embedder_sets_are_the_only_ones() throws Exception {
    Map<String, Ref> main = Map.of("refs/heads/main", repository.exactRef("refs/heads/main"));
    S3UploadPack listing = fetch();
    listing.setAdvertisedRefs(new HashMap<>(main));
    assertThat(list(listing)).contains("refs/heads/main").doesNotContain("refs/heads/other");
    S3UploadPack wanting = fetch();
    wanting.setAdvertisedRefs(new HashMap<>(main));
    assertThat(want(wanting, other)).contains("not valid").doesNotContain("PACK");
  }

  @Test
  void hook_that_sets_no_refs_shows_no_hidden_ones() throws Exception {
    S3UploadPack up = fetch();
    up.setAdvertiseRefsHook(
        new AdvertiseRefsHook() {
          @Override
          public void advertiseRefs(UploadPack fetch) {}

          @Override
          public void advertiseRefs(ReceivePack push) {}
        });
    assertThat(list(up)).contains("refs/heads/main").doesNotContain("refs/secret");
  }

  @Test
  void hook_of_protocol_2_leaves_the_refs_as_they_are() throws Exception {
    for (UploadPack.RequestPolicy policy :
        List.of(UploadPack.RequestPolicy.ADVERTISED, UploadPack.RequestPolicy.ANY)) {
      S3UploadPack up = fetch();
      up.setRequestPolicy(policy);
      up.setProtocolV2Hook(new ProtocolV2Hook() {});
      assertThat(list(up)).contains("refs/heads/main").doesNotContain("refs/secret");
    }
  }

  @Test
  void unborn_is_offered_if_it_is_understood() throws Exception {
    S3UploadPack up = fetch();
    assertThat(capabilities(up)).contains("ls-refs=unborn");
    assertThat(list(fetch(), "unborn")).contains("refs/heads/main");
    S3UploadPack filtering = fetch();
    filtering.setRefFilter(HashMap::new);
    assertThat(capabilities(filtering)).contains("ls-refs").doesNotContain("unborn");
  }

  private static String capabilities(S3UploadPack up) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    up.sendInfoRefs(out);
    return out.toString(UTF_8);
  }

  @Test
  void push_over_http_is_told_the_refs_by_jgits_advertiser_too() throws Exception {
    S3ReceivePack push = new S3ReceivePack(repository, hiding);
    push.setBiDirectionalPipe(false);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    push.sendAdvertisedRefs(new PacketLineOutRefAdvertiser(new PacketLineOut(out)));
    assertThat(out.toString(UTF_8)).contains("refs/heads/main").doesNotContain("refs/secret");
  }

  @Test
  void ids_of_refs_are_sent_once() throws Exception {
    S3ReceivePack push = new S3ReceivePack(repository, hiding);
    push.setCheckReferencedObjectsAreReachable(true);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    push.sendInfoRefs(out);
    assertThat(out.toString(UTF_8)).contains("refs/heads/main").doesNotContain(".have");
  }

  @Test
  void rule_without_a_value_hides_nothing() throws Exception {
    hiding.fromText("[transfer]\n\thideRefs\n\thideRefs =\n[uploadpack]\n\thideRefs\n");
    assertThat(list(fetch())).contains("refs/heads/main", SECRET);
  }

  @Test
  void prefix_with_a_line_feed_names_no_ref() throws Exception {
    repository.getRefDatabase().compact();
    for (int digit = 0; digit < 16; digit++) {
      String prefix = "refs/heads/other\n" + Integer.toHexString(digit);
      assertThat(repository.getRefDatabase().getRefsByPrefix(prefix)).isEmpty();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.transport.PacketLineIn;
import org.eclipse.jgit.transport.PacketLineOut;
import org.eclipse.jgit.transport.ReceivePack;
import org.eclipse.jgit.transport.RefAdvertiser.PacketLineOutRefAdvertiser;
import org.eclipse.jgit.transport.RefFilter;
import org.eclipse.jgit.transport.UploadPack;
import org.jgits3.S3Repository;
import org.jgits3.S3RepositoryManager;
import org.jgits3.TestRepositories;
import org.jgits3.testing.GitClient;
import org.jgits3.testing.Holds;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.Seeds;
import org.jgits3.testing.aid.GitRequests;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Compares advertisements of random refs with those of JGit, byte by byte, and of C git. */
@Holds(
    "RefSelection, ShownRefs, StreamedAdvertiser, LsRefs: Refs are advertised and hidden as by "
        + "JGit and C git, byte by byte")
class AdvertisementTest {
  @TempDir Path directory;
  @TempDir Path scratch;
  @AutoClose private S3RepositoryManager manager;
  @AutoClose private S3Repository repository;

  @BeforeEach
  void create() throws Exception {
    manager = TestRepositories.manager(directory);
    repository = manager.createRepository("r");
  }

  /** By the servers, and by those that send refs with the advertiser of JGit. */
  @Seeds(20)
  void refs_are_advertised_as_jgit_does(long seed) throws Exception {
    RandomRefs refs = new RandomRefs(new Random(seed));
    refs.into(repository);
    for (int i = 0; i < 10; i++) {
      Config config = config(refs.rules());
      String pushed = pushByJGit(config);
      String fetched = fetchByJGit(config);
      assertThat(push(config)).as(config.toText()).isEqualTo(pushed);
      assertThat(fetch(config)).as(config.toText()).isEqualTo(fetched);
      assertThat(pushByJGit(new S3ReceivePack(repository, config)))
          .as(config.toText())
          .isEqualTo(pushed);
      try (UploadPack fetch = new S3UploadPack(repository, config)) {
        assertThat(fetchByJGit(fetch)).as(config.toText()).isEqualTo(fetched);
      }
    }
  }

  @Seeds(3)
  void refs_that_a_filter_of_the_embedder_leaves_out_are_not_advertised(long seed)
      throws Exception {
    RandomRefs refs = new RandomRefs(new Random(seed));
    refs.into(repository);
    Config embedder = config("[transfer]\n\thideRefs = refs/heads/a\n\thideRefs = refs/tags\n");
    for (int i = 0; i < 10; i++) {
      Config config = config(refs.rules());
      Config both = config(config.toText() + embedder.toText());
      S3ReceivePack push = new S3ReceivePack(repository, config);
      push.setRefFilter(filter(embedder, "receive"));
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      push.sendInfoRefs(out);
      assertThat(out.toString(UTF_8)).as(both.toText()).isEqualTo(pushByJGit(both));
      try (S3UploadPack fetch = new S3UploadPack(repository, config)) {
        fetch.setRefFilter(filter(embedder, "uploadpack"));
        assertThat(fetchByJGit(fetch)).as(both.toText()).isEqualTo(fetchByJGit(both));
      }
    }
  }

  @Seeds(6)
  void refs_are_advertised_as_git_does(long seed) throws Exception {
    RandomRefs refs = new RandomRefs(new Random(seed));
    refs.into(repository);
    GitClient git = export();
    String own = Files.readString(scratch.resolve("r.git/config"));
    for (int i = 0; i < 4; i++) {
      Config config = config(refs.rules());
      Files.writeString(scratch.resolve("r.git/config"), own + config.toText());
      assertThat(lines(push(config), 2))
          .as(config.toText())
          .isEqualTo(lines(git.run("receive-pack", "--http-backend-info-refs", "."), 0));
      assertThat(lines(fetch(config), 2))
          .as(config.toText())
          .isEqualTo(lines(git.run("upload-pack", "--http-backend-info-refs", "."), 0));
      byte[] request = listing(refs);
      assertThat(list(config, request))
          .as(config.toText() + new String(request, UTF_8))
          .isEqualTo(
              git.run(
                  stdin -> stdin.write(request),
                  "-c",
                  "alias.v2=!GIT_PROTOCOL=version=2 git upload-pack --stateless-rpc .",
                  "v2"));
    }
  }

  private static Config config(String text) throws Exception {
    Config config = new Config();
    config.fromText(text);
    return config;
  }

  /** Copies objects and refs to a directory. */
  private GitClient export() throws Exception {
    GitClient.in(scratch).run("init", "-q", "--bare", "r.git");
    GitClient git = GitClient.in(scratch).at("r.git");
    List<Ref> refs = repository.getRefDatabase().getRefs();
    Set<ObjectId> tips =
        refs.stream().map(Ref::getObjectId).filter(Objects::nonNull).collect(Collectors.toSet());
    byte[] pack = PackBytes.of(repository, tips, Set.of());
    git.run(stdin -> stdin.write(pack), "index-pack", "--stdin");
    StringBuilder direct = new StringBuilder();
    for (var link : repository.manifest().refs().symrefs().entrySet()) {
      git.run("symbolic-ref", link.getKey(), link.getValue());
    }
    for (Ref ref : refs) {
      if (!ref.isSymbolic()) {
        direct.append("update " + ref.getName() + " " + ref.getObjectId().name() + "\n");
      }
    }
    git.run(
        stdin -> stdin.write(direct.toString().getBytes(UTF_8)),
        "update-ref",
        "--no-deref",
        "--stdin");
    return git;
  }

  private String push(Config config) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new S3ReceivePack(repository, config).sendInfoRefs(out);
    return out.toString(UTF_8);
  }

  private String fetch(Config config) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new S3UploadPack(repository, config).sendInfoRefs(out);
    return out.toString(UTF_8);
  }

  private String list(Config config, byte[] request) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    S3UploadPack up = new S3UploadPack(repository, config);
    up.setExtraParameters(List.of("version=2"));
    up.setBiDirectionalPipe(false);
    up.upload(new ByteArrayInputStream(request), out, null);
    return out.toString(UTF_8).stripTrailing();
  }

  private static byte[] listing(RandomRefs refs) {
    return GitRequests.of(
        packets -> {
          packets.writeString("command=ls-refs\n");
          packets.writeString("agent=test");
          packets.writeDelim();
          for (String flag : List.of("peel", "symrefs", "unborn")) {
            if (refs.random().nextBoolean()) {
              packets.writeString(flag + "\n");
            }
          }
          for (String prefix : refs.prefixes()) {
            packets.writeString("ref-prefix " + prefix + "\n");
          }
        });
  }

  private String pushByJGit(Config config) throws IOException {
    ReceivePack push = new ReceivePack(repository);
    push.setRefFilter(filter(config, "receive"));
    return pushByJGit(push);
  }

  private static String pushByJGit(ReceivePack push) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PacketLineOut packets = new PacketLineOut(out);
    packets.writeString("# service=git-receive-pack\n");
    packets.end();
    push.sendAdvertisedRefs(advertiser(packets, "object-format=sha1"));
    return out.toString(UTF_8);
  }

  private String fetchByJGit(Config config) throws IOException {
    try (UploadPack fetch = new UploadPack(repository)) {
      fetch.setRefFilter(filter(config, "uploadpack"));
      return fetchByJGit(fetch);
    }
  }

  private static String fetchByJGit(UploadPack fetch) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    fetch.setBiDirectionalPipe(false);
    fetch.sendAdvertisedRefs(
        advertiser(
            new PacketLineOut(out),
            "object-format=sha1",
            "deepen-since",
            "deepen-not",
            "deepen-relative"),
        "git-upload-pack");
    return out.toString(UTF_8);
  }

  /** Writes as JGit does, with the capabilities that it lacks. */
  private static PacketLineOutRefAdvertiser advertiser(PacketLineOut packets, String... more) {
    PacketLineOutRefAdvertiser advertiser = new PacketLineOutRefAdvertiser(packets);
    List.of(more).forEach(advertiser::advertiseCapability);
    return advertiser;
  }

  private static RefFilter filter(Config config, String service) {
    List<String> rules = rules(config.toText(), service);
    return refs ->
        refs.entrySet().stream()
            .filter(e -> !isHidden(e.getKey(), rules))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** The values of a config that this test has written, in their order. */
  private static List<String> rules(String config, String service) {
    List<String> rules = new ArrayList<>();
    String section = "";
    for (String line : config.split("\n", -1)) {
      if (line.startsWith("[")) {
        section = line;
      } else if (section.equals("[transfer]") || section.equals("[" + service + "]")) {
        rules.add(line.replaceFirst(".*= *", "").replace("\"", ""));
      }
    }
    return rules;
  }

  private static boolean isHidden(String name, List<String> rules) {
    boolean hidden = false;
    for (String rule : rules) {
      String path = rule.replaceFirst("^!?\\^?", "").replaceFirst("/+$", "");
      if (!rule.isEmpty() && (name.equals(path) || name.startsWith(path + "/"))) {
        hidden = !rule.startsWith("!");
      }
    }
    return hidden;
  }

  /** Refs of an advertisement, without the capabilities. */
  private static List<String> lines(String advertisement, int skip) throws IOException {
    PacketLineIn packets =
        new PacketLineIn(new ByteArrayInputStream(advertisement.getBytes(UTF_8)));
    for (int i = 0; i < skip; i++) {
      packets.readString();
    }
    List<String> lines = new ArrayList<>();
    for (String line : packets.readStrings()) {
      lines.add(line.replaceFirst("\0.*", ""));
    }
    lines.removeIf(line -> line.endsWith(" capabilities^{}")); // older Git has none
    return lines;
  }
}

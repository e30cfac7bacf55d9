// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import static java.util.Comparator.naturalOrder;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefDatabase;
import org.eclipse.jgit.lib.ReflogEntry;
import org.eclipse.jgit.lib.ReflogReader;
import org.eclipse.jgit.lib.Repository;

/** All that a RefDatabase can be asked, and what it answers, as text. */
final class RefPicture {
  private static final List<String> PREFIXES =
      List.of("", "refs/", "refs/heads/", "refs/heads/a", "refs/heads/a/", "refs/tags/", "refs/x/");
  private static final Set<String> EXCLUDED = Set.of("refs/heads/a", "refs/changes/");

  private final RefDatabase refs;
  private final Map<String, String> answers = new TreeMap<>();

  private RefPicture(Repository repository) {
    this.refs = repository.getRefDatabase();
  }

  /**
   * Asks everything.
   *
   * @param repository repository to ask
   * @param names names that refs may have
   * @param objects objects that refs may point to
   * @return answers by question
   */
  static Map<String, String> of(
      Repository repository, List<String> names, Collection<ObjectId> objects) throws IOException {
    RefPicture picture = new RefPicture(repository);
    for (String name : names) {
      picture.askFor(name);
    }
    picture.askForMany(names);
    for (ObjectId id : objects) {
      picture.ask("getTipsWithSha1 " + id.name(), picture.sorted(picture.refs.getTipsWithSha1(id)));
    }
    return picture.answers;
  }

  private void ask(String question, Object answer) {
    answers.put(question, String.valueOf(answer));
  }

  private void askFor(String name) throws IOException {
    Ref ref = refs.exactRef(name);
    ask("exactRef " + name, ref == null ? null : text(ref));
    ask("isNameConflicting " + name, refs.isNameConflicting(name));
    ask("getConflictingNames " + name, new TreeSet<>(refs.getConflictingNames(name)));
    ReflogReader reflog = refs.getReflogReader(name);
    ask("reflog of " + name, reflog == null ? null : reflog(reflog));
  }

  private void askForMany(List<String> names) throws IOException {
    String[] some = names.toArray(new String[0]);
    ask("exactRef of all", new TreeSet<>(refs.exactRef(some).keySet()));
    Ref first = refs.firstExactRef(some);
    ask("firstExactRef", first == null ? null : text(first));
    for (String prefix : PREFIXES) {
      ask("getRefsByPrefix " + prefix, texts(refs.getRefsByPrefix(prefix)));
      if (!prefix.endsWith("a")) { // ArrayIndexOutOfBoundsException in RefDirectory's RefMap
        ask(
            "getRefsByPrefixWithExclusions " + prefix,
            texts(refs.getRefsByPrefixWithExclusions(prefix, EXCLUDED)));
      }
    }
    ask("getRefsByPrefix of two", sorted(refs.getRefsByPrefix("refs/tags/", "refs/heads/a")));
    ask("hasRefs", refs.hasRefs());
    ask("getRefs", texts(refs.getRefs()));
    ask("getAdditionalRefs", texts(refs.getAdditionalRefs()));
  }

  private List<String> texts(Collection<Ref> all) throws IOException {
    List<String> texts = new ArrayList<>();
    for (Ref ref : all) {
      texts.add(text(ref));
    }
    return texts;
  }

  private List<String> sorted(Collection<Ref> all) throws IOException {
    List<String> texts = texts(all);
    texts.sort(naturalOrder());
    return texts;
  }

  /** The ref with all it leads to and its peeled value. */
  private String text(Ref ref) throws IOException {
    StringBuilder text = new StringBuilder();
    Ref at = ref;
    for (; at.isSymbolic(); at = at.getTarget()) {
      text.append(at.getName()).append(" -> ");
    }
    text.append(at.getName()).append(' ').append(at.getObjectId());
    Ref peeled = refs.peel(ref);
    return text.append(" peeled ").append(peeled.getPeeledObjectId()).toString();
  }

  private static List<String> reflog(ReflogReader reader) throws IOException {
    List<String> entries = new ArrayList<>();
    for (ReflogEntry e : reader.getReverseEntries()) {
      String who = e.getWho().getEmailAddress();
      entries.add(e.getOldId().name() + " " + e.getNewId().name() + " " + who + e.getComment());
    }
    return entries;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.eclipse.jgit.annotations.Nullable;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.Ref;
import org.jgits3.internal.function.IoSupplier;
import org.jgits3.internal.refs.snapshot.ShownRefs;

/**
 * Refs by name, in the form that JGit expects. They are read on first use, and each {@link Ref} is
 * created on demand. JGit collects the ids of all listed refs, so none are listed for a request
 * that only names refs. Used by one thread.
 */
final class AdvertisedRefs extends AbstractMap<String, Ref> {
  /** Refs that the map lists, of all that it finds. */
  enum Listing {
    /** None of them. */
    NONE,
    /** Tags, which JGit sends together with their objects. */
    TAGS,
    /** All. */
    ALL
  }

  private final IoSupplier<ShownRefs> read;
  private final Supplier<Listing> listing;
  @Nullable private ShownRefs shown;

  /**
   * Creates the map.
   *
   * @param read reads the refs that it finds
   * @param listing refs that it lists, asked whenever it does
   */
  AdvertisedRefs(IoSupplier<ShownRefs> read, Supplier<Listing> listing) {
    this.read = read;
    this.listing = listing;
  }

  ShownRefs shown() {
    if (shown == null) {
      try {
        shown = read.get();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return shown;
  }

  @Override
  @Nullable
  public Ref get(Object name) {
    return name instanceof String s ? shown().exact(s) : null;
  }

  @Override
  public boolean containsKey(Object name) {
    return get(name) != null;
  }

  @Override
  public Collection<Ref> values() {
    return new Values();
  }

  /** The listed refs; an advertisement sends all refs, without creating a {@link Ref} for each. */
  final class Values extends AbstractCollection<Ref> {
    ShownRefs all() {
      return shown();
    }

    private Collection<Ref> listed() {
      return switch (listing.get()) {
        case NONE -> List.of();
        case TAGS -> shown().under(List.of(Constants.R_TAGS));
        case ALL -> shown();
      };
    }

    @Override
    public Iterator<Ref> iterator() {
      return Collections.unmodifiableCollection(listed()).iterator();
    }

    @Override
    public int size() {
      return listed().size();
    }
  }

  @Override
  public Set<Entry<String, Ref>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public Iterator<Entry<String, Ref>> iterator() {
        return values().stream().map(ref -> Map.entry(ref.getName(), ref)).iterator();
      }

      @Override
      public int size() {
        return values().size();
      }
    };
  }
}

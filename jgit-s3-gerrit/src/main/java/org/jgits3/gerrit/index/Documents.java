// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.index;

import com.google.gerrit.entities.Account;
import com.google.gerrit.entities.AccountGroup;
import com.google.gerrit.entities.Project;
import com.google.gerrit.exceptions.StorageException;
import com.google.gerrit.index.Index;
import com.google.gerrit.index.IndexCollection;
import com.google.gerrit.index.IndexConfig;
import com.google.gerrit.index.QueryOptions;
import com.google.gerrit.index.SchemaFieldDefs.SchemaField;
import com.google.gerrit.index.project.ProjectField;
import com.google.gerrit.index.project.ProjectIndexCollection;
import com.google.gerrit.index.query.Predicate;
import com.google.gerrit.index.query.QueryParseException;
import com.google.gerrit.server.index.account.AccountField;
import com.google.gerrit.server.index.account.AccountIndexCollection;
import com.google.gerrit.server.index.group.GroupField;
import com.google.gerrit.server.index.group.GroupIndexCollection;
import com.google.inject.Inject;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Ids of the documents in the indexes of this Gerrit, including those that should be there no more.
 * Reads the indexes alone. Safe for use by many threads.
 */
class Documents {
  private final IndexConfig config;
  private final AccountIndexCollection accounts;
  private final GroupIndexCollection groups;
  private final ProjectIndexCollection projects;

  @Inject
  Documents(
      IndexConfig config,
      AccountIndexCollection accounts,
      GroupIndexCollection groups,
      ProjectIndexCollection projects) {
    this.config = config;
    this.accounts = accounts;
    this.groups = groups;
    this.projects = projects;
  }

  Set<Account.Id> accounts() {
    return ids(accounts, AccountField.ID_STR_FIELD_SPEC, id -> Account.id(Integer.parseInt(id)));
  }

  Set<AccountGroup.UUID> groups() {
    return ids(groups, GroupField.UUID_FIELD_SPEC, AccountGroup::uuid);
  }

  Set<Project.NameKey> projects() {
    return ids(projects, ProjectField.NAME_SPEC, Project::nameKey);
  }

  private <V, T> Set<T> ids(
      IndexCollection<?, V, ? extends Index<?, V>> indexes,
      SchemaField<V, String> field,
      Function<String, T> id) {
    QueryOptions all = QueryOptions.create(config, 0, Integer.MAX_VALUE, Set.of(field.getName()));
    try {
      return indexes.getSearchIndex().getSource(Predicate.any(), all).readRaw().toList().stream()
          .map(document -> id.apply(document.getValue(field)))
          .collect(Collectors.toCollection(LinkedHashSet::new));
    } catch (QueryParseException e) {
      throw new StorageException("an index cannot be listed", e);
    }
  }
}

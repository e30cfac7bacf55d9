// SPDX-License-Identifier: Apache-2.0
package org.jgits3.gerrit.shared;

import com.google.gerrit.extensions.common.Input;
import com.google.gerrit.extensions.restapi.AuthException;
import com.google.gerrit.extensions.restapi.Response;
import com.google.gerrit.extensions.restapi.RestModifyView;
import com.google.gerrit.server.CurrentUser;
import com.google.gerrit.server.account.AccountResource;
import com.google.gerrit.server.permissions.GlobalPermission;
import com.google.gerrit.server.permissions.PermissionBackend;
import com.google.gerrit.server.permissions.PermissionBackendException;
import com.google.inject.Inject;
import com.google.inject.Provider;
import java.io.IOException;

/**
 * {@code DELETE /accounts/ID/s3-sessions}: ends all web sessions of an account, which its user and
 * administrators may do.
 */
public class EndSessions implements RestModifyView<AccountResource, Input> {
  private final StoredSessions sessions;
  private final Provider<CurrentUser> caller;
  private final PermissionBackend permissions;

  @Inject
  EndSessions(
      StoredSessions sessions, Provider<CurrentUser> caller, PermissionBackend permissions) {
    this.sessions = sessions;
    this.caller = caller;
    this.permissions = permissions;
  }

  @Override
  public Response<String> apply(AccountResource account, Input input)
      throws AuthException, PermissionBackendException, IOException {
    if (!caller.get().hasSameAccountId(account.getUser())) {
      permissions.currentUser().check(GlobalPermission.ADMINISTRATE_SERVER);
    }
    sessions.endAll(account.getUser().getAccountId());
    return Response.none();
  }
}

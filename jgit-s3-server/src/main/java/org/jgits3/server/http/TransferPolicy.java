// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Arrays;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.PostReceiveHook;
import org.eclipse.jgit.transport.ReceivePack;
import org.eclipse.jgit.transport.TransferConfig;
import org.eclipse.jgit.transport.UploadPack;

/** Sets fetches and pushes up as the repository's config and the server's defaults say. */
final class TransferPolicy {
  private final TransferDefaults defaults;
  private final PostReceiveHook afterPush;

  TransferPolicy(TransferDefaults defaults, PostReceiveHook afterPush) {
    this.defaults = defaults;
    this.afterPush = afterPush;
  }

  UploadPack uploadPack(HttpServletRequest req, Repository db) {
    Config config = enabled("uploadpack", db);
    UploadPack up =
        new ValidatingUploadPack(
            db, servesAnyObject(config), config.getLong("http", "maxRequestBuffer", 0));
    up.setTransferConfig(new TransferConfig(config));
    String protocol = req.getHeader("Git-Protocol");
    if (protocol != null) {
      up.setExtraParameters(Arrays.asList(protocol.split(":", -1)));
    }
    return up;
  }

  private static boolean servesAnyObject(Config config) {
    return config.getBoolean("uploadpack", "allowAnySHA1InWant", false)
        && !config.getBoolean("uploadpack", "allowRefInWant", false);
  }

  ReceivePack receivePack(HttpServletRequest req, Repository db) {
    Config config = enabled("receivepack", db);
    ReceivePack rp = new ObservedReceivePack(db);
    rp.setPostReceiveHook(afterPush);
    rp.setRefLogIdent(identity(req));
    rp.setObjectChecker(new TransferConfig(config).newReceiveObjectChecker());
    rp.setAllowBranchDeletes(!config.getBoolean("receive", "denyDeletes", false));
    rp.setAllowNonFastForwards(!config.getBoolean("receive", "denyNonFastForwards", false));
    rp.setAllowPushOptions(config.getBoolean("receive", "advertisePushOptions", false));
    rp.setMaxObjectSizeLimit(config.getLong("receive", "maxObjectSizeLimit", 0));
    long maxPack = config.getLong("receive", "maxInputSize", 0);
    if (maxPack > 0) {
      rp.setMaxPackSizeLimit(maxPack);
    }
    return rp;
  }

  /** The config that holds, if it does not switch the service off. */
  private Config enabled(String service, Repository db) {
    Config config = defaults.under(db.getConfig());
    if (!config.getBoolean("http", service, true)) {
      // JGit's own exception becomes a packet that Git does not show, since the status is 403.
      throw new Refusal(
          HttpServletResponse.SC_FORBIDDEN, "http." + service + " is false here", null);
    }
    return config;
  }

  /** Who did it, for the reflog: the authenticated user, and where the request came from. */
  private static PersonIdent identity(HttpServletRequest req) {
    String user = req.getRemoteUser() == null ? "anonymous" : req.getRemoteUser();
    return new PersonIdent(user, user.contains("@") ? user : user + "@" + req.getRemoteAddr());
  }
}

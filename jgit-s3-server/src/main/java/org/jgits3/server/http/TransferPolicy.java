// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import org.eclipse.jgit.http.server.GitSmartHttpTools;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.pack.PackConfig;
import org.eclipse.jgit.transport.PostReceiveHook;
import org.eclipse.jgit.transport.PreUploadHook;
import org.eclipse.jgit.transport.ReceivePack;
import org.eclipse.jgit.transport.ServiceMayNotContinueException;
import org.eclipse.jgit.transport.TransferConfig;
import org.eclipse.jgit.transport.UploadPack;
import org.jgits3.S3Repository;
import org.jgits3.server.http.limit.Refusal;

/** Configures fetches and pushes from the repository's config and the server's defaults. */
final class TransferPolicy {
  private final TransferDefaults defaults;
  private final PostReceiveHook afterPush;

  TransferPolicy(TransferDefaults defaults, PostReceiveHook afterPush) {
    this.defaults = defaults;
    this.afterPush = afterPush;
  }

  UploadPack uploadPack(HttpServletRequest req, Repository db) {
    Config config = enabled("uploadpack", db);
    allowAnyObject(config);
    config.setBoolean("uploadpack", null, "advertiseObjectInfo", false); // S3UploadPack refuses it
    if (GitSmartHttpTools.isUploadPack(req)) {
      acceptWhatWasOffered(config);
    }
    UploadPack up = new LimitedUploadPack(db, config);
    up.setTransferConfig(new TransferConfig(config));
    up.setPackConfig(new PackConfig(config));
    up.setPreUploadHook(new Steps());
    String protocol = req.getHeader("Git-Protocol");
    if (protocol != null) {
      up.setExtraParameters(Arrays.asList(protocol.split(":", -1)));
    }
    return up;
  }

  /**
   * Allows fetches of any object by id where no refs are hidden, unless the configuration has a
   * value. git upload-pack allows the same in protocol 2: partial clones ask for single blobs, and
   * access does not differ between refs that everyone sees.
   */
  private static void allowAnyObject(Config config) {
    if (config.getString("uploadpack", null, "allowAnySHA1InWant") == null
        && config.getStringList("transfer", null, "hideRefs").length == 0
        && config.getStringList("uploadpack", null, "hideRefs").length == 0) {
      config.setBoolean("uploadpack", null, "allowAnySHA1InWant", true);
    }
  }

  /**
   * Accepts every protocol feature that an advertisement may have offered: that was an earlier
   * request, perhaps to another process with an older configuration.
   */
  private static void acceptWhatWasOffered(Config config) {
    config.setBoolean("uploadpack", null, "allowFilter", true);
    config.setBoolean("uploadpack", null, "allowRefInWant", true);
    config.setBoolean("uploadpack", null, "allowSidebandAll", true);
    config.setString("protocol", null, "version", "2"); // if the client says so
  }

  /** Steps of a fetch. */
  private static final class Steps implements PreUploadHook {
    /**
     * Stops validating refs once a fetch no longer depends on them. JGit still looks up the tags
     * that the client would ask for next; these may be as old as the advertisement.
     */
    @Override
    public void onBeginNegotiateRound(
        UploadPack up, Collection<? extends ObjectId> wants, int offered) {
      if (up.getRequestPolicy() == UploadPack.RequestPolicy.ANY
          && up.getRepository() instanceof S3Repository repository) {
        repository.getRefDatabase().relyOnKnown();
      }
    }

    @Override
    public void onEndNegotiateRound(
        UploadPack up,
        Collection<? extends ObjectId> wants,
        int common,
        int notFound,
        boolean ready) {}

    @Override
    public void onSendPack(
        UploadPack up, Collection<? extends ObjectId> wants, Collection<? extends ObjectId> haves)
        throws ServiceMayNotContinueException {
      try {
        ((LimitedUploadPack) up).beginPack(haves.isEmpty());
      } catch (IOException e) {
        throw new ServiceMayNotContinueException(e.getMessage(), e);
      }
    }
  }

  ReceivePack receivePack(HttpServletRequest req, Repository db) {
    Config config = enabled("receivepack", db);
    ReceivePack rp = new ObservedReceivePack(db, config);
    rp.setPostReceiveHook(afterPush);
    rp.setRefLogIdent(identity(req));
    rp.setObjectChecker(new TransferConfig(config).newReceiveObjectChecker());
    rp.setAllowBranchDeletes(!config.getBoolean("receive", "denyDeletes", false));
    rp.setAllowNonFastForwards(!config.getBoolean("receive", "denyNonFastForwards", false));
    rp.setAllowPushOptions(config.getBoolean("receive", "advertisePushOptions", false));
    rp.setMaxObjectSizeLimit(config.getLong("receive", "maxObjectSizeLimit", 0));
    rp.setMaxCommandBytes(config.getLong("receive", "maxCommandBytes", 0));
    rp.setMaxCommandDiscardBytes(config.getLong("receive", "maxCommandDiscardBytes", 0));
    long maxPack = config.getLong("receive", "maxInputSize", 0);
    if (maxPack > 0) {
      rp.setMaxPackSizeLimit(maxPack);
    }
    return rp;
  }

  /** Effective config, if it does not disable the service. */
  private Config enabled(String service, Repository db) {
    Config config = defaults.under(db.getConfig());
    if (!config.getBoolean("http", service, true)) {
      // JGit would turn its own exception into a packet, which Git does not show with status 403.
      throw new Refusal(
          HttpServletResponse.SC_FORBIDDEN, "http." + service + " is false here", null);
    }
    return config;
  }

  /**
   * Identity for the reflog: the authenticated user and, after the last {@code @} of the e-mail
   * address, the address of the client.
   */
  private static PersonIdent identity(HttpServletRequest req) {
    String user = req.getRemoteUser() == null ? "anonymous" : req.getRemoteUser();
    return new PersonIdent(user, user + "@" + req.getRemoteAddr());
  }
}

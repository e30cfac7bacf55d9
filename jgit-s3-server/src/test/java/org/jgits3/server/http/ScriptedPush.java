// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http;

import java.io.IOException;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.testing.PackBytes;
import org.jgits3.testing.aid.GitRequests;

/**
 * A push of one commit as the bytes a client sends, so that a test decides when each of them
 * arrives.
 *
 * @param body body of the request to {@code git-receive-pack}
 * @param commit the commit that {@code refs/heads/main} gets
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
record ScriptedPush(byte[] body, ObjectId commit) {
  static ScriptedPush firstCommit(String file, byte[] content) throws IOException {
    PackBytes pack = PackBytes.ofFile(file, content);
    byte[] body =
        GitRequests.push(ObjectId.zeroId(), pack.commit(), "refs/heads/main", pack.bytes());
    return new ScriptedPush(body, pack.commit());
  }
}

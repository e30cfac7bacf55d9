// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import java.util.Set;

/** The public API of the library. */
class PublicApiTest extends PublicApiContract {
  /**
   * Members that the packages of the project call among each other, and what JGit's {@code
   * DfsRepository} returns, of the narrower type that spares the library casts.
   */
  PublicApiTest() {
    super(
        Set.of(
            "org.jgits3.S3Repository.getObjectDatabase",
            "org.jgits3.S3Repository.getRefDatabase",
            "org.jgits3.Stores.open", // for programs that have a client of the SDK
            "org.jgits3.Stores.using",
            "org.jgits3.history.StoreHistory.<init>",
            "org.jgits3.history.TransactionHistory.<init>",
            "org.jgits3.history.TransactionHistory.restoration",
            "org.jgits3.maintenance.Maintenance.<init>",
            "org.jgits3.maintenance.Maintenance.repository"));
  }
}

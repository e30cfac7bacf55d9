// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.log;

import java.io.IOException;
import org.jgits3.store.StoreException;

/** An object of the transaction log is missing, or its bytes differ from those written. */
final class DamagedLogException extends IOException {
  private static final long serialVersionUID = 1;

  private final String id;

  /**
   * A damaged object.
   *
   * @param id its minted name
   * @param cause the damage
   */
  DamagedLogException(String id, StoreException cause) {
    super(cause.getMessage(), cause);
    this.id = id;
  }

  /** Minted name of the object. */
  String id() {
    return id;
  }
}

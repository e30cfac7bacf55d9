// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs.table;

import java.util.Comparator;

/**
 * Order of ref names in packed-refs: by their UTF-8 bytes, which is the order of code points.
 * {@link String#compareTo} differs from it where a name has characters beyond the basic plane.
 */
public final class RefOrder implements Comparator<String> {
  public static final RefOrder INSTANCE = new RefOrder();

  private RefOrder() {}

  @Override
  public int compare(String a, String b) {
    int n = Math.min(a.length(), b.length());
    for (int i = 0; i < n; i++) {
      char x = a.charAt(i);
      char y = b.charAt(i);
      if (x != y) {
        boolean xHigh = Character.isSurrogate(x);
        boolean yHigh = Character.isSurrogate(y);
        return xHigh == yHigh ? Character.compare(x, y) : Boolean.compare(xHigh, yHigh);
      }
    }
    return Integer.compare(a.length(), b.length());
  }
}

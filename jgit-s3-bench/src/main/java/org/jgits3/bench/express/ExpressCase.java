// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.express;

/** Benchmarks of the suite, by the names they have in the one that others know. */
enum ExpressCase {
  GET_64K("get_object", "getObject", 64 << 10),
  GET_1M("get_object", "getObject", 1 << 20),
  PUT_64K("put_object", "putObject", 64 << 10),
  PUT_1M("put_object", "putObject", 1 << 20),
  PUT_GET_DELETE_64K("put_get_delete", "putGetDelete", 64 << 10),
  PUT_GET_DELETE_1M("put_get_delete", "putGetDelete", 1 << 20),
  CONCURRENT_64K("concurrent_put_get", "concurrentPutGet", 64 << 10);

  private final String title;
  private final String method;
  private final int size;

  ExpressCase(String name, String method, int size) {
    this.title = name + "/size/" + size;
    this.method = method;
    this.size = size;
  }

  /** Name in the results. */
  String title() {
    return title;
  }

  /** Name of the method. */
  String method() {
    return method;
  }

  /** Bytes of an object. */
  int size() {
    return size;
  }

  /** Tests whether it only reads or only writes, so that a stub can answer. */
  boolean single() {
    return method.equals("getObject") || method.equals("putObject");
  }
}

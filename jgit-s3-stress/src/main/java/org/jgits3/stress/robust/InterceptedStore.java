// SPDX-License-Identifier: Apache-2.0
package org.jgits3.stress.robust;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import org.jgits3.store.ObjectStore;

/** Stores in front of which something happens. */
public final class InterceptedStore {
  private static final int READ_MILLIS = 20;
  private static final int WRITE_MILLIS = 30;

  private InterceptedStore() {}

  /** Something to be done before each request. */
  @FunctionalInterface
  public interface Before {
    /**
     * Does it.
     *
     * @param request name of a method of {@link ObjectStore}
     * @param args its arguments
     * @throws IOException as the request
     * @throws InterruptedException if the thread was interrupted
     */
    void request(String request, Object[] args) throws IOException, InterruptedException;
  }

  /**
   * Does something before each request to a store.
   *
   * @param store the store
   * @param before something
   * @return the store, as its users see it
   */
  public static ObjectStore of(ObjectStore store, Before before) {
    return (ObjectStore)
        Proxy.newProxyInstance(
            ObjectStore.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            (proxy, method, args) -> {
              if (args != null) {
                before.request(method.getName(), args);
              }
              try {
                return method.invoke(store, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** As far as S3 in another region: 20 ms for each read, 30 for each write. */
  static ObjectStore distant(ObjectStore store) {
    return of(
        store,
        (request, args) ->
            TimeUnit.MILLISECONDS.sleep(
                switch (request) {
                  case "get", "read", "compare", "stat", "list", "listMultipart" -> READ_MILLIS;
                  default -> WRITE_MILLIS;
                }));
  }
}

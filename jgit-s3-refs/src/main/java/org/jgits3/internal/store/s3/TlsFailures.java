// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.io.IOException;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.jgits3.internal.function.Causes;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpRequest;

/**
 * Names the endpoint in a failure of TLS, whose own message does not say with whom it failed. A
 * connection that breaks is none: it has an {@code IOException} as its cause.
 */
final class TlsFailures implements ExecutionInterceptor {
  @Override
  public Throwable modifyException(
      Context.FailedExecution context, ExecutionAttributes attributes) {
    Throwable failure = context.exception();
    Optional<String> reason =
        Causes.find(failure, SSLException.class)
            .filter(tls -> !(tls.getCause() instanceof IOException))
            .map(SSLException::getMessage);
    if (reason.isEmpty()
        || context.httpRequest().isEmpty()
        || failure instanceof AbortedException
        || String.valueOf(failure.getMessage()).startsWith("Unable to load credentials")) {
      return failure;
    }
    SdkHttpRequest request = context.httpRequest().get();
    return SdkClientException.create(
        "TLS at https://"
            + request.host()
            + ":"
            + request.port()
            + " failed: "
            + reason.get()
            + "; correct endpoint, which begins with http:// if the server has no TLS, or the"
            + " server's certificate",
        failure);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing.signed;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jgits3.testing.S3Server;

/** Signatures of requests to S3, version 4, as a server computes them to compare. */
final class SigV4 {
  static final String ALGORITHM = "AWS4-HMAC-SHA256";

  private SigV4() {}

  /** SHA-256 of a body, in hexadecimal. */
  static String hash(byte[] body) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Scope of the signatures of a day. */
  static String scope(String date) {
    return date.substring(0, 8) + "/" + S3Server.REGION + "/s3/aws4_request";
  }

  /**
   * Signs a request.
   *
   * @param secret secret key
   * @param method HTTP method
   * @param target path and query as they are sent
   * @param headers the headers to be signed, names in lower case; among them x-amz-date and
   *     x-amz-content-sha256
   * @return the signature, in hexadecimal
   */
  static String sign(String secret, String method, URI target, SortedMap<String, String> headers) {
    String canonical =
        String.join(
            "\n",
            method,
            target.getRawPath(),
            query(target.getRawQuery()),
            headers.entrySet().stream()
                .map(h -> h.getKey() + ":" + h.getValue().strip() + "\n")
                .collect(Collectors.joining()),
            String.join(";", headers.keySet()),
            headers.get("x-amz-content-sha256"));
    String date = headers.get("x-amz-date");
    byte[] key = ("AWS4" + secret).getBytes(UTF_8);
    for (String part : scope(date).split("/", -1)) {
      key = mac(key, part);
    }
    String what = String.join("\n", ALGORITHM, date, scope(date), hash(canonical.getBytes(UTF_8)));
    return HexFormat.of().formatHex(mac(key, what));
  }

  private static String query(String raw) {
    if (raw == null || raw.isEmpty()) {
      return "";
    }
    SortedMap<String, String> sorted = new TreeMap<>();
    Arrays.stream(raw.split("&"))
        .map(pair -> pair.split("=", 2))
        .forEach(pair -> sorted.put(pair[0], pair.length == 1 ? "" : pair[1]));
    return sorted.entrySet().stream()
        .map(pair -> pair.getKey() + "=" + pair.getValue())
        .collect(Collectors.joining("&"));
  }

  private static byte[] mac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text.getBytes(UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}

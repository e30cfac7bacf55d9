// SPDX-License-Identifier: Apache-2.0
package org.jgits3.bench.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Optional;

/** A request or an answer of HTTP/1.1, as its bytes came. */
public final class HttpMessage {
  private static final int MOST_BYTES_OF_HEAD = 1 << 16;
  private static final int LONGEST_LINE = 1024;

  private final String head;
  private final byte[] body;

  /**
   * A message.
   *
   * @param head first line and headers, with the empty line that ends them
   * @param body body, with the lengths of its chunks if it has any; not copied
   */
  public HttpMessage(String head, byte[] body) {
    this.head = head;
    this.body = body;
  }

  /**
   * Reads a request.
   *
   * @param in bytes of a client
   * @return the request; empty if the connection ended before it
   * @throws IOException if the connection breaks, or ends within the request
   */
  public static Optional<HttpMessage> readRequest(InputStream in) throws IOException {
    Optional<String> head = readHead(in);
    return head.isEmpty()
        ? Optional.empty()
        : Optional.of(new HttpMessage(head.get(), readBody(in, head.get(), false)));
  }

  /**
   * Reads the answer to a request.
   *
   * @param in bytes of a server
   * @param request the request
   * @return the answer
   * @throws IOException if the connection breaks, or ends within the answer
   */
  public static HttpMessage readAnswer(InputStream in, HttpMessage request) throws IOException {
    String head = readHead(in).orElseThrow(EOFException::new);
    int status = Integer.parseInt(head.split(" ", 3)[1]);
    boolean none = request.method().equals("HEAD") || status == 204 || status == 304;
    return new HttpMessage(head, none ? new byte[0] : readBody(in, head, true));
  }

  private static Optional<String> readHead(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    int ends = 0; // line ends in a row
    while (ends < 2) {
      int next = in.read();
      if (next < 0 && head.size() == 0) {
        return Optional.empty();
      }
      if (next < 0 || head.size() == MOST_BYTES_OF_HEAD) {
        throw new EOFException("a head that does not end");
      }
      head.write(next);
      ends = next == '\n' ? ends + 1 : next == '\r' ? ends : 0;
    }
    return Optional.of(head.toString(ISO_8859_1));
  }

  private static byte[] readBody(InputStream in, String head, boolean untilEnd) throws IOException {
    Optional<String> length = header(head, "content-length");
    if (length.isPresent()) {
      int bytes = Integer.parseInt(length.get());
      byte[] body = in.readNBytes(bytes);
      if (body.length < bytes) {
        throw new EOFException("a body that does not end");
      }
      return body;
    }
    if (header(head, "transfer-encoding").isPresent()) {
      return readChunks(in);
    }
    return untilEnd ? in.readAllBytes() : new byte[0];
  }

  private static byte[] readChunks(InputStream in) throws IOException {
    ByteArrayOutputStream chunks = new ByteArrayOutputStream();
    int size = 1;
    while (size > 0) {
      String line = readLine(in, chunks);
      size = chunkSize(line);
      chunks.write(in.readNBytes(size));
      readLine(in, chunks);
    }
    return chunks.toByteArray();
  }

  private static String readLine(InputStream in, ByteArrayOutputStream copy) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0 || line.length() == LONGEST_LINE) {
        throw new EOFException("a line that does not end");
      }
      copy.write(next);
      line.append((char) next);
    }
    copy.write('\n');
    return line.toString().strip();
  }

  private static Optional<String> header(String head, String name) {
    return head.lines()
        .skip(1)
        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst();
  }

  /**
   * First line and headers.
   *
   * @return the bytes before the body, as ISO 8859-1
   */
  public String head() {
    return head;
  }

  /**
   * The body.
   *
   * @return its bytes as they came, not to be changed
   */
  public byte[] body() {
    return body;
  }

  /**
   * Value of a header.
   *
   * @param name its name in lower case
   * @return the value; empty if there is no such header
   */
  public Optional<String> header(String name) {
    return header(head, name);
  }

  /**
   * Method of a request.
   *
   * @return its first word
   */
  public String method() {
    return head.substring(0, head.indexOf(' '));
  }

  /**
   * Path and query of a request.
   *
   * @return its second word
   */
  public String target() {
    return head.split(" ", 3)[1];
  }

  /**
   * Status of an answer.
   *
   * @return its number
   */
  public int status() {
    return Integer.parseInt(head.split(" ", 3)[1]);
  }

  /**
   * Tests whether a request is a conditional write.
   *
   * @return true if it is
   */
  public boolean isConditionalWrite() {
    return method().equals("PUT")
        && (header("if-match").isPresent() || header("if-none-match").isPresent());
  }

  /**
   * Tests whether a request writes or deletes.
   *
   * @return true if it does
   */
  public boolean isWrite() {
    return switch (method()) {
      case "PUT", "POST", "DELETE" -> true;
      default -> false;
    };
  }

  /**
   * Tests whether a request is for the content of an object.
   *
   * @return true if it is
   */
  public boolean isDownload() {
    return method().equals("GET") && target().indexOf('?') < 0;
  }

  /**
   * Content of an answer, its chunks put together.
   *
   * @return its bytes
   * @throws IOException if the chunks are not whole
   */
  public byte[] content() throws IOException {
    if (header("transfer-encoding").isEmpty()) {
      return body;
    }
    InputStream in = new ByteArrayInputStream(body);
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (int size = chunkSize(in); size > 0; size = chunkSize(in)) {
      content.write(in.readNBytes(size));
      readLine(in, new ByteArrayOutputStream());
    }
    return content.toByteArray();
  }

  private static int chunkSize(InputStream in) throws IOException {
    return chunkSize(readLine(in, new ByteArrayOutputStream()));
  }

  private static int chunkSize(String line) {
    return Integer.parseInt(line.split(";", 2)[0].strip(), 16);
  }

  /**
   * Sends the message.
   *
   * @param out where to; flushed
   * @throws IOException if the connection breaks
   */
  public void writeTo(OutputStream out) throws IOException {
    out.write(head.getBytes(ISO_8859_1));
    out.write(body);
    out.flush();
  }
}

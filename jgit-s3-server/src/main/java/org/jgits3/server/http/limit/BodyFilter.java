// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jgit.annotations.Nullable;

/**
 * Inflates the bodies of requests, and tells those that cannot be decoded from failures of the
 * server. A body in an encoding other than gzip is answered 415.
 */
public final class BodyFilter extends HttpFilter {
  private static final String ENCODING = "Content-Encoding";

  /** The body of a request cannot be decoded; the message is for the client. */
  public static final class UndecodableException extends IOException {
    UndecodableException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  @Override
  protected void doFilter(HttpServletRequest req, HttpServletResponse rsp, FilterChain chain)
      throws IOException, ServletException {
    String encoding = encoding(req);
    switch (encoding) {
      case "gzip", "x-gzip" -> chain.doFilter(decoded(req, true), rsp);
      case "", "identity" -> chain.doFilter(decoded(req, false), rsp);
      default -> {
        rsp.setHeader("Accept-Encoding", "gzip");
        rsp.sendError(
            HttpServletResponse.SC_UNSUPPORTED_MEDIA_TYPE,
            "bodies are taken plain or in gzip, not in " + encoding);
      }
    }
  }

  private static String encoding(HttpServletRequest req) {
    String encoding = req.getHeader(ENCODING);
    return encoding == null ? "" : encoding.strip().toLowerCase(Locale.ROOT);
  }

  private static HttpServletRequest decoded(HttpServletRequest req, boolean gzip) {
    return new HttpServletRequestWrapper(req) {
      @Nullable private Body body;

      @Override
      @Nullable
      public String getHeader(String name) {
        return ENCODING.equalsIgnoreCase(name) ? null : super.getHeader(name);
      }

      @Override
      public ServletInputStream getInputStream() throws IOException {
        if (body == null) {
          body = new Body(super.getInputStream(), gzip);
        }
        return body;
      }
    };
  }

  /** Decoded body. Used by one thread. */
  private static final class Body extends ServletInputStream {
    private final ServletInputStream raw;
    private final boolean gzip;
    @Nullable private InputStream plain;

    Body(ServletInputStream raw, boolean gzip) {
      this.raw = raw;
      this.gzip = gzip;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] dst, int offset, int length) throws IOException {
      try {
        if (plain == null) {
          plain = gzip ? new GZIPInputStream(raw) : raw;
        }
        return plain.read(dst, offset, length);
      } catch (ZipException e) {
        throw noGzip(e);
      } catch (IOException e) {
        throw failure(e);
      }
    }

    private IOException failure(IOException e) {
      if (gzip && e.getClass() == EOFException.class) {
        return noGzip(e);
      }
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof HttpException) {
          return new UndecodableException("the body of the request is no valid HTTP", e);
        }
      }
      return e;
    }

    private static UndecodableException noGzip(IOException e) {
      return new UndecodableException("the body of the request is no valid gzip", e);
    }

    @Override
    public int available() throws IOException {
      return plain == null ? 0 : plain.available();
    }

    @Override
    public boolean isFinished() {
      return raw.isFinished();
    }

    @Override
    public boolean isReady() {
      return raw.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
      throw new IllegalStateException("bodies are read by one thread, which waits");
    }

    @Override
    public void close() throws IOException {
      raw.close();
    }
  }
}

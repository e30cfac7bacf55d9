// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.limit;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;

/** Applies a {@link LeastDataRate} to both directions of each request. */
public final class LeastDataRateFilter extends HttpFilter {
  private final long bytesPerSecond;

  public LeastDataRateFilter(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  @Override
  protected void doFilter(HttpServletRequest req, HttpServletResponse rsp, FilterChain chain)
      throws IOException, ServletException {
    LeastDataRate sent = new LeastDataRate(bytesPerSecond, System::nanoTime);
    LeastDataRate taken = new LeastDataRate(bytesPerSecond, System::nanoTime);
    chain.doFilter(
        new HttpServletRequestWrapper(req) {
          @Override
          public ServletInputStream getInputStream() throws IOException {
            return new Input(super.getInputStream(), sent);
          }
        },
        new HttpServletResponseWrapper(rsp) {
          @Override
          public ServletOutputStream getOutputStream() throws IOException {
            return new Output(super.getOutputStream(), taken);
          }
        });
  }

  private static final class Input extends ServletInputStream {
    private final ServletInputStream in;
    private final LeastDataRate rate;

    Input(ServletInputStream in, LeastDataRate rate) {
      this.in = in;
      this.rate = rate;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] dst, int offset, int length) throws IOException {
      return rate.of(() -> in.read(dst, offset, length));
    }

    @Override
    public int available() throws IOException {
      return in.available();
    }

    @Override
    public boolean isFinished() {
      return in.isFinished();
    }

    @Override
    public boolean isReady() {
      return in.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
      in.setReadListener(listener);
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  private static final class Output extends ServletOutputStream {
    private final ServletOutputStream out;
    private final LeastDataRate rate;

    Output(ServletOutputStream out, LeastDataRate rate) {
      this.out = out;
      this.rate = rate;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] src, int offset, int length) throws IOException {
      rate.of(
          () -> {
            out.write(src, offset, length);
            return length;
          });
    }

    @Override
    public void flush() throws IOException {
      rate.of(
          () -> {
            out.flush();
            return 0;
          });
    }

    @Override
    public boolean isReady() {
      return out.isReady();
    }

    @Override
    public void setWriteListener(WriteListener listener) {
      out.setWriteListener(listener);
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }
}

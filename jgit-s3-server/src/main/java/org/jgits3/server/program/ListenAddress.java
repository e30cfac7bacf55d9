// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.program;

import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code HOST:PORT}; an IPv6 address stands in brackets. */
final class ListenAddress implements ITypeConverter<InetSocketAddress> {
  private static final Pattern FORM =
      Pattern.compile("(?:\\[(?<six>[0-9a-fA-F:.%]+)\\]|(?<host>[^:\\[\\]]+)):(?<port>\\d{1,5})");

  @Override
  public InetSocketAddress convert(String value) {
    Matcher matcher = FORM.matcher(value);
    if (!matcher.matches() || Integer.parseInt(matcher.group("port")) > 0xffff) {
      throw new TypeConversionException("'" + value + "' is not HOST:PORT");
    }
    String host = matcher.group("six") == null ? matcher.group("host") : matcher.group("six");
    InetSocketAddress address =
        new InetSocketAddress(host, Integer.parseInt(matcher.group("port")));
    if (address.isUnresolved()) {
      throw new TypeConversionException("unknown host '" + host + "'");
    }
    return address;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import org.eclipse.jgit.util.StringUtils;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a size as Git's config does: a number of bytes, or of {@code k}, {@code m}, {@code g}. */
public final class ByteSize implements ITypeConverter<Long> {
  @Override
  public Long convert(String value) {
    try {
      long bytes = StringUtils.parseLongWithSuffix(value, true);
      if (bytes >= 0) {
        return bytes;
      }
    } catch (NumberFormatException | StringIndexOutOfBoundsException e) {
      throw new TypeConversionException("'" + value + "' is not a size such as 500m");
    }
    throw new TypeConversionException("'" + value + "' is less than 0");
  }
}

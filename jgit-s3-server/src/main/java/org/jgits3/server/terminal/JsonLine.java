// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import org.slf4j.event.KeyValuePair;

/**
 * Encodes an event of the log as one JSON object in a line: {@code time}, {@code level}, {@code
 * logger}, {@code message} with all causes, the values of the event, and the {@code stack} of its
 * exception if that is wanted.
 */
final class JsonLine extends EncoderBase<ILoggingEvent> {
  private final JsonFactory json = new JsonFactory().setCharacterEscapes(new JsonEscapes());
  private final boolean stacks;

  JsonLine(boolean stacks) {
    this.stacks = stacks;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    StringWriter line = new StringWriter();
    try (JsonGenerator out = json.createGenerator(line)) {
      write(event, out);
    } catch (IOException e) { // a StringWriter throws none
      throw new IllegalStateException("an event of the log cannot be encoded", e);
    }
    return line.append('\n').toString().getBytes(UTF_8);
  }

  private void write(ILoggingEvent event, JsonGenerator out) throws IOException {
    out.writeStartObject();
    out.writeStringField("time", event.getInstant().toString());
    out.writeStringField("level", event.getLevel().toString());
    out.writeStringField("logger", event.getLoggerName());
    out.writeStringField("message", OneLineMessage.text(event));
    List<KeyValuePair> values = event.getKeyValuePairs();
    if (values != null) {
      for (KeyValuePair pair : values) {
        write(pair, out);
      }
    }
    if (stacks && event.getThrowableProxy() != null) {
      out.writeStringField("stack", ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }
    out.writeEndObject();
  }

  private static void write(KeyValuePair pair, JsonGenerator out) throws IOException {
    if (pair.value instanceof Number number) {
      out.writeNumberField(pair.key, number.longValue());
    } else {
      out.writeStringField(pair.key, String.valueOf(pair.value));
    }
  }

  @Override
  public byte[] headerBytes() {
    return new byte[0];
  }

  @Override
  public byte[] footerBytes() {
    return new byte[0];
  }
}

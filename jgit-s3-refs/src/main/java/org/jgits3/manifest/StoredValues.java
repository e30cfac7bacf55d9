// SPDX-License-Identifier: Apache-2.0
package org.jgits3.manifest;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.Function;
import org.eclipse.jgit.lib.ObjectId;
import org.jgits3.internal.function.IoFunction;

/**
 * Stored form of the values of a manifest.
 *
 * <p>Collections and optional values are left out if they are empty, and may be null; everything
 * else must be there. Values are never converted: neither {@code "7"} nor {@code 7.0} is 7. Numbers
 * begin at 0, unless a field says otherwise. Records that come in great numbers are tuples, which
 * are arrays without field names.
 */
final class StoredValues {
  private static final Scalar<ObjectId> ID =
      new Scalar<>(JsonToken.VALUE_STRING, p -> ObjectId.fromString(p.getText()));

  /** Reads and writes JSON by these rules. */
  static final JsonMapper MAPPER = mapper();

  private StoredValues() {}

  private static JsonMapper mapper() {
    JsonMapper.Builder mapper =
        JsonMapper.builder(
                JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .defaultSetterInfo(JsonSetter.Value.construct(Nulls.FAIL, Nulls.FAIL))
            .addModules(new Jdk8Module(), scalars());
    for (Class<?> type :
        List.of(
            List.class, Set.class, SortedSet.class, Map.class, SortedMap.class, Optional.class)) {
      mapper.withConfigOverride(
          type,
          field ->
              field
                  .setSetterInfo(JsonSetter.Value.construct(Nulls.AS_EMPTY, Nulls.FAIL))
                  .setInclude(
                      JsonInclude.Value.construct(
                          JsonInclude.Include.NON_EMPTY, JsonInclude.Include.ALWAYS)));
    }
    return mapper.build();
  }

  private static SimpleModule scalars() {
    return new SimpleModule()
        .setDeserializerModifier(new TupleEnds())
        .addDeserializer(String.class, new Scalar<>(JsonToken.VALUE_STRING, JsonParser::getText))
        .addDeserializer(
            int.class,
            new Scalar<>(JsonToken.VALUE_NUMBER_INT, p -> (int) natural(p.getIntValue())))
        .addDeserializer(
            Long.class, new Scalar<>(JsonToken.VALUE_NUMBER_INT, p -> natural(p.getLongValue())))
        .addDeserializer(
            long.class, new Scalar<>(JsonToken.VALUE_NUMBER_INT, p -> natural(p.getLongValue())))
        .addDeserializer(ObjectId.class, ID)
        .addSerializer(ObjectId.class, new Text<>(ObjectId.class, ObjectId::name));
  }

  /** A number that may be negative. */
  static final class SignedLong extends Scalar<Long> {
    SignedLong() {
      super(JsonToken.VALUE_NUMBER_INT, JsonParser::getLongValue);
    }
  }

  /** A number that may be negative. */
  static final class SignedInt extends Scalar<Integer> {
    SignedInt() {
      super(JsonToken.VALUE_NUMBER_INT, JsonParser::getIntValue);
    }
  }

  /** A number that is -1 where there is none. */
  static final class Offset extends Scalar<Long> {
    Offset() {
      super(JsonToken.VALUE_NUMBER_INT, p -> natural(p.getLongValue()));
    }

    @Override
    public Long getEmptyValue(DeserializationContext context) {
      return -1L;
    }
  }

  /** A name from {@link ObjectNames#mint}. */
  static final class Minted extends Scalar<String> {
    Minted() {
      super(
          JsonToken.VALUE_STRING,
          p -> {
            ObjectNames.mintedAt(p.getText());
            return p.getText();
          });
    }
  }

  /** 32 hex digits. */
  static final class RepositoryId extends Scalar<String> {
    RepositoryId() {
      super(JsonToken.VALUE_STRING, p -> hex(p.getText(), 32));
    }
  }

  /** 64 hex digits. */
  static final class Sha256 extends Scalar<String> {
    Sha256() {
      super(JsonToken.VALUE_STRING, p -> hex(p.getText(), 64));
    }
  }

  /** An int that is stored as 8 hex digits. */
  @JacksonAnnotationsInside
  @JsonDeserialize(using = FromHex.class)
  @JsonSerialize(using = ToHex.class)
  @Retention(RetentionPolicy.RUNTIME)
  @interface HexInt {}

  private static final class FromHex extends Scalar<Integer> {
    FromHex() {
      super(JsonToken.VALUE_STRING, p -> HexFormat.fromHexDigits(hex(p.getText(), 8)));
    }
  }

  private static final class ToHex extends Text<Integer> {
    private static final long serialVersionUID = 1;

    ToHex() {
      super(Integer.class, StoredValues::hex);
    }
  }

  /** A value that is stored as text. */
  private static class Text<T> extends StdScalarSerializer<T> {
    private static final long serialVersionUID = 1;

    private final transient Function<T, String> text;

    Text(Class<T> type, Function<T, String> text) {
      super(type);
      this.text = text;
    }

    @Override
    public void serialize(T value, JsonGenerator json, SerializerProvider provider)
        throws IOException {
      json.writeString(text.apply(value));
    }
  }

  /** Null, an id, or the ids of a tag and its object. */
  static final class OverlayValue extends StdDeserializer<RefValue> {
    private static final long serialVersionUID = 1;

    OverlayValue() {
      super(RefValue.class);
    }

    @Override
    public RefValue getNullValue(DeserializationContext context) {
      return RefValue.DELETED;
    }

    @Override
    public RefValue deserialize(JsonParser json, DeserializationContext context)
        throws IOException {
      if (!json.isExpectedStartArrayToken()) {
        return new RefValue.Direct(ID.deserialize(json, context), Optional.empty());
      }
      json.nextToken();
      ObjectId tag = ID.deserialize(json, context);
      json.nextToken();
      ObjectId peeled = ID.deserialize(json, context);
      if (json.nextToken() != JsonToken.END_ARRAY) {
        throw new IllegalArgumentException("more than a tag and its object");
      }
      return new RefValue.Direct(tag, Optional.of(peeled));
    }
  }

  /** One token, as it is. */
  private static class Scalar<T> extends StdScalarDeserializer<T> {
    private static final long serialVersionUID = 1;

    private final JsonToken token;
    private final transient IoFunction<JsonParser, T> reading;

    Scalar(JsonToken token, IoFunction<JsonParser, T> reading) {
      super(Object.class);
      this.token = token;
      this.reading = reading;
    }

    @Override
    public T deserialize(JsonParser json, DeserializationContext context) throws IOException {
      if (!json.hasToken(token)) {
        String type = token == JsonToken.VALUE_STRING ? "text" : "number";
        return context.reportInputMismatch(this, "%s where a %s belongs", json.getText(), type);
      }
      return reading.apply(json);
    }
  }

  /** Refuses tuples with more values than this code knows, which Jackson would drop. */
  private static final class TupleEnds extends BeanDeserializerModifier {
    private static final long serialVersionUID = 1;

    @Override
    public JsonDeserializer<?> modifyDeserializer(
        DeserializationConfig config, BeanDescription type, JsonDeserializer<?> deserializer) {
      return type.getClassAnnotations().has(JsonFormat.class)
          ? new Tuple(deserializer, type.getBeanClass().getRecordComponents().length)
          : deserializer;
    }
  }

  private static final class Tuple extends DelegatingDeserializer {
    private static final long serialVersionUID = 1;

    private final int most;

    Tuple(JsonDeserializer<?> deserializer, int most) {
      super(deserializer);
      this.most = most;
    }

    @Override
    protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> contextual) {
      return new Tuple(contextual, most);
    }

    @Override
    public Object deserialize(JsonParser json, DeserializationContext context) throws IOException {
      JsonStreamContext array = json.getParsingContext();
      Object value = super.deserialize(json, context);
      if (array.getEntryCount() > most) {
        throw new IllegalArgumentException(
            array.getEntryCount() + " values, at most " + most + " belong there");
      }
      return value;
    }
  }

  static String hex(int crc32c) {
    return HexFormat.of().toHexDigits(crc32c);
  }

  private static String hex(String digits, int length) {
    if (digits.length() != length
        || !digits.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
      throw new IllegalArgumentException("not " + length + " hex digits: " + digits);
    }
    return digits;
  }

  private static long natural(long number) {
    if (number < 0) {
      throw new IllegalArgumentException("negative number " + number);
    }
    return number;
  }
}

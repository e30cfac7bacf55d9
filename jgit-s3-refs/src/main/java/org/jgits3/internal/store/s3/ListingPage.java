// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.store.s3;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jgits3.store.ListedObject;
import org.jgits3.store.ObjectVersion;

/**
 * One answer to a listing, read as it arrives. The SDK's parser builds a tree from it, and objects
 * with dates from the tree, which takes five times the processor time. It also takes other
 * documents, such as the page of a proxy, for an empty listing.
 *
 * @param objects the objects, with their whole keys
 * @param next token of the next page; empty on the last one
 */
record ListingPage(List<ListedObject> objects, Optional<String> next) {
  /**
   * Reads a page to its end.
   *
   * @param in the document, left open
   * @return the page
   * @throws IOException if the document breaks off, or is no listing
   */
  static ListingPage read(InputStream in) throws IOException {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    try {
      XMLStreamReader xml = factory.createXMLStreamReader(in);
      ListingPage page = page(xml);
      while (xml.hasNext()) {
        xml.next();
      }
      return page;
    } catch (XMLStreamException e) {
      Throwable reason = e.getNestedException() == null ? e : e.getNestedException();
      throw new IOException("no whole listing: " + oneLine(reason), reason);
    } catch (NumberFormatException e) {
      throw new IOException("no whole listing: " + oneLine(e), e);
    }
  }

  private static String oneLine(Throwable e) {
    return String.valueOf(e.getMessage()).replaceAll("\\s*\\R\\s*", " ");
  }

  private static ListingPage page(XMLStreamReader xml) throws XMLStreamException {
    List<ListedObject> objects = new ArrayList<>();
    Optional<Boolean> truncated = Optional.empty();
    Optional<String> next = Optional.empty();
    xml.nextTag();
    xml.require(XMLStreamConstants.START_ELEMENT, null, "ListBucketResult");
    while (xml.nextTag() == XMLStreamConstants.START_ELEMENT) {
      switch (xml.getLocalName()) {
        case "Contents" -> objects.add(object(xml));
        case "IsTruncated" -> truncated = Optional.of(Boolean.valueOf(xml.getElementText()));
        case "NextContinuationToken" ->
            next = Optional.of(xml.getElementText()).filter(text -> !text.isEmpty());
        default -> skip(xml);
      }
    }
    boolean more = truncated.orElse(next.isPresent());
    if (more && next.isEmpty()) {
      throw new XMLStreamException("it goes on, but has no token");
    }
    return new ListingPage(objects, more ? next : Optional.empty());
  }

  private static ListedObject object(XMLStreamReader xml) throws XMLStreamException {
    String key = "";
    long size = -1;
    Optional<ObjectVersion> version = Optional.empty();
    while (xml.nextTag() == XMLStreamConstants.START_ELEMENT) {
      switch (xml.getLocalName()) {
        case "Key" -> key = xml.getElementText();
        case "Size" -> size = Long.parseLong(xml.getElementText());
        case "ETag" -> version = Optional.of(new ObjectVersion(xml.getElementText()));
        default -> skip(xml);
      }
    }
    if (key.isEmpty() || size < 0) {
      throw new XMLStreamException("an object without key or size");
    }
    return new ListedObject(key, size, version);
  }

  private static void skip(XMLStreamReader xml) throws XMLStreamException {
    for (int depth = 1; depth > 0; ) {
      int event = xml.next();
      if (event == XMLStreamConstants.START_ELEMENT) {
        depth++;
      } else if (event == XMLStreamConstants.END_ELEMENT) {
        depth--;
      }
    }
  }
}

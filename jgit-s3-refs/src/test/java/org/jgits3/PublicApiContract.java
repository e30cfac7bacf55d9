// SPDX-License-Identifier: Apache-2.0
package org.jgits3;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The public API of a module is recorded in a file, which a change of the API changes too. {@code
 * -Dapi.update=true} writes it anew.
 */
public abstract class PublicApiContract {
  private static final Path RECORDED = Path.of("src/api/api.txt");

  private static final String INTERNAL = "org.jgits3.internal.";

  /** Public classes outside of internal packages, sorted by name. */
  private static final List<Class<?>> API = classes();

  private static final int SHOWN =
      Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.FINAL | Modifier.ABSTRACT;

  private static final Pattern THROWS = Pattern.compile("\\* @throws ([\\w.]+)");

  /** Types that no embedder should need to name. */
  private static final Pattern HIDDEN =
      Pattern.compile("org\\.jgits3\\.internal\\.[\\w.$]+|software\\.amazon\\.[\\w.$]+");

  private final Set<String> forTheProject;

  /**
   * Checks the module whose tests run.
   *
   * @param forTheProject members that name such types and are no part of the API
   */
  protected PublicApiContract(Set<String> forTheProject) {
    this.forTheProject = forTheProject;
  }

  @Test
  void public_classes_and_members_are_those_that_are_recorded() throws IOException {
    List<String> api =
        API.stream()
            .flatMap(type -> Stream.concat(Stream.of(head(type)), members(type)))
            .filter(line -> !line.contains(INTERNAL))
            .toList();
    if (Boolean.getBoolean("api.update")) {
      Files.write(RECORDED, api);
    }
    assertThat(api)
        .as(
            "%s is the public API. If the change is meant, write it anew with"
                + " -Dtest=PublicApiTest -Dapi.update=true, and note it in CHANGELOG.md",
            RECORDED)
        .isEqualTo(Files.readAllLines(RECORDED));
  }

  @Test
  void public_signatures_name_nothing_that_is_internal_or_of_the_sdk() {
    Set<String> found = new TreeSet<>();
    for (Class<?> type : API) {
      if (HIDDEN.matcher(head(type)).find()) {
        found.add(type.getName());
      }
      offered(type)
          .filter(member -> HIDDEN.matcher(line(type, member)).find())
          .forEach(member -> found.add(type.getName() + "." + name(member)));
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(forTheProject);
  }

  @Test
  void public_documentation_tells_of_public_exceptions_only() throws IOException {
    Path sources = Path.of("src/main/java");
    Set<String> found = new TreeSet<>();
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String source = Files.readString(file);
        if (file.toString().contains("/internal/") || !source.contains("\npublic ")) {
          continue;
        }
        for (MatchResult thrown : THROWS.matcher(source).results().toList()) {
          String type = thrown.group(1);
          String outermost = type.replaceFirst("\\..*", "");
          Pattern hidden =
              Pattern.compile("import " + Pattern.quote(INTERNAL) + ".*\\b" + outermost + ";");
          if (type.contains(".internal.") || hidden.matcher(source).find()) {
            found.add(file.getFileName() + ": " + type);
          }
        }
      }
    }
    assertThat(found).isEmpty();
  }

  private static String name(Member member) {
    return member instanceof Constructor ? "<init>" : member.getName();
  }

  private static List<Class<?>> classes() {
    return new ClassFileImporter()
        .importPath("target/classes").stream()
            .filter(each -> !each.getName().startsWith(INTERNAL))
            .sorted((a, b) -> a.getName().compareTo(b.getName()))
            .<Class<?>>map(JavaClass::reflect)
            .filter(PublicApiContract::isReachable)
            .toList();
  }

  private static boolean isReachable(Class<?> type) {
    return isVisible(type.getModifiers())
        && (type.getDeclaringClass() == null
            ? !type.isAnonymousClass() && !type.isLocalClass()
            : isReachable(type.getDeclaringClass()));
  }

  private static boolean isVisible(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  private static Stream<String> members(Class<?> type) {
    return offered(type).map(member -> "  " + line(type, member)).sorted();
  }

  private static String line(Class<?> type, Member member) {
    String line =
        member instanceof Field field
            ? field.toGenericString()
            : ((Executable) member).toGenericString();
    return member instanceof Constructor ? line : line.replace(" " + type.getName() + ".", " ");
  }

  /** Members that another program can use, but those that every object has. */
  private static Stream<Member> offered(Class<?> type) {
    Stream<Method> methods =
        Arrays.stream(type.getDeclaredMethods()).filter(method -> !isOfObject(method));
    return Stream.of(
            Arrays.stream(type.getDeclaredFields()),
            Arrays.stream(type.getDeclaredConstructors()),
            methods)
        .<Member>flatMap(members -> members)
        .filter(member -> isOffered(type, member));
  }

  /** Tests whether another program can use a member: a protected one in a subclass of its own. */
  private static boolean isOffered(Class<?> type, Member member) {
    boolean inherited = !Modifier.isFinal(type.getModifiers()) && !type.isSealed();
    return !member.isSynthetic()
        && (Modifier.isPublic(member.getModifiers())
            || (Modifier.isProtected(member.getModifiers()) && inherited));
  }

  private static boolean isOfObject(Executable method) {
    return Arrays.stream(Object.class.getDeclaredMethods())
        .anyMatch(
            each ->
                each.getName().equals(method.getName())
                    && Arrays.equals(each.getParameterTypes(), method.getParameterTypes()));
  }

  /** Not {@link Class#toGenericString}, which says more in later versions of Java. */
  private static String head(Class<?> type) {
    String kind = type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
    String head =
        Modifier.toString(type.getModifiers() & SHOWN)
            + (type.isInterface() ? " interface " : " " + kind + " ")
            + type.getName()
            + names("<", type.getTypeParameters(), ">");
    if (type.getGenericSuperclass() != null && type.getSuperclass() != Object.class) {
      head += " extends " + type.getGenericSuperclass().getTypeName();
    }
    return head + names(" implements ", type.getGenericInterfaces(), "");
  }

  private static String names(String before, Type[] types, String after) {
    return types.length == 0
        ? ""
        : Arrays.stream(types).map(Type::getTypeName).collect(joining(", ", before, after));
  }
}

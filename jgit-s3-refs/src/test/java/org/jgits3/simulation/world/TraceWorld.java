// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation.world;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jgits3.internal.function.IoConsumer;
import org.jgits3.manifest.ObjectNames;
import org.jgits3.manifest.RepositoryName;
import org.jgits3.simulation.Scheduler;
import org.jgits3.simulation.Trace;
import org.jgits3.simulation.world.SteppedClient.Request;

/**
 * Takes traces of the models of commits and of names to the library, request by request. Before the
 * request of a step, its process sends those that change nothing. If the library never sends that
 * request, because of the rule that the trace is without, the process ends its operation. After the
 * last step all processes go on, or all die.
 */
public final class TraceWorld extends NamesWorld {
  /** The repository with the ref that is the value of the model of commits. */
  private static final String REGISTER = "a";

  private static final String ANY = "any";

  /** A process and its step, or a step of the store and the process whose request it concerns. */
  private static final Pattern STEP =
      Pattern.compile("(?:store: )?(\\w+)(?:\\.\\d+)?(?: \\w+)?:? (.*)");

  private static final Pattern VERB =
      Pattern.compile(
          "((?:re)?reads (?:pointer|manifest|gen)|is refused|-> \\d+|no answer|\\w+).*");

  private static final Pattern OBJECT = Pattern.compile("(pointer|manifest) (\\w+)");

  private final Map<String, Session> sessions = new HashMap<>();
  private final Map<String, Operation> operations = new LinkedHashMap<>();

  /** Ids of repositories by their numbers in the trace. */
  private final Map<String, String> ids = new HashMap<>();

  /** Whether its process reads what a step reads again before it writes, and not at once. */
  private boolean readsAgain;

  /** The operation that was last left without an answer. */
  private Operation unanswered;

  /** An operation of a process, which begins at its first step. */
  private final class Operation {
    private final String process;
    private final IoConsumer<Session> work;
    private SteppedClient client;

    /** Its last write of a manifest, of which copies may be on the way. */
    private Request write;

    Operation(String process, IoConsumer<Session> work) {
      this.process = process;
      this.work = work;
    }

    SteppedClient client() {
      if (client == null) {
        Session session =
            sessions.computeIfAbsent(
                process, any -> new Session(new SteppedClient(bucket, process(0))));
        client = (SteppedClient) session.client;
        client.idle(false);
        start(client.process(), 1, () -> run(session));
      }
      return client;
    }

    private void run(Session session) {
      try {
        work.accept(session);
      } catch (IOException e) {
        scheduler.trace(e::toString);
      }
      client.idle(true);
    }

    void die() {
      scheduler.kill(client().process());
      sessions.remove(process);
    }
  }

  /** Makes a world. */
  public TraceWorld() {}

  @Override
  public void replay(Scheduler of, Trace trace, boolean die) throws Exception {
    begin(of, "op");
    deadline = Duration.ofSeconds(20);
    remembered = Integer.MAX_VALUE;
    Session setup = new Session(new Client(bucket, process(0)));
    if (trace.given().toString().contains(": set ")) {
      create(setup.client, REGISTER);
      set(setup, REGISTER, ANY, "0");
    }
    for (String each : trace.given()) {
      given(setup, each.replace(":", "").split(" ", -1));
    }
    List<String> steps = trace.steps();
    for (int i = 0; i < steps.size(); i++) {
      String step = steps.get(i);
      scheduler.trace(() -> "step: " + step);
      readsAgain = readsAgain(step, steps.subList(i + 1, steps.size()));
      take(setup, step);
    }
    for (Operation each : operations.values()) {
      if (!die) {
        each.client().sendWhile(any -> true);
      } else if (each.client != null) {
        each.die();
      }
    }
    end();
    check(new Client(bucket, process(0)));
  }

  private void given(Session setup, String[] words) throws IOException {
    String last = words[words.length - 1];
    switch (words[1]) {
      case "of" -> remembered = Integer.parseInt(last);
      case "tidy" -> operations.put(words[0], operations.get(words[3])); // its last step
      case "a", "b", "c" -> {
        switch (words.length == 2 ? "" : words[2]) {
          case "template" -> importing(setup, words[1], true);
          case "fork" -> fork(setup, last, words[1]);
          default -> create(setup.client, words[1]);
        }
        ids.put(words[0], history.naming().holder(words[1]));
      }
      default -> {
        String process = words[0].substring(0, 1); // W0 and W1 are operations of one
        operations.put(words[0], new Operation(process, operation(words, last)));
      }
    }
  }

  private IoConsumer<Session> operation(String[] words, String last) {
    return switch (words[1]) {
      case "set" -> s -> set(s, REGISTER, words[2], last);
      case "create" -> s -> create(s.client, last);
      case "rename" -> s -> rename(s.client, Optional.empty(), words[3], last);
      case "delete" -> s -> delete(s.client, Optional.empty(), last);
      case "look" -> s -> look(last, committer(s, last));
      case "fork" -> s -> fork(s, words[2], last);
      case "import", "template" -> s -> importing(s, last, words[1].equals("template"));
      case "sweep", "reap" -> s -> sweep(s, ids.get(last), Duration.ZERO);
      case "release" -> s -> catalog(s.client).release(name(last));
      case "push" -> s -> set(s, nameOf(last), ANY, "0");
      default -> s -> {}; // nothing that the library does
    };
  }

  private String nameOf(String number) {
    return Names.name(history.naming().manifest(ids.get(number))).orElseThrow();
  }

  private void fork(Session session, String template, String name) throws IOException {
    fork(session, committer(session, nameOf(template)).validate(), name);
  }

  private void set(Session session, String name, String from, String to) {
    String expected = from.equals(ANY) ? null : value(Integer.parseInt(from));
    update(
        name,
        committer(session, name),
        List.of(new History.Change("refs/heads/0", expected, value(Integer.parseInt(to)))));
  }

  private void take(Session setup, String step) {
    Matcher words = STEP.matcher(step);
    if (step.startsWith("stranger")) {
      set(new Session(setup.client), REGISTER, ANY, step.replaceAll(".* val (\\d).*", "$1"));
    } else if (step.startsWith("store: a copy")) {
      unanswered.write.deliver();
    } else if (words.matches() && operations.containsKey(words.group(1))) {
      take(operations.get(words.group(1)), words.group(2));
    } else {
      throw new IllegalArgumentException(step);
    }
  }

  private static boolean readsAgain(String step, List<String> later) {
    String process = step.split(":", 2)[0];
    String read = step.replaceAll("^([^:]*:[^:]*).*", "$1");
    return later.stream()
        .filter(each -> each.startsWith(process))
        .takeWhile(each -> each.contains(": reads "))
        .anyMatch(each -> each.startsWith(read));
  }

  private void take(Operation operation, String step) {
    SteppedClient client = operation.client();
    Predicate<Request> concerned = concerned(step);
    Predicate<Request> write = request -> request.isWrite() && concerned.test(request);
    Predicate<Request> read = request -> request.kind.equals("GET") && concerned.test(request);
    switch (VERB.matcher(step).replaceAll("$1")) {
      case "reads pointer", "reads manifest" -> {
        boolean absent = step.endsWith(": nothing"); // which a listing shows, too
        String kind = step.split(" ", -1)[1];
        client.sendWhile(
            request ->
                !request.changes() && !read.test(request) && !(absent && client.hasListed(kind)));
        client.next().filter(read).ifPresent(any -> client.send());
        client.sendWhile(request -> !readsAgain && read.test(request));
      }
      case "reads gen", "rereads gen" -> client.sendWhile(write.negate());
      case "writes" -> client.sendUpTo(write.and(Request::changes));
      case "is refused", "-> 412", "-> 200" -> client.sendUpTo(write);
      case "DELETE", "DELETES" -> client.sendUpTo(request -> request.kind.equals("DELETE"));
      case "no answer", "-> 409" -> {
        client.sendWhile(write.negate());
        client.sendWithoutAnswer(0);
        unanswered = operation;
      }
      case "deadline" -> client.sendWithoutAnswer(2 * deadline.toNanos());
      case "dies" -> operation.die();
      case "applied" -> operation.write.deliver();
      case "uploads" -> {} // on the way to the next write
      default -> throw new IllegalArgumentException(step);
    }
    client.next().filter(Request::isWrite).ifPresent(request -> operation.write = request);
  }

  /** Tests whether a request concerns the object that a step names; any manifest if none. */
  private Predicate<Request> concerned(String step) {
    Matcher object = OBJECT.matcher(step);
    if (!object.find()) {
      return request -> ObjectNames.repositoryIdOfManifest(request.key).isPresent();
    }
    String called = object.group(2);
    return object.group(1).equals("pointer")
        ? request -> RepositoryName.fromPointerKey(request.key).equals(Optional.of(name(called)))
        : request ->
            ObjectNames.repositoryIdOfManifest(request.key)
                .filter(id -> is(called, id))
                .isPresent();
  }

  /**
   * Tests whether a number stands for an id. One that stood for none before does so from now on.
   */
  private boolean is(String number, String id) {
    if (!ids.containsValue(id)) {
      ids.putIfAbsent(number, id);
    }
    return id.equals(ids.get(number));
  }
}

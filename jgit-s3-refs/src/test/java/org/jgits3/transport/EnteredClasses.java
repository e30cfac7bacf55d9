// SPDX-License-Identifier: Apache-2.0
package org.jgits3.transport;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.Method;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.connect.VMStartException;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.VMDeathEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequestManager;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Classes whose methods a program enters between calls of {@link #begin} and {@link #end}, in
 * whatever thread. The program runs in a JVM of its own, under a debugger. Its classes are those
 * that are loaded when a count begins, so it does everything once before. A nested class counts as
 * the class around it.
 */
public final class EnteredClasses {
  private final VirtualMachine machine;
  private final Predicate<String> counted;
  private final Map<String, List<BreakpointRequest>> unentered = new HashMap<>();
  private final List<NavigableSet<String>> counts = new ArrayList<>();

  private EnteredClasses(VirtualMachine machine, Predicate<String> counted) {
    this.machine = machine;
    this.counted = counted;
  }

  /** Begins a count. Called by the program. */
  public static void begin() {}

  /** Ends the count. Called by the program. */
  public static void end() {}

  /**
   * Runs a program to its end.
   *
   * @param program its main class
   * @param argument argument of the program, without spaces
   * @param counted tells by its name whether a class counts
   * @return names of the classes in each count
   */
  public static List<NavigableSet<String>> of(
      Class<?> program, String argument, Predicate<String> counted)
      throws IOException, InterruptedException {
    LaunchingConnector launching = Bootstrap.virtualMachineManager().defaultConnector();
    Map<String, Connector.Argument> options = launching.defaultArguments();
    options.get("main").setValue(program.getName() + " " + argument);
    options
        .get("options")
        .setValue("-XX:TieredStopAtLevel=1 -cp " + System.getProperty("java.class.path"));
    VirtualMachine machine;
    try {
      machine = launching.launch(options);
    } catch (IllegalConnectorArgumentsException | VMStartException e) {
      throw new IOException(e);
    }
    Process process = machine.process();
    try {
      show(process.getInputStream());
      show(process.getErrorStream());
      EnteredClasses entered = new EnteredClasses(machine, counted);
      entered.follow();
      return entered.counts;
    } finally {
      process.destroyForcibly();
    }
  }

  private static void show(InputStream from) {
    PrintStream to = System.err;
    Thread copying =
        new Thread(
            () -> {
              try {
                from.transferTo(to);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    copying.setDaemon(true);
    copying.start();
  }

  private void follow() throws InterruptedException {
    ClassPrepareRequest own = requests().createClassPrepareRequest();
    own.addClassFilter(getClass().getName());
    own.enable();
    while (true) {
      EventSet events = machine.eventQueue().remove();
      for (Event event : events) {
        if (event instanceof VMDeathEvent) {
          return;
        } else if (event instanceof ClassPrepareEvent prepared) {
          stopAt(prepared.referenceType());
        } else if (event instanceof BreakpointEvent stop) {
          entered(stop.location().method());
        }
      }
      events.resume();
    }
  }

  private EventRequestManager requests() {
    return machine.eventRequestManager();
  }

  private List<BreakpointRequest> stopAt(ReferenceType type) {
    List<BreakpointRequest> stops = new ArrayList<>();
    for (Method method : type.methods()) {
      if (method.location() != null) { // not abstract
        BreakpointRequest stop = requests().createBreakpointRequest(method.location());
        stop.enable();
        stops.add(stop);
      }
    }
    return stops;
  }

  private void entered(Method method) {
    String type = method.declaringType().name();
    if (type.equals(getClass().getName())) {
      bound(method.name());
    } else if (unentered.containsKey(type)) {
      counts.get(counts.size() - 1).add(type.replaceFirst("\\$.*", ""));
      requests().deleteEventRequests(unentered.remove(type));
    }
  }

  private void bound(String name) {
    if (name.equals("begin")) {
      counts.add(new TreeSet<>());
      for (ReferenceType type : machine.allClasses()) {
        if (counted.test(type.name()) && type.isPrepared()) {
          unentered.put(type.name(), stopAt(type));
        }
      }
    } else if (name.equals("end")) {
      unentered.values().forEach(requests()::deleteEventRequests);
      unentered.clear();
    }
  }
}

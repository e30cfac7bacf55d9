// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

import static org.objectweb.asm.Opcodes.ACONST_NULL;
import static org.objectweb.asm.Opcodes.ASM9;
import static org.objectweb.asm.Opcodes.CHECKCAST;
import static org.objectweb.asm.Opcodes.ICONST_0;
import static org.objectweb.asm.Opcodes.ICONST_1;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.objectweb.asm.Opcodes.LCONST_0;
import static org.objectweb.asm.Opcodes.POP;
import static org.objectweb.asm.Opcodes.POP2;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Type;

/**
 * A fault that is put into a copy of the library: some calls in some methods are left out, answered
 * with a constant, or go elsewhere.
 *
 * @param name model case or rule
 * @param breaks what goes wrong because of it
 * @param world name of the world that shows it
 * @param edits places that are changed
 */
record Mutation(String name, String breaks, String world, List<Edit> edits) {
  /** The library as it is. */
  static final Mutation NONE = new Mutation("none", "nothing", "", List.of());

  /** Answer of an edited call. */
  enum Answer {
    /** Nothing is called, and the answer is false, zero or null. */
    NOTHING,
    /** Nothing is called, and the answer is true. */
    TRUE,
    /** Nothing is called, and the answer is the first argument: the receiver, if there is one. */
    FIRST,
    /** The method of this name in {@code world.Faults} is called instead. */
    ELSEWHERE
  }

  /**
   * An edited call.
   *
   * @param type name of the class, without {@code org.jgits3.}
   * @param method method of it with the call; lambdas in it count too
   * @param call name of the called method; with {@code #N} only the Nth call of it, from 1
   * @param answer what it answers
   * @param elsewhere method that is called instead, or empty
   */
  record Edit(String type, String method, String call, Answer answer, String elsewhere) {
    /**
     * Tests whether calls in a method of the class are edited: in the method, or a lambda in it.
     */
    boolean concerns(String name) {
      return name.equals(method) || name.startsWith("lambda$" + method + "$");
    }
  }

  static Mutation of(String world, String name, String breaks) {
    return new Mutation(name, breaks, world, List.of());
  }

  Mutation with(String type, String method, String call, Answer answer) {
    return plus(new Edit("org.jgits3." + type, method, call, answer, ""));
  }

  Mutation elsewhere(String type, String method, String call, String fault) {
    return plus(new Edit("org.jgits3." + type, method, call, Answer.ELSEWHERE, fault));
  }

  private Mutation plus(Edit edit) {
    List<Edit> all = new ArrayList<>(edits);
    all.add(edit);
    return new Mutation(name, breaks, world, all);
  }

  boolean concerns(String type) {
    return edits.stream().anyMatch(edit -> edit.type().equals(type));
  }

  UnaryOperator<MethodVisitor> edit(String type, String method) {
    List<Edit> here =
        edits.stream().filter(e -> e.type().equals(type)).filter(e -> e.concerns(method)).toList();
    return here.isEmpty() ? UnaryOperator.identity() : to -> new Editing(to, here);
  }

  @Override
  public String toString() {
    return name + ": " + breaks;
  }

  /** Changes calls of one method. */
  private static final class Editing extends MethodVisitor {
    private final List<Edit> edits;
    private final List<AtomicInteger> seen;

    Editing(MethodVisitor to, List<Edit> edits) {
      super(ASM9, to);
      this.edits = edits;
      this.seen = edits.stream().map(e -> new AtomicInteger()).toList();
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String method, String descriptor, boolean isInterface) {
      for (int i = 0; i < edits.size(); i++) {
        String[] call = edits.get(i).call().split("#", -1);
        if (call[0].equals(method)
            && (seen.get(i).incrementAndGet() == 0
                || call.length == 1
                || seen.get(i).get() == Integer.parseInt(call[1]))) {
          replace(edits.get(i), opcode, owner, descriptor);
          return;
        }
      }
      super.visitMethodInsn(opcode, owner, method, descriptor, isInterface);
    }

    private void replace(Edit edit, int opcode, String owner, String descriptor) {
      List<Type> arguments = new ArrayList<>(List.of(Type.getArgumentTypes(descriptor)));
      if (opcode != INVOKESTATIC) {
        arguments.add(0, Type.getObjectType(owner));
      }
      Type result = Type.getReturnType(descriptor);
      if (edit.answer() == Answer.ELSEWHERE) {
        Type[] erased = arguments.stream().map(Editing::erased).toArray(Type[]::new);
        super.visitMethodInsn(
            INVOKESTATIC,
            "org/jgits3/simulation/world/Faults",
            edit.elsewhere(),
            Type.getMethodDescriptor(erased(result), erased),
            false);
        if (!erased(result).equals(result)) {
          super.visitTypeInsn(CHECKCAST, result.getInternalName());
        }
        return;
      }
      int kept = edit.answer() == Answer.FIRST ? 1 : 0;
      for (int i = arguments.size(); i > kept; i--) {
        super.visitInsn(arguments.get(i - 1).getSize() == 2 ? POP2 : POP);
      }
      if (kept == 0) {
        constant(result, edit.answer() == Answer.TRUE);
      }
    }

    /** The type by which {@code world.Faults}, which sees no hidden types, takes it. */
    private static Type erased(Type type) {
      return type.getSort() == Type.OBJECT && type.getInternalName().startsWith("org/jgits3/")
          ? Type.getType(Object.class)
          : type;
    }

    private void constant(Type type, boolean one) {
      switch (type.getSort()) {
        case Type.VOID -> {}
        case Type.LONG -> super.visitInsn(LCONST_0);
        case Type.OBJECT, Type.ARRAY -> super.visitInsn(ACONST_NULL);
        default -> super.visitInsn(one ? ICONST_1 : ICONST_0);
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.jgits3.simulation;

import static org.objectweb.asm.Opcodes.ACC_ABSTRACT;
import static org.objectweb.asm.Opcodes.ACC_FINAL;
import static org.objectweb.asm.Opcodes.ACC_INTERFACE;
import static org.objectweb.asm.Opcodes.ACC_NATIVE;
import static org.objectweb.asm.Opcodes.ACC_PRIVATE;
import static org.objectweb.asm.Opcodes.ACC_PUBLIC;
import static org.objectweb.asm.Opcodes.ACC_STATIC;
import static org.objectweb.asm.Opcodes.ACC_SYNCHRONIZED;
import static org.objectweb.asm.Opcodes.ACC_SYNTHETIC;
import static org.objectweb.asm.Opcodes.ACC_TRANSIENT;
import static org.objectweb.asm.Opcodes.ALOAD;
import static org.objectweb.asm.Opcodes.ASM9;
import static org.objectweb.asm.Opcodes.ATHROW;
import static org.objectweb.asm.Opcodes.DOUBLE;
import static org.objectweb.asm.Opcodes.FLOAT;
import static org.objectweb.asm.Opcodes.F_NEW;
import static org.objectweb.asm.Opcodes.GETFIELD;
import static org.objectweb.asm.Opcodes.GETSTATIC;
import static org.objectweb.asm.Opcodes.IFNE;
import static org.objectweb.asm.Opcodes.INTEGER;
import static org.objectweb.asm.Opcodes.INVOKESPECIAL;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.objectweb.asm.Opcodes.IRETURN;
import static org.objectweb.asm.Opcodes.LONG;
import static org.objectweb.asm.Opcodes.MONITORENTER;
import static org.objectweb.asm.Opcodes.MONITOREXIT;
import static org.objectweb.asm.Opcodes.PUTFIELD;
import static org.objectweb.asm.Opcodes.SWAP;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * A copy of the library, and of JGit's {@code dfs}, whose calls to threads, locks, clocks and
 * random numbers go to {@link Calls}, which keeps what weak references refer to. Constants that
 * bound a manifest are smaller, as in the models, so that few steps reach them. A copy may have a
 * fault put into it.
 */
final class SimulatedCode extends ClassLoader {
  private static final String CALLS = Type.getInternalName(Calls.class);
  private static final String HASH = "number$";
  private static final String WORLD = "org.jgits3.simulation.world.";
  private static final Map<String, byte[]> UNCHANGED = new ConcurrentHashMap<>();

  /** Names of methods of {@link Calls} and their descriptors: calls of these are redirected. */
  private static final Map<String, String> REDIRECTED = redirected();

  private final Mutation mutation;

  static {
    registerAsParallelCapable();
  }

  SimulatedCode(Mutation mutation) {
    super(SimulatedCode.class.getClassLoader());
    this.mutation = mutation;
  }

  private static Map<String, String> redirected() {
    Map<String, String> all = new HashMap<>();
    for (Method method : Calls.class.getDeclaredMethods()) {
      if (Modifier.isPublic(method.getModifiers())) {
        all.put(method.getName() + Type.getMethodDescriptor(method), method.getName());
      }
    }
    return all;
  }

  /** Makes a world of this code. */
  World world(String name) throws ReflectiveOperationException {
    return (World) loadClass(WORLD + name).getDeclaredConstructor().newInstance();
  }

  private static boolean isSimulated(String name) {
    return name.startsWith("org.eclipse.jgit.internal.storage.dfs.")
        || name.startsWith("org.eclipse.jgit.internal.fsck.") // which uses it
        || (name.startsWith("org.jgits3.") && !name.startsWith("org.jgits3.simulation."))
        || name.startsWith(WORLD);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!isSimulated(name)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    byte[] code =
        mutation.concerns(name)
            ? rewritten(name, mutation)
            : UNCHANGED.computeIfAbsent(name, any -> rewritten(name, Mutation.NONE));
    if (code.length == 0) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, code, 0, code.length);
  }

  private static byte[] rewritten(String name, Mutation mutation) {
    try (InputStream in =
        SimulatedCode.class
            .getClassLoader()
            .getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        return new byte[0];
      }
      ClassReader reader = new ClassReader(in);
      ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
      reader.accept(new Rewriting(writer, name, mutation), ClassReader.EXPAND_FRAMES);
      return writer.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Rewrites a class. */
  private static final class Rewriting extends ClassVisitor {
    private final String name;
    private final Mutation mutation;
    private final List<Locked> locked = new ArrayList<>();

    /** True if its objects have hash codes of their content, or of a superclass. */
    private boolean hashed;

    /** A synchronized method, whose body has another name now. */
    private record Locked(int access, String name, String descriptor, List<String> exceptions) {}

    Rewriting(ClassWriter writer, String name, Mutation mutation) {
      super(ASM9, writer);
      this.name = name;
      this.mutation = mutation;
    }

    private String internalName() {
      return name.replace('.', '/');
    }

    @Override
    public void visit(
        int version,
        int access,
        String type,
        String signature,
        String parent,
        String[] interfaces) {
      hashed = (access & ACC_INTERFACE) != 0 || !parent.equals("java/lang/Object");
      super.visit(version, access, type, signature, parent, interfaces);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String method, String descriptor, String signature, String[] exceptions) {
      hashed |= method.equals("hashCode") && descriptor.equals("()I");
      boolean wrap = (access & ACC_SYNCHRONIZED) != 0 && (access & ACC_NATIVE) == 0;
      int open = access & ~ACC_SYNCHRONIZED;
      String body = method;
      if (wrap) {
        List<String> thrown = exceptions == null ? List.of() : List.of(exceptions);
        locked.add(new Locked(open, method, descriptor, thrown));
        body = locked(method);
        open = (open & ~(ACC_PUBLIC | 4 | ACC_FINAL)) | ACC_PRIVATE | ACC_SYNTHETIC;
      }
      MethodVisitor plain = super.visitMethod(open, body, descriptor, signature, exceptions);
      if ((access & (ACC_ABSTRACT | ACC_NATIVE)) != 0) {
        return plain;
      }
      UnaryOperator<MethodVisitor> edit = mutation.edit(name, method);
      return edit.apply(new Small(name, method, new Redirecting(plain)));
    }

    private static String locked(String method) {
      return method + "$locked";
    }

    @Override
    public void visitEnd() {
      for (Locked each : locked) {
        wrapper(each);
      }
      if (!hashed) {
        hash();
      }
      super.visitEnd();
    }

    /** Numbers the objects, since the order in sets must not depend on where objects are. */
    private void hash() {
      super.visitField(ACC_PRIVATE | ACC_SYNTHETIC | ACC_TRANSIENT, HASH, "I", null, null)
          .visitEnd();
      MethodVisitor to =
          super.visitMethod(ACC_PUBLIC | ACC_SYNTHETIC, "hashCode", "()I", null, null);
      Label known = new Label();
      to.visitCode();
      to.visitVarInsn(ALOAD, 0);
      to.visitFieldInsn(GETFIELD, internalName(), HASH, "I");
      to.visitJumpInsn(IFNE, known);
      to.visitVarInsn(ALOAD, 0);
      to.visitMethodInsn(INVOKESTATIC, CALLS, "number", "()I", false);
      to.visitFieldInsn(PUTFIELD, internalName(), HASH, "I");
      to.visitLabel(known);
      to.visitFrame(F_NEW, 1, new Object[] {internalName()}, 0, new Object[0]);
      to.visitVarInsn(ALOAD, 0);
      to.visitFieldInsn(GETFIELD, internalName(), HASH, "I");
      to.visitInsn(IRETURN);
      to.visitMaxs(0, 0);
      to.visitEnd();
    }

    private void wrapper(Locked each) {
      boolean isStatic = (each.access() & ACC_STATIC) != 0;
      MethodVisitor to =
          super.visitMethod(
              each.access(),
              each.name(),
              each.descriptor(),
              null,
              each.exceptions().toArray(String[]::new));
      Label start = new Label();
      Label end = new Label();
      Label failed = new Label();
      to.visitCode();
      to.visitTryCatchBlock(start, end, failed, null);
      lock(to, isStatic, "enter");
      to.visitLabel(start);
      List<Object> locals = new ArrayList<>();
      int slot = 0;
      if (!isStatic) {
        locals.add(internalName());
        to.visitVarInsn(ALOAD, slot++);
      }
      for (Type type : Type.getArgumentTypes(each.descriptor())) {
        locals.add(frameType(type));
        to.visitVarInsn(type.getOpcode(Opcodes.ILOAD), slot);
        slot += type.getSize();
      }
      to.visitMethodInsn(
          isStatic ? INVOKESTATIC : INVOKESPECIAL,
          internalName(),
          locked(each.name()),
          each.descriptor(),
          false);
      to.visitLabel(end);
      lock(to, isStatic, "exit");
      to.visitInsn(Type.getReturnType(each.descriptor()).getOpcode(IRETURN));
      to.visitLabel(failed);
      to.visitFrame(
          F_NEW, locals.size(), locals.toArray(), 1, new Object[] {"java/lang/Throwable"});
      lock(to, isStatic, "exit");
      to.visitInsn(ATHROW);
      to.visitMaxs(0, 0);
      to.visitEnd();
    }

    private void lock(MethodVisitor to, boolean isStatic, String what) {
      if (isStatic) {
        to.visitLdcInsn(Type.getObjectType(internalName()));
      } else {
        to.visitVarInsn(ALOAD, 0);
      }
      to.visitMethodInsn(INVOKESTATIC, CALLS, what, "(Ljava/lang/Object;)V", false);
    }

    private static Object frameType(Type type) {
      return switch (type.getSort()) {
        case Type.LONG -> LONG;
        case Type.DOUBLE -> DOUBLE;
        case Type.FLOAT -> FLOAT;
        case Type.OBJECT, Type.ARRAY -> type.getInternalName();
        default -> INTEGER;
      };
    }
  }

  /** Directs calls to {@link Calls}. */
  private static final class Redirecting extends MethodVisitor {
    Redirecting(MethodVisitor to) {
      super(ASM9, to);
    }

    @Override
    public void visitInsn(int opcode) {
      if (opcode == MONITORENTER || opcode == MONITOREXIT) {
        String what = opcode == MONITORENTER ? "enter" : "exit";
        super.visitMethodInsn(INVOKESTATIC, CALLS, what, "(Ljava/lang/Object;)V", false);
      } else {
        super.visitInsn(opcode);
      }
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String method, String descriptor, boolean isInterface) {
      boolean jdk = owner.startsWith("java/");
      if (jdk && owner.equals("java/util/SplittableRandom") && descriptor.equals("()V")) {
        super.visitMethodInsn(INVOKESTATIC, CALLS, "seed", "()J", false);
        super.visitMethodInsn(opcode, owner, method, "(J)V", isInterface);
        return;
      }
      if (owner.equals("java/lang/ref/WeakReference") && method.equals("<init>")) {
        boolean queued = Type.getArgumentTypes(descriptor).length == 2;
        swapIf(queued);
        super.visitMethodInsn(
            INVOKESTATIC, CALLS, "referent", "(Ljava/lang/Object;)Ljava/lang/Object;", false);
        swapIf(queued);
      }
      boolean pool = owner.endsWith("/DaemonThreads") && method.equals("pool");
      boolean clock = owner.equals("org/eclipse/jgit/util/SystemReader");
      if ((jdk || pool || clock) && opcode != INVOKESPECIAL) {
        String ours =
            opcode == INVOKESTATIC ? descriptor : "(L" + owner + ";" + descriptor.substring(1);
        if (REDIRECTED.containsKey(method + ours)) {
          super.visitMethodInsn(INVOKESTATIC, CALLS, method, ours, false);
          return;
        }
      }
      super.visitMethodInsn(opcode, owner, method, descriptor, isInterface);
    }

    private void swapIf(boolean queued) {
      if (queued) {
        super.visitInsn(SWAP);
      }
    }

    @Override
    public void visitInvokeDynamicInsn(
        String method, String descriptor, Handle bootstrap, Object... arguments) {
      Object[] ours = arguments.clone();
      for (int i = 0; i < ours.length; i++) {
        if (ours[i] instanceof Handle handle && handle.getOwner().startsWith("java/")) {
          ours[i] = redirected(handle);
        }
      }
      super.visitInvokeDynamicInsn(method, descriptor, bootstrap, ours);
    }

    private static Handle redirected(Handle handle) {
      String ours =
          handle.getTag() == Opcodes.H_INVOKESTATIC
              ? handle.getDesc()
              : "(L" + handle.getOwner() + ";" + handle.getDesc().substring(1);
      return REDIRECTED.containsKey(handle.getName() + ours)
          ? new Handle(Opcodes.H_INVOKESTATIC, CALLS, handle.getName(), ours, false)
          : handle;
    }
  }

  /** Makes bounds smaller, so that few steps reach them. */
  private static final class Small extends MethodVisitor {
    /** Class, method, constant, and the one to take instead. */
    private static final Map<String, Integer> BOUNDS =
        Map.of(
            "org.jgits3.internal.refs.transaction.Folding.overlayLevel 1001", 3,
            "org.jgits3.internal.refs.table.RefFold.of 32000", 1,
            "org.jgits3.internal.refs.table.RefFold.of 2000", 8,
            "org.jgits3.internal.refs.transaction.Folding.tailLevel 251", 5,
            "org.jgits3.internal.refs.transaction.SharedRefs.commitBatch 6144", 300,
            "org.jgits3.internal.refs.transaction.SharedRefs.commitBatch 237568", 300,
            "org.jgits3.maintenance.PackCompaction.due 10", 2,
            "org.jgits3.maintenance.Sweep.<clinit> 7", 0);

    /** Bounds that a world sets for each run. */
    private static final Set<String> SET_BY_WORLD =
        Set.of(
            "org.jgits3.internal.commit.CommitBatch.seal 256",
            "org.jgits3.internal.commit.CommitBatch.seal 8");

    private final String where;

    Small(String name, String method, MethodVisitor to) {
      super(ASM9, to);
      this.where = name + '.' + method + ' ';
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
      if (SET_BY_WORLD.contains(where + operand)) {
        super.visitFieldInsn(
            GETSTATIC, (WORLD + "ManifestWorld").replace('.', '/'), "remembered", "I");
      } else {
        super.visitIntInsn(opcode, BOUNDS.getOrDefault(where + operand, operand));
      }
    }

    @Override
    public void visitLdcInsn(Object value) {
      Integer small = BOUNDS.get(where + value);
      super.visitLdcInsn(
          small == null ? value : value instanceof Long ? (Object) (long) small : small);
    }
  }
}

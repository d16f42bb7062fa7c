package io.heptad.stress.gate;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;

/**
 * Runs a trial against a weakened copy of the gate: the trial's own classes are loaded anew, with the gate's package replaced by
 * the copy's. So shipped gate and copies run the very same steps, and no trial is written twice.
 */
final class Weakened extends ClassLoader {
    private static final String GATE = "io/heptad/gate/";
    private static final String TRIALS = "io.heptad.contract.gate.";

    private final String to;

    /** The copy that a {@code .mutant} of this name makes. */
    Weakened(String mutant) {
        this(mutant, "io/heptad/mutant/gate/" + mutant + "/");
    }

    private Weakened(String name, String to) {
        super(name, Weakened.class.getClassLoader());
        this.to = to;
    }

    /** The gate itself, run in the same way. */
    static Weakened inNothing() {
        return new Weakened("shipped", GATE);
    }

    /** What went wrong in a trial. */
    @SuppressWarnings("unchecked")
    List<String> trial(Class<?> trials, String name) throws Exception {
        try {
            return (List<String>) loadClass(trials.getName()).getMethod(name).invoke(null);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause() instanceof Exception checked ? checked : thrown;
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(TRIALS)) {
            return super.loadClass(name, resolve);
        }
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? define(name) : loaded;
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            ClassWriter writer = new ClassWriter(0);
            new ClassReader(in).accept(new ClassRemapper(writer, new Renamed()), 0);
            byte[] code = writer.toByteArray();
            return defineClass(name, code, 0, code.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private final class Renamed extends Remapper {
        Renamed() {
            super(org.objectweb.asm.Opcodes.ASM9);
        }

        @Override
        public String map(String type) {
            return type.startsWith(GATE) ? to + type.substring(GATE.length()) : type;
        }
    }
}

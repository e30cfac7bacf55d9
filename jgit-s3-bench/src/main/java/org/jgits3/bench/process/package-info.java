/**
 * Programs and JVMs that a run starts, and what must not outlive it. Entries: {@link
 * org.jgits3.bench.process.JvmProgram}, {@link org.jgits3.bench.process.Leftovers}. Depends on
 * nothing else here.
 */
package org.jgits3.bench.process;

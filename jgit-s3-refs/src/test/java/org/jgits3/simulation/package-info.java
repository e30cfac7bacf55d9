// SPDX-License-Identifier: Apache-2.0
/**
 * Deterministic simulation of the library. Processes, their threads, the store and the clock follow
 * from one seed: one thread runs at a time, and the next one is drawn at each request, sleep, wait
 * and lock. The library's own classes run, loaded with calls to threads, locks, clocks and random
 * numbers replaced by calls to the scheduler.
 *
 * <p>Entry types: {@link org.jgits3.simulation.SimulationRun} runs one seed, {@link
 * org.jgits3.simulation.Mutation} is a fault put into the library that seeds must find. What
 * happens in a run is in the package {@code world}.
 */
package org.jgits3.simulation;

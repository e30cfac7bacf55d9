// SPDX-License-Identifier: Apache-2.0
/** Runs JMH benchmarks in JVMs of their own, one benchmark with one set of parameters at a time. */
package org.jgits3.bench.jmh;

// SPDX-License-Identifier: Apache-2.0
/** Processes, stores and rules of simulated runs. Loaded anew with each copy of the library. */
package org.jgits3.simulation.world;

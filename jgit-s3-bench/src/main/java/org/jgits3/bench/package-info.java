// SPDX-License-Identifier: Apache-2.0
/** JMH suites and whole-process comparisons. */
package org.jgits3.bench;

// SPDX-License-Identifier: Apache-2.0
/** Results of suites as values, and their forms for people (Markdown) and scripts (JSON). */
package org.jgits3.bench.report;

// SPDX-License-Identifier: Apache-2.0
/**
 * History of all refs: transactions in their order, and refs restored as they were.
 *
 * <p>Entry type: {@link org.jgits3.history.TransactionHistory}.
 */
package org.jgits3.history;

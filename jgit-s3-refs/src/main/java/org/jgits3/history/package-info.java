// SPDX-License-Identifier: Apache-2.0
/**
 * History of all refs: transactions in their order, of one repository or of all, and refs restored
 * as they were.
 *
 * <p>Entry types: {@link org.jgits3.history.TransactionHistory} and {@link
 * org.jgits3.history.StoreHistory}.
 */
package org.jgits3.history;

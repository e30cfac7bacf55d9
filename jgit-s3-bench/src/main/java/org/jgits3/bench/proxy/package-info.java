// SPDX-License-Identifier: Apache-2.0
/**
 * Connections that are slow or go wrong between a client and its server. Entry: {@link
 * org.jgits3.bench.proxy.TcpProxy}.
 */
package org.jgits3.bench.proxy;

/**
 * Outages, overload, many writers, full manifests: what happens when things go wrong, or there is
 * too much of them, beside what is asked. Entry: {@link org.jgits3.stress.robust.RobustSuite}.
 */
package org.jgits3.stress.robust;

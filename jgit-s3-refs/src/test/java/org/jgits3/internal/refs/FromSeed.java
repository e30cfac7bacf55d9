// SPDX-License-Identifier: Apache-2.0
package org.jgits3.internal.refs;

import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;
import org.jgits3.testing.RandomSeed;

/** Begins properties with the {@linkplain RandomSeed seed} of the run. */
final class FromSeed implements AroundPropertyHook {
  @Override
  public PropagationMode propagateTo() {
    return PropagationMode.ALL_DESCENDANTS;
  }

  @Override
  public PropertyExecutionResult aroundProperty(
      PropertyLifecycleContext context, PropertyExecutor property) {
    context.attributes().setSeed(Integer.toString(RandomSeed.first()));
    PropertyExecutionResult result = property.execute();
    return result
        .throwable()
        .map(e -> result.mapToFailed(RandomSeed.failure(RandomSeed.first(), e)))
        .orElse(result);
  }
}

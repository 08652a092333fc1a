/** How much of a plan may go on at once where a provider sets a limit. */

import type { Plan } from "../../model/plan/plan.ts";
import type { TypeRegistry } from "../../model/provider/provider.ts";

/** By the settings of each provider; a pool that is not named has no limit. */
export function poolLimits(plan: Plan, types: TypeRegistry): { readonly [pool: string]: number } {
  const settings = new Map(plan.providers.map((item) => [item.name, item.settings]));
  const limits: { [pool: string]: number } = {};
  for (const {
    subject: { type, provider },
    order: { pools },
  } of plan.operations) {
    for (const pool of pools) {
      const name = pool.slice(provider.length + 1);
      const limit = types[type]?.poolLimit?.(name, settings.get(provider) ?? null);
      if (limit !== undefined) limits[pool] = limit;
    }
  }
  return limits;
}

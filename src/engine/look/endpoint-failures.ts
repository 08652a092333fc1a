/**
 * Objects that could not be read because their endpoint could not: the cause is the provider's, and
 * so is the place to look at, not each of its resources.
 */

import type { Desired, DesiredProvider } from "../../model/plan/desired.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Observation } from "../../model/provider/observation.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import type { planCodes } from "../../plan/codes.ts";
import { objectKeyOf } from "../../state/working.ts";
import type { Refreshed } from "./refresh.ts";

type Managed = {
  readonly recorded: Pick<RecordedState, "objects">;
  readonly desired: Pick<Desired, "instances" | "data" | "providers">;
};

/** The plan with the diagnostics of such objects told where their provider is configured. */
export function placeEndpointFailures(
  plan: Plan,
  managed: Managed,
  { observations, lookups }: Refreshed,
): Plan {
  const silent: Address[] = [];
  for (const { address, objectKey } of managed.recorded.objects) {
    if (isOfEndpoint(observations.get(objectKeyOf(address, objectKey)))) silent.push(address);
  }
  for (const [address, observation] of lookups) {
    if (isOfEndpoint(observation)) silent.push(address);
  }
  if (silent.length === 0) return plan;
  const providers = providersByAddress(managed);
  const failed = new Set(silent.map((address) => providers.get(address)));
  const sources = new Map(managed.desired.providers.map((item) => [item.name, item]));
  const diagnostics = plan.diagnostics.map((diagnostic) => {
    const { code, address } = diagnostic;
    const provider = address === undefined ? undefined : providers.get(address);
    if (code !== unreadCode || provider === undefined || !failed.has(provider)) return diagnostic;
    return placed(diagnostic, provider, sources.get(provider));
  });
  return { ...plan, diagnostics };
}

const unreadCode: keyof typeof planCodes = "PLN005";

function isOfEndpoint(observation: Observation | undefined): boolean {
  return observation?.status === "unreadable" && observation.endpoint === true;
}

function providersByAddress({ recorded, desired }: Managed): ReadonlyMap<Address, string> {
  const all = [...recorded.objects, ...desired.data, ...desired.instances];
  return new Map(all.map(({ address, provider }) => [address, provider]));
}

function placed(
  diagnostic: Diagnostic,
  provider: string,
  configured: DesiredProvider | undefined,
): Diagnostic {
  const { source } = configured ?? {};
  const question = `whether provider ${provider} is set right and its endpoint answers`;
  const ways = `See ${question}: vmform doctor`;
  const fix = diagnostic.fix === undefined ? ways : `${ways}. ${diagnostic.fix}`;
  return { ...diagnostic, fix, ...(source === undefined ? {} : { source }) };
}

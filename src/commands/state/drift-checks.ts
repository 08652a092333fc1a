/** Checks of the configuration, told of what there is: of what was read, over what is recorded. */

import type { Desired } from "../../model/plan/desired.ts";
import type { Observation } from "../../model/provider/observation.ts";
import { currentByAddress } from "../../model/recorded/current.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import { tellChecks } from "../../plan/conditions.ts";

export function failedChecks(
  desired: Desired | undefined,
  recorded: RecordedState,
  observations: ReadonlyMap<Address, Observation>,
): readonly Diagnostic[] {
  const objects = currentByAddress(recorded.objects);
  return tellChecks(desired?.checks ?? [], (address) => {
    const object = objects.get(address);
    const seen = observations.get(address);
    if (object === undefined || seen?.status === "missing") return undefined;
    const found = seen?.status === "found" ? seen.attributes : {};
    return { ...object.applied, ...object.attributes, ...found };
  }).diagnostics;
}

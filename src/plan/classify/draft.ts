/** Working form of a classification: indexes of what is recorded and wanted, results so far. */

import type { Address } from "../../model/address.ts";
import type { DesiredData } from "../../model/desired.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { PlannedData } from "../../model/plan.ts";
import type { PowerState } from "../../model/power.ts";
import type { FactsRequest } from "../../model/provider.ts";
import type { RecordedObject } from "../../model/recorded.ts";
import type { PlannedAttributes } from "../../model/value.ts";
import type { Adoptions } from "../before/adopt.ts";
import type { Links } from "../before/links.ts";
import type { Prior } from "../before/prior.ts";
import { protectionIn } from "../before/protection.ts";
import { type Selection, select } from "../before/selection.ts";
import type { NamedObject, PlanInput } from "../input.ts";
import { containerKey, holderKey, recordedKey } from "../keys.ts";
import type { Unit } from "../unit.ts";

export type Draft = {
  readonly input: PlanInput;
  readonly adoptions: Pick<Adoptions, "readopted" | "refused" | "displaced">;
  readonly links: Links;
  readonly selection: Selection;
  readonly priors: ReadonlyMap<Address, Prior>;
  /** Recorded objects by provider, type and key. */
  readonly holders: ReadonlyMap<string, RecordedObject>;
  /** Addresses whose object was found and is recorded elsewhere. */
  readonly displaced: ReadonlySet<Address>;
  readonly restores: ReadonlyMap<Address, PowerState>;
  readonly desired: ReadonlySet<Address>;
  /** Whether an object may not be destroyed, and who says so. */
  readonly protection: ReturnType<typeof protectionIn>;
  readonly units: Map<string, Unit>;
  /** Wanted objects by type and identity. */
  readonly byIdentity: Map<string, Unit>;
  readonly planned: Map<Address, PlannedAttributes>;
  /** Keys of wanted objects that vmform makes, as far as they are known. */
  readonly wantedKeys: Map<Address, string>;
  /** Wanted data sources, and those that are classified. */
  readonly sources: ReadonlyMap<Address, DesiredData>;
  readonly data: Map<Address, PlannedData>;
  readonly blocked: Set<Address>;
  /** What has to be asked before the plan can be made. */
  readonly questions: FactsRequest[];
  readonly namedQuestions: NamedObject[];
  readonly diagnostics: Diagnostic[];
  /** Tentative records that stay though missing and not wanted. */
  readonly kept: Prior[];
  /** Tentative records whose time is over. */
  readonly expired: Prior[];
  /** Containers that get a new object, with the address of it. */
  readonly renewed: Map<string, Address>;
  /** Containers that end without a successor. */
  readonly ended: Set<string>;
};

export function createDraft(
  { input, readopted, refused, displaced }: Adoptions,
  priors: readonly Prior[],
  links: Links,
): Draft {
  const { desired, recorded } = input;
  return {
    input,
    adoptions: { readopted, refused, displaced },
    links,
    selection: select(input, links),
    priors: new Map(
      priors.flatMap((prior) =>
        prior.record.objectKey === "current" ? [[prior.record.address, prior]] : [],
      ),
    ),
    holders: new Map(
      recorded.objects.map((object) => {
        const identity = recordedKey(input.types, object);
        return [holderKey({ ...object, identity }), object];
      }),
    ),
    displaced: new Set(displaced.map(({ to }) => to)),
    restores: new Map(recorded.restores.map((restore) => [restore.address, restore.power])),
    desired: new Set(desired.instances.map((instance) => instance.address)),
    protection: protectionIn(desired),
    units: new Map(),
    byIdentity: new Map(),
    planned: new Map(),
    wantedKeys: new Map(),
    sources: new Map(desired.data.map((data) => [data.address, data])),
    data: new Map(),
    blocked: new Set(),
    questions: [],
    namedQuestions: [],
    diagnostics: [],
    kept: [],
    expired: [],
    // Content of an object that a replace has left over belongs to its successor.
    renewed: new Map(
      recorded.objects
        .filter((object) => object.objectKey !== "current")
        .map((object) => [
          containerKey({ type: object.type, identity: object.identity }),
          object.address,
        ]),
    ),
    ended: new Set(),
  };
}

export function block(draft: Draft, address: Address, ...diagnostics: readonly Diagnostic[]): void {
  draft.blocked.add(address);
  draft.diagnostics.push(...diagnostics);
}

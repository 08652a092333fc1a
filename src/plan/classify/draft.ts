/**
 * What classifying works with: indexes of what is recorded and wanted, which nothing changes, and
 * what was found so far, which grows by outcomes folded in one place. Whoever classifies only
 * reads.
 */

import type { PowerState } from "../../model/operation/power.ts";
import type { DesiredData } from "../../model/plan/desired.ts";
import type { PlannedData } from "../../model/plan/plan.ts";
import type { FactsRequest } from "../../model/provider/provider.ts";
import type { RecordedObject } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import type { PlannedAttributes } from "../../model/value/value.ts";
import type { Adoptions } from "../before/adopt.ts";
import type { Links } from "../before/links.ts";
import type { Prior } from "../before/prior.ts";
import { protectionIn } from "../before/protection.ts";
import { type Selection, select } from "../before/selection.ts";
import type { NamedObject, PlanInput } from "../input.ts";
import { containerKey, holderKey, recordedKey } from "../keys.ts";
import { creates, type Unit, unitKey } from "../unit.ts";

/** What is recorded, wanted and read, indexed: made once, before anything is classified. */
export type Index = {
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
  /** Wanted data sources. */
  readonly sources: ReadonlyMap<Address, DesiredData>;
};

/** What was found so far: of what is classified later, what comes before it is seen. */
export type Draft = Index & {
  readonly units: ReadonlyMap<string, Unit>;
  /** Wanted objects by type and identity. */
  readonly byIdentity: ReadonlyMap<string, Unit>;
  readonly planned: ReadonlyMap<Address, PlannedAttributes>;
  /** Keys of wanted objects that vmform makes, as far as they are known. */
  readonly wantedKeys: ReadonlyMap<Address, string>;
  readonly data: ReadonlyMap<Address, PlannedData>;
  readonly blocked: ReadonlySet<Address>;
  /** Containers that get a new object, with the address of it. */
  readonly renewed: ReadonlyMap<string, Address>;
  /** Containers that end without a successor. */
  readonly ended: ReadonlySet<string>;
};

/** What becomes of one object, or of one data source. */
export type Outcome = {
  readonly address: Address;
  /** Nothing is planned for it, nor for what depends on it. */
  readonly isBlocked?: true;
  readonly diagnostics?: readonly Diagnostic[];
  readonly unit?: Unit;
  /** Attributes, as references see them. */
  readonly planned?: PlannedAttributes;
  readonly wantedKey?: string;
  readonly data?: PlannedData;
  /** What has to be asked before the plan can be made. */
  readonly question?: FactsRequest;
  readonly namedQuestions?: readonly NamedObject[];
  /** A container that ends without a successor. */
  readonly ends?: string;
  /** A tentative record that stays though missing and not wanted. */
  readonly kept?: Prior;
  /** A tentative record whose time is over. */
  readonly expired?: Prior;
};

/** A draft that grows by outcomes, and by nothing else. */
export type Drafting = {
  readonly draft: Draft;
  readonly fold: (outcome: Outcome) => void;
  /** What outcomes have said beside what a draft shows, in their order. */
  readonly told: {
    readonly diagnostics: readonly Diagnostic[];
    readonly questions: readonly FactsRequest[];
    readonly namedQuestions: readonly NamedObject[];
    readonly kept: readonly Prior[];
    readonly expired: readonly Prior[];
  };
};

export function indexOf(
  { input, readopted, refused, displaced }: Adoptions,
  priors: readonly Prior[],
  links: Links,
): Index {
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
    sources: new Map(desired.data.map((data) => [data.address, data])),
  };
}

export function beginDraft(index: Index): Drafting {
  const units = new Map<string, Unit>();
  const byIdentity = new Map<string, Unit>();
  const planned = new Map<Address, PlannedAttributes>();
  const wantedKeys = new Map<Address, string>();
  const data = new Map<Address, PlannedData>();
  const stopped = new Set<Address>();
  const renewed = deposedContainers(index.input);
  const ended = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  const questions: FactsRequest[] = [];
  const namedQuestions: NamedObject[] = [];
  const kept: Prior[] = [];
  const expired: Prior[] = [];
  const fold = (outcome: Outcome): void => {
    const { address, unit } = outcome;
    if (outcome.isBlocked === true) stopped.add(address);
    if (unit !== undefined) {
      units.set(unitKey(unit), unit);
      if (unit.desired !== undefined) byIdentity.set(containerKeyOf(unit), unit);
      if (unit.desired !== undefined && creates(unit)) renew(renewed, unit);
    }
    if (outcome.planned !== undefined) planned.set(address, outcome.planned);
    if (outcome.wantedKey !== undefined) wantedKeys.set(address, outcome.wantedKey);
    if (outcome.data !== undefined) data.set(address, outcome.data);
    if (outcome.ends !== undefined) ended.add(outcome.ends);
    diagnostics.push(...(outcome.diagnostics ?? []));
    questions.push(...(outcome.question === undefined ? [] : [outcome.question]));
    namedQuestions.push(...(outcome.namedQuestions ?? []));
    kept.push(...(outcome.kept === undefined ? [] : [outcome.kept]));
    expired.push(...(outcome.expired === undefined ? [] : [outcome.expired]));
  };
  const found = { units, byIdentity, planned, wantedKeys, data, renewed, ended };
  const told = { diagnostics, questions, namedQuestions, kept, expired };
  return { draft: { ...index, ...found, blocked: stopped }, fold, told };
}

export function blocked(address: Address, ...diagnostics: readonly Diagnostic[]): Outcome {
  return { address, isBlocked: true, diagnostics };
}

/** Content ends with the object that had the key, whoever takes the key over. */
function renew(renewed: Map<string, Address>, unit: Unit): void {
  const { address, type, identity, prior } = unit;
  renewed.set(containerKeyOf({ type, identity: prior?.record.identity ?? identity }), address);
  const after = containerKeyOf(unit);
  if (!renewed.has(after)) renewed.set(after, address);
}

function containerKeyOf({ type, identity }: Pick<Unit, "type" | "identity">): string {
  return containerKey({ type: type.name, identity });
}

/** Content of an object that a replace has left over belongs to its successor. */
function deposedContainers({ recorded }: PlanInput): Map<string, Address> {
  const deposed = recorded.objects.filter(({ objectKey }) => objectKey !== "current");
  return new Map(
    deposed.map(({ type, identity, address }) => [containerKey({ type, identity }), address]),
  );
}

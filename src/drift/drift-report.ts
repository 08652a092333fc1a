/**
 * The drift report: recorded state against observations, beside what the configuration wants. Pure.
 * It says what differs, what is gone and, as plainly, what could not be looked at: silence about an
 * object never means "in sync".
 */

import type {
  DriftPlace,
  DriftReport,
  DriftVerdict,
  IgnoreRule,
  NeverRead,
  ObjectDrift,
  UnlistedProvider,
  UnmanagedObject,
} from "../model/plan/drift-report.ts";
import type { Observation } from "../model/provider/observation.ts";
import type { OpenRestore, RecordedObject, RecordedState } from "../model/recorded/recorded.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import { type Address, compareAddresses, parseAddress } from "../model/value/address.ts";
import type { SchemaRegistry } from "../model/value/resource-schema.ts";
import {
  type Advice,
  cleanUpAdvice,
  driftedAdvice,
  importSuggestion,
  missingAdvice,
  resolveAdvice,
  settleAdvice,
  standingAdvice,
  suggestionsOf,
} from "./advice.ts";
import {
  compareAttributes,
  type DesiredObject,
  type FoundObservation,
  own,
} from "./attribute-comparison.ts";
import { causesOf, type Finding } from "./causes.ts";
import { countObjects } from "./counts.ts";
import { fingerprintOf } from "./difference.ts";
import { ignoredWhole, type KeptComparison, withoutIgnored } from "./ignore.ts";

export type DriftInput = {
  readonly recorded: RecordedState;
  /** One observation per recorded object whose key is `current`. */
  readonly observations: ReadonlyMap<Address, Observation>;
  readonly types: SchemaRegistry;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** What the configuration wants; without it the report only lacks that column. */
  readonly configuration: WantedConfiguration;
  /** Objects that exist and are recorded nowhere; leave out when nothing was listed. */
  readonly discovered?: readonly DiscoveredObject[];
  readonly unlisted?: readonly UnlistedProvider[];
  readonly diagnostics?: readonly Diagnostic[];
  /** Those that are in force. */
  readonly ignore?: readonly IgnoreRule[];
  /** Only some recorded objects were looked at; the others are not in `recorded`. */
  readonly partial?: boolean;
  /** Folder of the configuration, as the suggested commands name it; `.` by default. */
  readonly directory?: string;
};

export type WantedConfiguration =
  | { readonly status: "read"; readonly objects: ReadonlyMap<Address, DesiredObject> }
  | { readonly status: "unreadable"; readonly errors: number };

export type DiscoveredObject = Pick<UnmanagedObject, "provider" | "type" | "identity" | "name">;

/** Never fails: an object without an observation is `unknown`, since it should have had one. */
export function buildDriftReport(input: DriftInput): DriftReport {
  const { recorded, directory = "." } = input;
  const compared = recorded.objects
    .map((object) => compareObject(input, object))
    .toSorted(
      ({ object: left }, { object: right }) =>
        compareAddresses(left.address, right.address) ||
        compareText(left.objectKey, right.objectKey),
    );
  const objects = compared.map(({ object }) => object);
  const unmanaged = unmanagedObjects(input);
  return {
    formatVersion: "1.0",
    createdMs: input.nowMs,
    lineage: recorded.lineage,
    serial: recorded.serial,
    simulated: recorded.simulated,
    partial: input.partial === true,
    configuration: configurationOf(input),
    objects,
    causes: causesOf(compared, directory),
    restores: restoresOf(input),
    neverRead: neverReadOf(compared),
    ...(unmanaged === undefined ? {} : { unmanaged }),
    unlisted: (input.unlisted ?? []).toSorted((left, right) =>
      compareText(left.provider, right.provider),
    ),
    diagnostics: input.diagnostics ?? [],
    counts: countObjects(objects, unmanaged ?? [], openElsewhere(input)),
  };
}

/** Of these nothing is compared, and what they may still do is in no record. */
function openElsewhere({ recorded: { objects, open }, partial }: DriftInput): number {
  if (partial === true) return 0;
  const addresses = new Set(objects.map(({ address }) => address));
  return open.filter(({ subject: { address } }) => !addresses.has(address)).length;
}

function restoresOf({ recorded, observations, types }: DriftInput): readonly OpenRestore[] {
  return recorded.restores
    .filter(({ address, power }) => {
      const observation = observations.get(address);
      const attribute = types[parseAddress(address)?.type ?? ""]?.power?.observed;
      if (observation?.status !== "found" || attribute === undefined) return true;
      return observation.attributes[attribute] !== power;
    })
    .map(({ address, power }) => ({ address, power }))
    .toSorted((left, right) => compareAddresses(left.address, right.address));
}

/**
 * Exit code of `drift`: 1 when something could not be checked that should have been, even if drift
 * was found as well, so that 2 always means a complete answer; 2 for drift; else 0. Unmanaged
 * objects, changes of the configuration and what is unreadable by rule are listed and change
 * nothing.
 */
export function driftExitCode(report: DriftReport): 0 | 1 | 2 {
  const { counts } = report;
  if (isIncomplete(report)) return 1;
  return counts.drifted + counts.differing + counts.missing > 0 ? 2 : 0;
}

/** Something was not compared that should have been, if only with what the configuration wants. */
export function isIncomplete({ counts, configuration }: DriftReport): boolean {
  const { unknown, attributesFailed, open } = counts;
  return unknown + attributesFailed + open > 0 || configuration.status === "unreadable";
}

type Verdict = Omit<
  ObjectDrift,
  | "address"
  | "objectKey"
  | "type"
  | "provider"
  | "identity"
  | "place"
  | "configured"
  | "suggestions"
> & { readonly advice: readonly Advice[]; readonly neverRead: readonly string[] };

type Compared = Finding & { readonly neverRead: readonly string[] };

function compareObject(input: DriftInput, record: RecordedObject): Compared {
  const { address, objectKey, type, provider, identity } = record;
  const configured = configuredOf(input, record);
  const place = placeOf(input, record);
  const { advice, neverRead, ...verdict } = verdictOf(input, record);
  const object: ObjectDrift = {
    address,
    objectKey,
    type,
    provider,
    identity,
    ...(place === undefined ? {} : { place }),
    ...(configured === undefined ? {} : { configured }),
    ...verdict,
    suggestions: suggestionsOf(advice, [address], input.directory ?? "."),
  };
  return { object, advice, neverRead };
}

function configuredOf(input: DriftInput, record: RecordedObject): boolean | undefined {
  if (record.objectKey !== "current" || input.configuration.status !== "read") return undefined;
  return input.configuration.objects.has(record.address);
}

function placeOf(input: DriftInput, record: RecordedObject): DriftPlace | undefined {
  if (input.configuration.status !== "read") return undefined;
  const source = input.configuration.objects.get(record.address)?.source;
  return source === undefined ? undefined : { file: source.file, line: source.line };
}

function verdictOf(input: DriftInput, object: RecordedObject): Verdict {
  if (object.objectKey !== "current") {
    const reason = "left over from a replacement; the next apply deletes it";
    return bare(object, "not_checked", reason, [cleanUpAdvice]);
  }
  const open = input.recorded.open.find(
    (begin) =>
      begin.subject.address === object.address && begin.subject.objectKey === object.objectKey,
  );
  if (open !== undefined) {
    // Until it is closed, our own change and somebody else's look the same.
    const reason = `the operation ${open.id} was begun and has not ended`;
    return bare(object, "unknown", reason, [settleAdvice]);
  }
  const observation = input.observations.get(object.address);
  if (observation === undefined) return bare(object, "unknown", "it was not read", []);
  switch (observation.status) {
    case "unreadable": {
      // Hidden by what somebody has switched off, it is not as it should be.
      const isExpected = observation.rule === "by rule" && observation.unset === undefined;
      const verdict = isExpected ? "not_checked" : "unknown";
      return bare(object, verdict, observation.reason, []);
    }
    case "missing": {
      const { proof } = observation;
      if (object.status !== "tentative") {
        const type = own(input.types, object.type);
        const ignoredBy = ignoredWhole(input.ignore ?? [], object.address);
        if (ignoredBy !== undefined) return { ...bare(object, "ignored", proof, []), ignoredBy };
        const advice = missingAdvice(configuredOf(input, object), type, observation);
        return bare(object, "missing", proof, advice);
      }
      const reason = `its create was begun and never seen to take effect; ${proof}`;
      return bare(object, "not_checked", reason, [resolveAdvice]);
    }
    case "found":
      return foundVerdict(input, object, observation);
  }
}

function foundVerdict(
  input: DriftInput,
  object: RecordedObject,
  observation: FoundObservation,
): Verdict {
  const { configuration } = input;
  const desired =
    configuration.status === "read" ? configuration.objects.get(object.address) : undefined;
  const type = own(input.types, object.type);
  const comparison = withoutIgnored(
    input.ignore ?? [],
    object.address,
    compareAttributes(object, observation, type, desired),
  );
  const { drifted } = comparison;
  const verdict = foundWord(comparison);
  const { address, objectKey } = object;
  const isOpen = input.recorded.open.some(({ subject }) => subject.address === address);
  const configured = configuredOf(input, object);
  return {
    verdict,
    ...(object.status === "tentative"
      ? { reason: "its create was not seen to end, and has taken effect since" }
      : {}),
    ...(verdict === "unknown" ? { fingerprint: fingerprintOf(address, objectKey, verdict) } : {}),
    ...comparison,
    advice:
      drifted.length > 0
        ? driftedAdvice(object, drifted, type, { configured, isOpen, wish: desired })
        : comparison.standing.length > 0
          ? standingAdvice(type)
          : [],
  };
}

function foundWord({ drifted, standing, ignored, notChecked }: KeptComparison): DriftVerdict {
  if (drifted.length > 0) return "drifted";
  if (notChecked.some(({ rule }) => rule === "failed")) return "unknown";
  if (standing.length > 0) return "differs";
  return ignored.length > 0 ? "ignored" : "in_sync";
}

function bare(
  { address, objectKey }: RecordedObject,
  verdict: DriftVerdict,
  reason: string,
  advice: readonly Advice[],
): Verdict {
  const isGone = verdict === "missing" || verdict === "ignored";
  // Of one that is ignored the same: it is not another finding once the rule has expired.
  const found = isGone ? "missing" : verdict === "unknown" ? verdict : undefined;
  return {
    verdict,
    reason,
    ...(found === undefined ? {} : { fingerprint: fingerprintOf(address, objectKey, found) }),
    drifted: [],
    unapplied: [],
    standing: [],
    ignored: [],
    learned: [],
    notChecked: [],
    comparedCount: 0,
    advice,
    neverRead: [],
  };
}

function configurationOf({ configuration, recorded }: DriftInput): DriftReport["configuration"] {
  if (configuration.status === "unreadable") return configuration;
  const known = new Set(recorded.objects.map(({ address }) => address));
  const notRecorded = [...configuration.objects.keys()]
    .filter((address) => !known.has(address))
    .toSorted(compareAddresses);
  return { status: "read", notRecorded };
}

function neverReadOf(compared: readonly Compared[]): readonly NeverRead[] {
  const byType = new Map<string, Set<string>>();
  for (const { object, neverRead } of compared) {
    if (neverRead.length === 0) continue;
    const names = byType.get(object.type) ?? new Set();
    for (const name of neverRead) names.add(name);
    byType.set(object.type, names);
  }
  return [...byType]
    .map(([type, names]) => ({ type, attributes: [...names].toSorted() }))
    .toSorted((left, right) => compareText(left.type, right.type));
}

function unmanagedObjects(input: DriftInput): readonly UnmanagedObject[] | undefined {
  const wanted = new Map<string, Address>();
  const { configuration, recorded, directory = "." } = input;
  const taken = new Set(recorded.objects.map(({ address }) => address));
  if (configuration.status === "read") {
    for (const [address, object] of configuration.objects) {
      if (object.identity === undefined || taken.has(address)) continue;
      wanted.set(objectName({ ...object, identity: object.identity }), address);
    }
  }
  return input.discovered
    ?.map(({ provider, type, identity, name }): UnmanagedObject => {
      const address = wanted.get(objectName({ provider, type, identity }));
      return {
        provider,
        type,
        identity,
        ...(name === undefined ? {} : { name }),
        fingerprint: fingerprintOf(provider, type, identity, "unmanaged"),
        suggestions: [importSuggestion({ type, identity }, address, directory)],
      };
    })
    .toSorted(compareUnmanaged);
}

function objectName({ provider, type, identity }: DiscoveredObject): string {
  return JSON.stringify([provider, type, identity]);
}

function compareUnmanaged(left: UnmanagedObject, right: UnmanagedObject): number {
  return (
    compareText(left.provider, right.provider) ||
    compareText(left.type, right.type) ||
    compareText(left.identity, right.identity)
  );
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/**
 * The drift report: recorded state against observations, pure. It says what differs, what is gone
 * and, as plainly, what could not be looked at: silence about an object never means "in sync".
 */

import { type Address, compareAddresses } from "../model/address.ts";
import type {
  DriftCounts,
  DriftReport,
  DriftSuggestion,
  DriftVerdict,
  ObjectDrift,
  UnmanagedObject,
} from "../model/drift-report.ts";
import type { Observation } from "../model/observation.ts";
import type { RecordedObject, RecordedState } from "../model/recorded.ts";
import type { SchemaRegistry } from "../model/resource-schema.ts";
import type { PlannedAttributes } from "../model/value.ts";
import { compareAttributes, driftPurpose } from "./attribute-comparison.ts";

export type DriftInput = {
  readonly recorded: RecordedState;
  /** One observation per recorded object whose key is `current`. */
  readonly observations: ReadonlyMap<Address, Observation>;
  readonly types: SchemaRegistry;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** What the configuration wants, where it is known: shown beside what differs. */
  readonly desired?: ReadonlyMap<Address, PlannedAttributes>;
  /** Objects that exist and are recorded nowhere; leave out when nothing was listed. */
  readonly discovered?: readonly UnmanagedObject[];
};

/** Never fails: an object without an observation is `unknown`, since it should have had one. */
export function buildDriftReport(input: DriftInput): DriftReport {
  const { recorded } = input;
  const objects = recorded.objects.map((object) => compareObject(input, object));
  objects.sort(
    (left, right) =>
      compareAddresses(left.address, right.address) || compareText(left.objectKey, right.objectKey),
  );
  const unmanaged = input.discovered?.map(({ provider, type, identity }) => ({
    provider,
    type,
    identity,
  }));
  unmanaged?.sort(compareUnmanaged);
  return {
    formatVersion: "1.0",
    createdMs: input.nowMs,
    lineage: recorded.lineage,
    serial: recorded.serial,
    simulated: recorded.simulated,
    objects,
    ...(unmanaged === undefined ? {} : { unmanaged }),
    counts: countObjects(objects, unmanaged ?? []),
  };
}

/**
 * Exit code of `drift`: 1 when something could not be checked that should have been, even if drift
 * was found as well, so that 2 always means a complete answer; 2 for drift; else 0. Unmanaged
 * objects and what is unreadable by rule are listed and change nothing.
 */
export function driftExitCode(report: DriftReport): 0 | 1 | 2 {
  const { counts } = report;
  if (counts.unknown + counts.attributesFailed > 0) return 1;
  return counts.drifted + counts.missing > 0 ? 2 : 0;
}

type Finding = Omit<ObjectDrift, "address" | "objectKey" | "type" | "provider" | "identity">;

function compareObject(input: DriftInput, object: RecordedObject): ObjectDrift {
  const { address, objectKey, type, provider, identity } = object;
  return { address, objectKey, type, provider, identity, ...findingOf(input, object) };
}

function findingOf(input: DriftInput, object: RecordedObject): Finding {
  if (object.objectKey !== "current") {
    const reason = "left over from a replacement; the next apply deletes it";
    return bare("not_checked", reason, [suggest("clean-up", "vmform apply")]);
  }
  const open = input.recorded.open.find(
    (begin) => begin.address === object.address && begin.objectKey === object.objectKey,
  );
  if (open !== undefined) {
    // Until it is closed, our own change and somebody else's look the same.
    const reason = `the operation ${open.id} was begun and has not ended`;
    return bare("unknown", reason, [suggest("settle", "vmform apply")]);
  }
  const observation = input.observations.get(object.address);
  if (observation === undefined) return bare("unknown", "it was not read", []);
  switch (observation.status) {
    case "unreadable":
      return observation.rule === "by rule"
        ? bare("not_checked", observation.reason, [])
        : bare("unknown", observation.reason, []);
    case "missing":
      return missingFinding(object, observation.proof);
    case "found":
      return foundFinding(input, object, observation);
  }
}

function missingFinding(object: RecordedObject, proof: string): Finding {
  const forget = suggest("forget", `vmform state rm ${shellQuote(object.address)}`);
  if (object.status === "tentative") {
    const reason = `its create was begun and never seen to take effect; ${proof}`;
    const settle = suggest("settle", `vmform state resolve ${shellQuote(object.address)}`);
    return bare("not_checked", reason, [settle]);
  }
  return bare("missing", proof, [suggest("restore", "vmform plan"), forget]);
}

function foundFinding(
  input: DriftInput,
  object: RecordedObject,
  observation: Extract<Observation, { status: "found" }>,
): Finding {
  const desired = input.desired?.get(object.address);
  const type = Object.hasOwn(input.types, object.type) ? input.types[object.type] : undefined;
  const comparison = compareAttributes(object, observation, type, desired);
  const failed = comparison.notChecked.some((attribute) => attribute.rule === "failed");
  const drifted = comparison.drifted.length > 0;
  const tentative = object.status === "tentative";
  return {
    verdict: drifted ? "drifted" : failed ? "unknown" : "in_sync",
    ...(tentative ? { reason: "its create was not seen to end, and has taken effect since" } : {}),
    ...comparison,
    suggestions: drifted ? [suggest(driftPurpose(comparison.drifted), "vmform plan")] : [],
  };
}

function bare(
  verdict: DriftVerdict,
  reason: string,
  suggestions: readonly DriftSuggestion[],
): Finding {
  return {
    verdict,
    reason,
    drifted: [],
    learned: [],
    notChecked: [],
    comparedCount: 0,
    suggestions,
  };
}

function suggest(purpose: DriftSuggestion["purpose"], command: string): DriftSuggestion {
  return { purpose, command };
}

function countObjects(
  objects: readonly ObjectDrift[],
  unmanaged: readonly UnmanagedObject[],
): DriftCounts {
  const verdicts = { in_sync: 0, drifted: 0, missing: 0, unknown: 0, not_checked: 0 };
  const attributes = { compared: 0, drifted: 0, notChecked: 0, failed: 0 };
  for (const object of objects) {
    verdicts[object.verdict] += 1;
    attributes.compared += object.comparedCount;
    attributes.drifted += object.drifted.length;
    attributes.notChecked += object.notChecked.length;
    attributes.failed += object.notChecked.filter(({ rule }) => rule === "failed").length;
  }
  return {
    objects: objects.length,
    inSync: verdicts.in_sync,
    drifted: verdicts.drifted,
    missing: verdicts.missing,
    unknown: verdicts.unknown,
    notChecked: verdicts.not_checked,
    unmanaged: unmanaged.length,
    attributesCompared: attributes.compared,
    attributesDrifted: attributes.drifted,
    attributesNotChecked: attributes.notChecked,
    attributesFailed: attributes.failed,
  };
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

/** Quoted for a POSIX shell, so that `daemon_vm.web["a"]` can be pasted. */
function shellQuote(text: string): string {
  if (/^[A-Za-z0-9_./:=@%+,-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

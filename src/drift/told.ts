/** Joins to a report what servers tell of who has changed what has drifted. Pure. */

import type { DriftReport, ObjectDrift } from "../model/plan/drift-report.ts";
import type { ChangeAnswer, ChangeQuestion } from "../model/provider/told-change.ts";
import type { RecordedObject } from "../model/recorded/recorded.ts";
import type { RunRecord } from "../model/recorded/run-record.ts";
import type { Address } from "../model/value/address.ts";

export type Asked = {
  readonly address: Address;
  /** With its alias. */
  readonly provider: string;
  readonly question: ChangeQuestion;
};

/** One question for each object that has drifted, and none for any other. */
export function questionsOf(
  { objects }: Pick<DriftReport, "objects">,
  recorded: readonly RecordedObject[],
  runs: readonly RunRecord[],
): readonly Asked[] {
  return objects.filter(isAskedOf).map((object) => {
    const { address, provider, type, identity, drifted } = object;
    const attributes = drifted.map(({ attribute }) => attribute);
    const sinceMs = lastTrueMs(object, recorded, runs);
    const since = sinceMs === undefined ? {} : { sinceMs };
    return { address, provider, question: { type, identity, attributes, ...since } };
  });
}

function isAskedOf({ verdict, objectKey, drifted }: ObjectDrift): boolean {
  return verdict === "drifted" && objectKey === "current" && drifted.length > 0;
}

/**
 * When we last did something to its machine, or took what was there for recorded: until then what
 * is recorded was true. Content counts as its container, since their work is of the same kinds.
 */
function lastTrueMs(
  object: ObjectDrift,
  recorded: readonly RecordedObject[],
  runs: readonly RunRecord[],
): number | undefined {
  const own = recorded.find(({ address, objectKey }) => {
    return address === object.address && objectKey === "current";
  });
  if (own === undefined) return undefined;
  const machine = machineOf(own);
  const related = new Set(
    recorded.filter((one) => machineOf(one) === machine).map(({ address }) => address),
  );
  const hasUnaccepted = Object.keys(own.unaccepted ?? {}).length > 0;
  const times = runs.flatMap(({ operations, changes, beganMs }) => [
    ...operations
      .filter(({ address }) => related.has(address))
      .map((operation) => operation.endedMs ?? operation.beganMs),
    ...changes
      .filter(({ address, what }) => {
        if (address !== own.address) return false;
        // What was only noticed then has happened before.
        return what === "adopted" || (what === "outside" && !hasUnaccepted);
      })
      .map(() => beganMs),
  ]);
  return times.length === 0 ? undefined : Math.max(...times);
}

function machineOf({ provider, identity, container }: RecordedObject): string {
  return `${provider} ${container?.identity ?? identity}`;
}

/** The same report, with the answers of those that were asked about. */
export function withTold(
  report: DriftReport,
  answers: ReadonlyMap<Address, ChangeAnswer>,
): DriftReport {
  const objects = report.objects.map((object): ObjectDrift => {
    const answer = isAskedOf(object) ? answers.get(object.address) : undefined;
    if (answer === undefined) return object;
    const { changes, withheld } = answer;
    return {
      ...object,
      ...(changes.length === 0 ? {} : { told: changes }),
      ...(withheld === undefined ? {} : { withheld }),
    };
  });
  return { ...report, objects };
}

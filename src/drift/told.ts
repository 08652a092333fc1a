/** Joins to a report what servers tell of who has changed what has drifted. Pure. */

import type { DriftReport, ObjectDrift } from "../model/plan/drift-report.ts";
import type { ChangeAnswer, ChangeQuestion } from "../model/provider/told-change.ts";
import type { RecordedObject } from "../model/recorded/recorded.ts";
import type { RunOperation, RunRecord } from "../model/recorded/run-record.ts";
import type { Address } from "../model/value/address.ts";

/** Differences of clocks below this are of no account. */
const clockMarginMs = 60_000;

export type Asked = {
  readonly address: Address;
  /** With its alias. */
  readonly provider: string;
  readonly question: ChangeQuestion;
};

/** How far the clock of a server is ahead of ours, by provider; without those that tell none. */
export type ClocksAhead = ReadonlyMap<string, number>;

/** Providers with objects that have drifted: nobody else is asked. */
export function askedProviders({ objects }: Pick<DriftReport, "objects">): readonly string[] {
  return [...new Set(objects.filter(isAskedOf).map(({ provider }) => provider))];
}

/** One question for each object that has drifted, and none for any other. */
export function questionsOf(
  { objects }: Pick<DriftReport, "objects">,
  recorded: readonly RecordedObject[],
  runs: readonly RunRecord[],
  ahead: ClocksAhead,
): readonly Asked[] {
  return objects.filter(isAskedOf).map((object) => {
    const { address, provider, type, identity, drifted } = object;
    const attributes = drifted.map(({ attribute }) => attribute);
    const sinceMs = lastTrueMs(object, {
      recorded,
      runs,
      aheadMs: ahead.get(object.provider) ?? 0,
    });
    const since = sinceMs === undefined ? {} : { sinceMs };
    return { address, provider, question: { type, identity, attributes, ...since } };
  });
}

function isAskedOf({ verdict, objectKey, drifted }: ObjectDrift): boolean {
  return verdict === "drifted" && objectKey === "current" && drifted.length > 0;
}

type Known = {
  readonly recorded: readonly RecordedObject[];
  readonly runs: readonly RunRecord[];
  readonly aheadMs: number;
};

/**
 * When we last did something to its machine, or took what was there for recorded: until then what
 * is recorded was true. Content counts as its container, since their work is of the same kinds.
 */
function lastTrueMs(object: ObjectDrift, { recorded, runs, aheadMs }: Known): number | undefined {
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
      .map((operation) => endedAt(operation, aheadMs)),
    ...changes
      .filter(({ address, what }) => {
        if (address !== own.address) return false;
        // What was only noticed then has happened before.
        return what === "adopted" || (what === "outside" && !hasUnaccepted);
      })
      .map(() => beganMs + aheadMs),
  ]);
  return times.length === 0 ? undefined : Math.max(...times);
}

/**
 * By the clock of the server. What it told when the operation began counts, since the run may have
 * had another clock than we, or its own may have been set since; both, where they differ: silence
 * is better than work of ours that is told as that of somebody else.
 */
function endedAt({ beganMs, endedMs = beganMs, serverBeganMs }: RunOperation, aheadMs: number) {
  const byOurs = endedMs + aheadMs;
  if (serverBeganMs === undefined) return byOurs;
  const byTheirs = serverBeganMs + Math.max(0, endedMs - beganMs);
  // A clock of a run that was wrong by hours would hide all that has happened since.
  return Math.abs(byOurs - byTheirs) > clockMarginMs ? byTheirs : Math.max(byOurs, byTheirs);
}

function machineOf({ provider, identity, container }: RecordedObject): string {
  return `${provider} ${container?.identity ?? identity}`;
}

/** The same report, with the answers of those that were asked about. */
export function withTold(
  report: DriftReport,
  answers: ReadonlyMap<Address, ChangeAnswer>,
  ahead: ClocksAhead,
): DriftReport {
  const objects = report.objects.map((object): ObjectDrift => {
    const answer = isAskedOf(object) ? answers.get(object.address) : undefined;
    if (answer === undefined) return object;
    const { withheld } = answer;
    const aheadMs = ahead.get(object.provider);
    const changes =
      aheadMs === undefined
        ? answer.changes
        : answer.changes.map((change) => ({ ...change, clockAheadMs: aheadMs }));
    return {
      ...object,
      ...(changes.length === 0 ? {} : { told: changes }),
      ...(withheld === undefined ? {} : { withheld }),
    };
  });
  return { ...report, objects };
}

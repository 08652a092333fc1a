/** The history of runs as data for others, as `schemas/documents.schema.json` describes it. */

import type { RunChange, RunOperation, RunRecord } from "../../model/recorded/run-record.ts";
import type { ValueMap } from "../../model/value/value.ts";
import { publicMembers } from "../text/public-json.ts";
import type { Blamed } from "./runs-text.ts";

type Told = RunRecord & { readonly status: string };

/** One of a list. */
export function runSummaryJson(run: Told): ValueMap {
  const { id, command, subject, who, host, status, beganMs, end, operations, changes } = run;
  const counts = { success: 0, failed: 0, unknown: 0, begun: 0 };
  for (const { outcome = "begun" } of operations) counts[outcome] += 1;
  return publicMembers({
    ...{ id, command, subject, who, host },
    outcome: status,
    beganAt: timeOf(beganMs),
    endedAt: end === undefined ? undefined : timeOf(end.atMs),
    serial: end?.serial,
    operationCounts: counts,
    changeCount: changes.length,
  });
}

type Shown = Told & {
  readonly operations: readonly (RunOperation & { readonly settledBy?: string })[];
};

/** Everything of one. */
export function runJson(run: Shown): ValueMap {
  const { version, submission, plan, operations, changes, said, leftOut } = run;
  return {
    ...runSummaryJson(run),
    vmform_version: version,
    ...(submission === undefined ? {} : { submission }),
    ...(plan === undefined ? {} : { plan: planJson(plan) }),
    operations: operations.map(operationJson),
    changes: changes.map(changeJson),
    said: [...said],
    ...(leftOut === undefined ? {} : { left_out: leftOut }),
  };
}

function planJson({ id, saved, operations, counts, consents }: NonNullable<RunRecord["plan"]>) {
  return publicMembers({
    ...{ id, saved, operations },
    counts: publicMembers(counts),
    consents: consents.map((consent) => publicMembers(consent)),
  });
}

function operationJson(operation: Shown["operations"][number]): ValueMap {
  const { id, verb, address, beganMs, endedMs, outcome, message, settled } = operation;
  return publicMembers({
    ...{ id, address, verb, outcome, message },
    beganAt: timeOf(beganMs),
    endedAt: endedMs === undefined ? undefined : timeOf(endedMs),
    ofEarlierRun: settled,
    settledBy: operation.settledBy,
    attributes: operation.attributes,
  });
}

function changeJson(change: RunChange): ValueMap {
  return publicMembers(change);
}

export function blameJson(attributes: readonly Blamed[]): ValueMap[] {
  return attributes.map(({ name, how, verb, run, unaccepted }) =>
    publicMembers({
      ...{ name, how, verb, unaccepted },
      run: run?.id,
      command: run?.command,
      who: run?.who,
      host: run?.host,
      beganAt: run === undefined ? undefined : timeOf(run.beganMs),
    }),
  );
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** The errors of an apply, told again at its end: where, why, and what was left out for it. */

import type { Applied } from "../../engine/apply.ts";
import { problem } from "../../engine/codes.ts";
import type { OperationResult } from "../../engine/run/execution.ts";
import type { WindowChoice } from "../../engine/run/windows.ts";
import { shellWord } from "../../lib/shell-word.ts";
import { judgedBy, type OperationId } from "../../model/operation/operation.ts";
import type { Desired } from "../../model/plan/desired.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { keptOf } from "../../model/plan/plan-counts.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import { addressesText } from "../../model/value/address-text.ts";
import { outcomeOf } from "../history/applied.ts";
import type { RunNotes } from "../history/keep.ts";
import { pendingTold } from "./pending.ts";

/** Names of what was left out that are told; of more, the number is. */
const namesMax = 8;

/** What went wrong, for the history of runs as well. */
export function failuresTold(
  run: Pick<RunNotes, "say" | "outcome">,
  { window }: { readonly window: WindowChoice | undefined },
  {
    plan,
    result,
    desired,
  }: { readonly plan: Plan; readonly result: Applied; readonly desired: Wanted | undefined },
): readonly Diagnostic[] {
  const failures = [
    ...applyFailures(result, desired),
    ...pendingTold(result.pending, window),
    ...destroyRest(plan),
  ];
  run.say(failures);
  run.outcome(outcomeOf(result));
  return failures;
}

type Wanted = Pick<Desired, "instances">;

/** What a destroy has left: nobody can tell yet whether these objects exist. */
function destroyRest(plan: Plan): readonly Diagnostic[] {
  return keptOf(plan).map(({ address, reason }) =>
    problem({ address }, "RUN018", {
      detail: `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.`,
      fix: "It stays recorded. Destroy again when that time is over, or it has appeared.",
    }),
  );
}

/** Without `desired`, as for a saved plan, there are no places. O(operations + edges). */
export function applyFailures(
  { results }: Pick<Applied, "results">,
  desired: Pick<Desired, "instances"> | undefined,
): readonly Diagnostic[] {
  const culprits = culpritsOf(results);
  if (culprits.length === 0) return [];
  const wanted = new Set(
    culprits.map(
      ({
        operation: {
          subject: { address },
        },
      }) => address,
    ),
  );
  const places = new Map(
    (desired?.instances ?? []).flatMap(({ address, source }) =>
      source !== undefined && wanted.has(address) ? [[address, source] as const] : [],
    ),
  );
  const left = leftOut(results, culprits);
  return culprits.map((culprit) => {
    const { operation, message = "no reason is known", open } = culprit;
    const { summary, id } = operation;
    const { address } = operation.subject;
    const source = places.get(address);
    const names = [...(left.get(id) ?? [])].filter((name) => name !== address);
    const [judged] = judgedBy(operation);
    if (judged !== undefined) {
      const said = `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.${leftText(names)}`;
      const at = { address, source: source === undefined ? undefined : judged.source };
      return problem(at, conditionCodes[judged.kind], { detail: said });
    }
    return problem({ address, source }, "RUN017", {
      detail: `${summary}: ${message.replace(/\.$/, "")}.${leftText(names)}`,
      fix: open === true ? openFix(address) : "What was done stays done. Mend it, and apply again.",
    });
  });
}

const conditionCodes = { precondition: "RUN020", postcondition: "RUN021" } as const;

function openFix(address: Address): string {
  return (
    "It may still happen: the next vmform apply looks what became of it. Where you know that it " +
    `did not: vmform state resolve ${shellWord(address)} --not-done`
  );
}

function leftText(names: readonly Address[]): string {
  if (names.length === 0) return "";
  return ` Left out because of it: ${addressesText(names, namesMax)}.`;
}

/** What failed and was not made up for by its fallback. */
function culpritsOf(results: readonly OperationResult[]): readonly OperationResult[] {
  const madeUp = new Set(
    results.flatMap(
      ({
        operation: {
          order: { fallbackFor },
        },
        status,
      }) => (status === "success" && fallbackFor !== undefined ? [fallbackFor] : []),
    ),
  );
  return results.filter(
    ({ operation, status }) => status === "failed" && !madeUp.has(operation.id),
  );
}

/** Skipped operations stand behind the first failure that leads to them. */
function leftOut(
  results: readonly OperationResult[],
  culprits: readonly OperationResult[],
): ReadonlyMap<OperationId, ReadonlySet<Address>> {
  const followers = new Map<OperationId, OperationResult[]>();
  for (const result of results) {
    if (result.status !== "skipped") continue;
    for (const { id } of result.operation.order.after) {
      const known = followers.get(id) ?? [];
      known.push(result);
      followers.set(id, known);
    }
  }
  const seen = new Set<OperationId>();
  const left = new Map<OperationId, Set<Address>>();
  for (const { operation } of culprits) {
    const addresses = new Set<Address>();
    const { id: own } = operation;
    const { fallbackFor } = operation.order;
    const next = fallbackFor === undefined ? [own] : [own, fallbackFor];
    for (let id = next.pop(); id !== undefined; id = next.pop()) {
      for (const { operation: skipped } of followers.get(id) ?? []) {
        if (seen.has(skipped.id)) continue;
        seen.add(skipped.id);
        addresses.add(skipped.subject.address);
        next.push(skipped.id);
      }
    }
    left.set(operation.id, addresses);
  }
  return left;
}

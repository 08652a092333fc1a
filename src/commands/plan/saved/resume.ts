/**
 * `vmform apply --resume PLAN`: what is left of a plan that was approved and cut off. What was
 * begun is closed by reading, then it is planned anew; that is applied only where it asks for no
 * more than what was approved.
 */

import type { Ledger } from "../../../engine/ledger.ts";
import type { EnginePorts } from "../../../engine/ports.ts";
import { plural } from "../../../lib/text.ts";
import type { Plan } from "../../../model/plan/plan.ts";
import { nowhere } from "../../../model/said/problem.ts";
import type { DeferredValue, ReferenceLookup } from "../../../model/value/expression.ts";
import { beyondApproved, type Excess } from "../../../plan/policies/within-approved.ts";
import { problem } from "../../codes.ts";
import { DiagnosticError } from "../../environment.ts";

/** Code of a plan that asks for more than was approved. */
export const beyondApprovedCode = "CLI060";

/** Throws `DiagnosticError` with what the plan asks for beyond what was approved. */
export function requireWithinApproved(
  approved: Plan,
  plan: Plan,
  { ports, ledger }: { readonly ports: Pick<EnginePorts, "evaluate">; readonly ledger: Ledger },
): void {
  const beyond = beyondApproved(approved, plan, evaluatedBy(ports, lookupIn(plan, ledger)));
  if (beyond.length === 0) return;
  const shown = beyond.slice(0, shownMax).map((one) => `- ${excessText(one)}`);
  const more = beyond.length - shown.length;
  const rest = more > 0 ? [`- and ${plural(more, "more")}`] : [];
  throw new DiagnosticError([
    problem(nowhere, beyondApprovedCode, {
      detail: ["What is left to do is not all of it approved:", ...shown, ...rest].join("\n"),
    }),
  ]);
}

const shownMax = 20;

function excessText(one: Excess): string {
  if (one.kind === "mode") return "it was approved to apply, or to destroy, and this is the other";
  if (one.kind === "endpoint") return `provider ${one.provider} speaks to another server by now`;
  if (one.kind === "consent") return `${one.need.disruption} of ${one.need.address}`;
  const { summary, subject } = one.operation;
  return `${summary} (${subject.address})${one.why === "other" ? ", with other values" : ""}`;
}

/** Recorded objects, and what data sources answered for this plan. */
function lookupIn({ data }: Plan, ledger: Ledger): ReferenceLookup {
  const read = new Map(data.map(({ address, attributes }) => [address, attributes]));
  const objects = new Map(ledger.state().objects.map((object) => [object.address, object]));
  return (address) => {
    const object = objects.get(address);
    if (object === undefined) return read.get(address);
    return { ...object.applied, ...object.attributes, ...object.unaccepted };
  };
}

/** What cannot be computed is not known. */
function evaluatedBy({ evaluate }: Pick<EnginePorts, "evaluate">, lookup: ReferenceLookup) {
  return (deferred: DeferredValue) => {
    const { value, problems } = evaluate(deferred, lookup);
    return problems.length > 0 ? undefined : value;
  };
}

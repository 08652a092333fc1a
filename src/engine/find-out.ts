/**
 * Finds out what a configuration needs to know before it is complete: answers of data sources, and
 * what planning tells of objects. Reads only.
 */

import type { EngineEvent } from "../model/operation/event.ts";
import type { Desired } from "../model/plan/desired.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import type { Address } from "../model/value/address.ts";
import type { PlannedAttributes } from "../model/value/value.ts";
import type { Ledger } from "./ledger.ts";
import { expectedBy, lookWith } from "./look/look.ts";
import { answerQueries, createQueryReader, independentData } from "./look/query.ts";
import type { EnginePorts } from "./ports.ts";
import { type PrepareOptions, scout, settingsOf } from "./prepare.ts";
import type { Sessions } from "./sessions.ts";

export type FoundOut =
  | {
      readonly status: "known";
      /** What is not known before an apply is unknown. */
      readonly attributes: PlannedAttributes;
    }
  /** A data source that is read while applying, after what it comes of. */
  | { readonly status: "later"; readonly after: readonly Address[] }
  /** `why` goes on from the name of what was asked. */
  | { readonly status: "failed"; readonly why: string; readonly fix?: string | undefined };

/** What the part of the configuration that is known tells of `asked`; others are absent. */
export async function findOut(
  ports: EnginePorts,
  sessions: Sessions,
  ledger: Ledger,
  desired: Desired,
  asked: ReadonlySet<Address>,
  options: PrepareOptions,
): Promise<ReadonlyMap<Address, FoundOut>> {
  const found = new Map<Address, FoundOut>();
  // Conditions are judged by a plan: nothing may come of an answer that does not hold them.
  const judged = new Set(desired.data.flatMap((one) => (one.conditions ? [one.address] : [])));
  const ready = independentData(desired).filter(
    ({ address }) => asked.has(address) && !judged.has(address),
  );
  const look = lookWith(sessions, expectedBy(ledger.state(), undefined));
  const settings = settingsOf(desired, ledger, options.mode);
  const read = createQueryReader(look, settings, options.answers);
  for (const [address, answer] of await answerQueries(read, ready)) {
    if (answer.status === "failed") found.set(address, unreadable(answer.reason));
    else found.set(address, { status: "known", attributes: answer.attributes });
  }
  const rest = [...asked].filter((address) => !found.has(address));
  // Most ask data sources alone, which need no plan.
  if (rest.length === 0) return found;
  // The objects it reads are read again by the plan itself, which tells of it.
  const quiet = {
    ...ports,
    events: (event: EngineEvent) => (isTold(event) ? ports.events(event) : undefined),
  };
  const { plan, lookup } = await scout(quiet, sessions, ledger, desired, options);
  const data = new Map(plan.data.map((one) => [one.address, one]));
  for (const address of rest) {
    const attributes = lookup(address);
    const after = data.get(address)?.waitsFor ?? [];
    const problem = plan.diagnostics.find((one) => isProblemOf(one, address));
    if (problem !== undefined) found.set(address, failedBy(problem));
    else if (attributes !== undefined) found.set(address, { status: "known", attributes });
    else if (after.length > 0) found.set(address, { status: "later", after });
  }
  return found;
}

function unreadable(reason: string): FoundOut {
  return { status: "failed", why: `could not be read: ${reason}` };
}

/** What a plan says of it, with the way out that it names. */
function failedBy({ code, detail, fix }: Diagnostic): FoundOut {
  if (code === "PLN021") return unreadable(detail);
  return { status: "failed", why: `cannot be used: ${detail}`, fix };
}

function isTold({ kind }: EngineEvent): boolean {
  return kind !== "refresh-started" && kind !== "refresh-ended";
}

function isProblemOf({ severity, address }: Diagnostic, asked: Address): boolean {
  return severity === "error" && address === asked;
}

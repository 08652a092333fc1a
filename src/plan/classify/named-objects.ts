/**
 * Objects that a new one names by value, such as the VM it is cloned from or shared into: the
 * question "does it exist, and can it be used as it is?". Asked of those that no resource
 * stands for.
 */

import { isPowerState, type PowerState } from "../../model/operation/power.ts";
import type { Observation } from "../../model/provider/observation.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { problem } from "../codes.ts";
import type { NamedObject } from "../input.ts";
import { containerKey, holderKey } from "../keys.ts";
import { creates, endsFirst, type Unit } from "../unit.ts";
import type { Draft } from "./draft.ts";

type Naming = NamedObject & {
  readonly attribute: string;
  readonly needs: PowerState | undefined;
};

export type NamedVerdict = {
  readonly questions: readonly NamedObject[];
  readonly diagnostics: readonly Diagnostic[];
};

export function examineNamed(draft: Draft, unit: Unit): NamedVerdict {
  const questions: NamedObject[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const naming of namingsOf(draft, unit)) {
    const found = observationOf(draft, naming);
    if (found === "not asked") {
      const { key, provider, type, identity } = naming;
      questions.push({ key, provider, type, identity });
    } else if (found !== "is planned") {
      const wrong = objectionOf(draft, unit, naming, found);
      if (wrong !== undefined) diagnostics.push(wrong);
    }
  }
  return { questions, diagnostics };
}

function namingsOf({ input }: Draft, unit: Unit): readonly Naming[] {
  if (!creates(unit)) return [];
  const { type, provider, wanted } = unit;
  const { container } = type;
  const named = [
    ...type.links.map((link) => ({ ...link, needs: link.needs })),
    ...(container === undefined ? [] : [{ ...container, needs: undefined }]),
  ];
  return named.flatMap(({ attribute, type: other, needs }) => {
    const identity = wanted[attribute];
    if (typeof identity !== "string" || input.types[other]?.ownership !== "owned") return [];
    const key = holderKey({ provider, type: other, identity });
    return [{ key, provider, type: other, identity, attribute, needs }];
  });
}

/** What stands under the key, if no resource of this plan does. */
function observationOf(
  draft: Draft,
  { key, type, identity }: Naming,
): Observation | "is planned" | "not asked" {
  if (draft.byIdentity.has(containerKey({ type, identity }))) return "is planned";
  const record = draft.holders.get(key);
  if (record === undefined) return draft.input.named.get(key) ?? "not asked";
  const prior = draft.priors.get(record.address);
  const isGone = prior?.existence === "missing" && record.identity === identity;
  return isGone && !draft.desired.has(record.address)
    ? { status: "missing", proof: prior.why }
    : "is planned";
}

function objectionOf(
  { input }: Draft,
  unit: Unit,
  { type, identity, attribute, needs }: Naming,
  found: Observation,
): Diagnostic | undefined {
  const at = unit.desired ?? unit;
  if (found.status === "missing") {
    return problem(at, "PLN035", {
      detail: `${attribute} names the ${type} ${identity}, which does not exist: ${found.proof}.`,
      fix: `Correct ${attribute}, or make that object first.`,
    });
  }
  const power =
    found.status === "found" ? found.attributes[input.types[type]?.power?.observed ?? ""] : null;
  if (!endsFirst(unit) || needs === undefined || !isPowerState(power) || power === needs) {
    return undefined;
  }
  return sourceProblem(unit, `${type} ${identity}`, power, needs);
}

/** A create may be tried as it is; a replacement would have deleted something by then. */
export function sourceProblem(
  unit: Unit,
  source: string,
  power: PowerState,
  needs: PowerState,
): Diagnostic {
  return problem(unit.desired ?? unit, "PLN036", {
    detail:
      `It would be cloned from ${source}, which is ${power}: it has to be ${needs}, or the clone ` +
      "is refused when the old object is deleted already.",
    fix: `Turn ${source} off first; a managed one may be cycled: --allow power-cycle.`,
  });
}

/** Nothing can be cloned from what is deleted first. */
export function selfCloneProblem(unit: Unit): Diagnostic | undefined {
  const record = unit.prior?.record;
  if (!endsFirst(unit) || record === undefined) return undefined;
  const link = unit.type.links.find(
    ({ attribute, type }) => type === unit.type.name && unit.wanted[attribute] === record.identity,
  );
  if (link === undefined) return undefined;
  return problem(unit.desired ?? unit, "PLN037", {
    detail:
      `${link.attribute} names ${record.identity}, which is this very object: it is deleted ` +
      "before the new one is made.",
    fix: "Set lifecycle.create_before_destroy, or name another object.",
  });
}

/** What `vmform adopt` has found and done, for people and as data. */

import type { Found } from "../../commands/adopt/find.ts";
import type { Adopted } from "../../commands/adopt/record.ts";
import { plural } from "../../lib/text.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { planDiffers } from "../../model/plan/plan-counts.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import { equalValues, type ValueMap } from "../../model/value/value.ts";
import { escapeControls } from "../../render/text/safe-text.ts";

type FoundObjects = Extract<Found, { kind: "found" }>;

/** Lines that are named one by one; all of them stand in the plan. */
const namedMax = 10;

export function foundLines({
  file,
  resources,
  skipped,
  unlisted,
  filtered,
}: FoundObjects): readonly string[] {
  return [
    "",
    ...skipped.map(({ identity, reason }) => `Left out ${escapeControls(identity)}: ${reason}.`),
    ...unlisted.map(({ type, reason }) => `No ${type} could be looked for: ${reason}.`),
    ...(filtered === 0 ? [] : [`Left out ${plural(filtered, "object")} by the filter.`]),
    file === undefined
      ? "There is nothing to write configuration for."
      : `Wrote configuration of ${plural(resources.length, "object")} to ${file}.`,
  ];
}

export function resultLines({ recorded, left, plan }: Adopted): readonly string[] {
  const told = [
    recorded.length === 0
      ? "Nothing more was recorded."
      : `Recorded ${plural(recorded.length, "object")}.`,
    ...left.slice(0, namedMax).map(({ address, reason }) => `Not recorded: ${address}: ${reason}.`),
    ...more(left.length),
  ];
  if (hasErrors(plan.diagnostics)) {
    return [...told, "The plan has errors: see vmform plan, and run vmform adopt again."];
  }
  if (!planDiffers(plan)) {
    return [
      ...told,
      "The plan is empty: what was observed matches the configuration.",
      "Next: look through the configuration; vmform drift says what somebody changed since.",
    ];
  }
  const changes = [
    ...changesLeft(plan).map(({ address, what }) => `${address}: ${what}`),
    ...outputsLeft(plan).map((name) => `the output ${name} would be changed`),
  ];
  return [
    ...told,
    "The plan is not empty:",
    ...changes.slice(0, namedMax).map((change) => `  ${change}`),
    ...more(changes.length),
    "See all of it with vmform plan: change the configuration to what is there, or apply it.",
  ];
}

function more(count: number): readonly string[] {
  return count > namedMax ? [`  and ${count - namedMax} more`] : [];
}

const words = {
  create: "would be created",
  update: "would be changed",
  replace: "would be replaced",
  delete: "would be destroyed",
  forget: "would be forgotten",
} as const;

/** What applying would do, and what it could not. */
export function changesLeft(
  plan: Plan,
): readonly { readonly address: Address; readonly what: string }[] {
  const changes = plan.changes.flatMap(({ address, action }) =>
    action === "no-op" ? [] : [{ address, what: words[action] }],
  );
  const known = new Set(changes.map(({ address }) => address));
  const adopted = plan.notes.flatMap(({ note }) =>
    note.what === "adopt" && !known.has(note.object.address)
      ? [{ address: note.object.address, what: "would be recorded" }]
      : [],
  );
  const standing = plan.differences.map(({ address, attributes }) => ({
    address,
    what: `differs in ${attributes.map(({ attribute }) => attribute).join(", ")}`,
  }));
  return [...changes, ...adopted, ...standing];
}

function outputsLeft({ outputs }: Plan): readonly string[] {
  return outputs.flatMap(({ name, before, after }) => (equalValues(before, after) ? [] : [name]));
}

export function adoptDocument(
  found: Found,
  configured: readonly string[],
  adopted?: Adopted,
): ValueMap {
  const shown = found.kind === "found" ? foundJson(found) : {};
  return {
    configured,
    checks: found.checks.map((check) => ({ ...check })),
    ...shown,
    ...(adopted === undefined ? {} : adoptedJson(adopted)),
  };
}

function foundJson(found: FoundObjects): ValueMap {
  const { counts, file, resources, skipped, unlisted, filtered, variables } = found;
  return {
    found: counts.map((count) => ({ ...count })),
    ...(file === undefined ? {} : { file }),
    resources: resources.map(({ address, provider, identity }) => ({
      ...{ address, provider, id: identity },
    })),
    skipped: skipped.map(({ type, identity, reason }) => ({ type, id: identity, reason })),
    unlisted: unlisted.map(({ type, reason }) => ({ type, reason })),
    filtered,
    variables: [...variables],
  };
}

function adoptedJson({ recorded, left, plan }: Adopted): ValueMap {
  return {
    recorded: [...recorded],
    left: left.map(({ address, reason }) => ({ address, reason })),
    plan_is_empty: !planDiffers(plan) && !hasErrors(plan.diagnostics),
    changes: changesLeft(plan).map(({ address, what }) => ({ address, what })),
    outputs: [...outputsLeft(plan)],
  };
}

/** Each attribute of an object that a plan is asked about: its values, and the rule for it. */

import type { AttributeChange, Change } from "../../../model/plan/change.ts";
import type { DesiredInstance } from "../../../model/plan/desired.ts";
import type { DriftedAttribute, Plan, StandingDifference } from "../../../model/plan/plan.ts";
import { writtenTemplate } from "../../../model/value/expression.ts";
import type { AttributeSchema, SchemaRegistry } from "../../../model/value/resource-schema.ts";
import {
  equalValues,
  isKnown,
  memberOf,
  type PlannedAttributes,
} from "../../../model/value/value.ts";
import { isSensitive } from "../../text/value/sensitivity.ts";
import type { ExplainedAttribute, ExplainedValues } from "./explanation.ts";

export type AttributesWith = {
  readonly types: SchemaRegistry;
  readonly instance: DesiredInstance | undefined;
  readonly configured: PlannedAttributes | undefined;
};

/** In the order of the schema; without those that are set nowhere. */
export function explainedAttributes(
  plan: Plan,
  change: Change,
  given: AttributesWith,
): readonly ExplainedAttribute[] {
  const schema = given.types[change.type]?.schema.attributes ?? {};
  const names = new Set([
    ...Object.keys(schema),
    ...Object.keys(change.before ?? {}),
    ...Object.keys(change.after ?? {}),
  ]);
  const facts = factsOf(plan, change);
  return [...names].flatMap((name): readonly ExplainedAttribute[] => {
    const values = valuesOf(change, name, schema[name], facts, given);
    const isSet = Object.values(values).some((value) => value !== undefined && value !== null);
    if (!isSet) return [];
    const attribute = facts.changed.get(name);
    const { instance } = given;
    return [
      {
        name,
        place: instance?.placeOf?.(name),
        values,
        template: facts.templates.get(name),
        sensitive: attribute?.sensitive === true || isSensitive(given.types, change.type, name),
        remarks: remarksOf(values, schema[name], facts),
        rules: rulesOf({ name, values, schema: schema[name], change, facts, instance }),
      },
    ];
  });
}

/** What the plan tells of attributes of one object, by name. */
type Facts = {
  readonly changed: ReadonlyMap<string, AttributeChange>;
  readonly drifted: ReadonlyMap<string, DriftedAttribute>;
  readonly standing: ReadonlyMap<string, StandingDifference>;
  readonly templates: ReadonlyMap<string, string>;
  /** Why nothing of it was read; undefined where it was. */
  readonly notChecked: string | undefined;
};

function factsOf(plan: Plan, { address, attributes }: Change): Facts {
  const drift = plan.drift.filter((notice) => notice.address === address);
  const standing = plan.differences.filter((one) => one.address === address);
  const templates = plan.operations.flatMap(({ subject, request }) =>
    subject.address === address
      ? Object.entries(request.deferred).map(
          ([name, value]) => [name, writtenTemplate(value)] as const,
        )
      : [],
  );
  return {
    changed: new Map(attributes.map((one) => [one.attribute, one])),
    drifted: new Map(drift.flatMap((one) => one.attributes.map((item) => [item.attribute, item]))),
    standing: new Map(
      standing.flatMap((one) => one.attributes.map((item) => [item.attribute, item])),
    ),
    templates: new Map(templates),
    notChecked: plan.notChecked.find((one) => one.address === address)?.reason,
  };
}

function valuesOf(
  { before, after }: Change,
  name: string,
  schema: AttributeSchema | undefined,
  { drifted, notChecked }: Facts,
  { configured }: AttributesWith,
): ExplainedValues {
  const drift = drifted.get(name);
  const prior = before === null ? undefined : (memberOf(before, name) ?? undefined);
  const isRead = notChecked === undefined && schema?.unreadable !== true && schema?.local !== true;
  return {
    configured: configured === undefined ? undefined : (memberOf(configured, name) ?? undefined),
    recorded: drift === undefined ? prior : drift.recorded,
    observed: drift !== undefined ? drift.observed : isRead ? prior : undefined,
    planned: after === null ? undefined : (memberOf(after, name) ?? undefined),
  };
}

type Ruled = {
  readonly name: string;
  readonly values: ExplainedValues;
  readonly schema: AttributeSchema | undefined;
  readonly change: Change;
  readonly facts: Facts;
  readonly instance: DesiredInstance | undefined;
};

function rulesOf(ruled: Ruled): readonly string[] {
  const { name, change, facts, instance } = ruled;
  const drift = facts.drifted.get(name);
  const standing = facts.standing.get(name);
  const isKept = change.action === "update" || change.action === "no-op";
  const isIgnored = isKept && instance?.lifecycle.ignoreChanges.includes(name) === true;
  return [
    ...(drift === undefined ? [] : [driftRule(ruled)]),
    ...(isIgnored ? ["ignore_changes names it: what it is stays as it is"] : []),
    ...changeRules(ruled),
    ...(standing === undefined ? [] : [standingRule(standing)]),
  ];
}

function driftRule({ values: { recorded, planned } }: Ruled): string {
  const said = "changed outside of vmform since the last run";
  const isBack = planned !== undefined && equalValues(planned, recorded ?? null);
  return isBack ? `${said}, and set back` : said;
}

function changeRules({ name, values, schema, change, facts }: Ruled): readonly string[] {
  const changed = facts.changed.get(name);
  if (changed?.forcesReplace === true) {
    return ["differs and cannot be changed in place: forces replacement"];
  }
  if (values.planned !== undefined && !isKnown(values.planned)) {
    return facts.templates.has(name)
      ? ["its expression is known after apply"]
      : ["the server tells it, after apply"];
  }
  if (changed === undefined || (change.action !== "update" && change.action !== "replace"))
    return [];
  if (change.action === "replace") return ["is given to the new object"];
  return schema?.computed === true ? ["follows from what is changed"] : ["is changed in place"];
}

function standingRule({ why, wanted }: StandingDifference): string {
  return why === "lookup"
    ? "only finds the object, which stays the recorded one"
    : `is not changed in place, and stays as it is${wanted === null ? "" : "; drift tells of it"}`;
}

/** What has to be known of the values beside them. */
function remarksOf(
  { recorded }: ExplainedValues,
  schema: AttributeSchema | undefined,
  { notChecked }: Facts,
): readonly string[] {
  if (recorded === undefined) return [];
  if (schema?.local === true) return ["steers vmform alone, and is sent nowhere"];
  if (schema?.unreadable === true) return ["no read tells it: what was sent counts"];
  return notChecked === undefined ? [] : [`was not read: ${notChecked}`];
}

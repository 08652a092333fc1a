/** Conditions in the `lifecycle` of a resource or a data source, for one instance of it. */

import { type Scope, stepPath } from "../../expressions/evaluate/scope.ts";
import type { DesiredCondition } from "../../model/operation/condition.ts";
import { formatAddress, parseAddress } from "../../model/value/address.ts";
import type { DeferredValue, ReferenceLookup } from "../../model/value/expression.ts";
import { isKnown, type PlannedValue, unknown } from "../../model/value/value.ts";
import { templatesOfCondition } from "../blocks/condition.ts";
import { type ObjectCondition, type Resource, templatesIn } from "../blocks/resource.ts";
import type { Module } from "../modules/module.ts";
import type { ConfigTemplate } from "../read/value.ts";
import { positionOf, type Report } from "../report.ts";
import { checkTemplates, type ExpressionPlace } from "../values/check-expressions.ts";
import { judge } from "../values/condition.ts";
import { conditionsBehind } from "../values/conditions-behind.ts";
import { expressionsOf, scopeAt } from "../values/late-values.ts";
import type { Instance } from "./instance.ts";

/** Reports the problems of the expressions in the conditions of a resource. */
export function checkConditions(
  resource: Resource,
  place: ExpressionPlace,
  module: Module,
  report: Report,
): void {
  const { conditions, type, mode, key } = resource;
  for (const condition of conditions) {
    const templates = templatesOfCondition(condition);
    const isAfter = condition.kind === "postcondition";
    const self = mode === "data" ? `data.${type.name}` : type.name;
    checkTemplates(templates, isAfter ? { ...place, self } : place, module, report);
    for (const template of templates) refuseOwnName(template, key, isAfter, module, report);
  }
}

function refuseOwnName(
  template: ConfigTemplate,
  key: string,
  isAfter: boolean,
  module: Module,
  report: Report,
): void {
  const own = template.references.find(
    (one) => one.root === "resource" && `${one.type}.${one.name}` === key,
  );
  if (own === undefined || module.skipped.has(template)) return;
  const detail = isAfter
    ? `A postcondition of ${key} names ${key}.`
    : `A precondition of ${key} names ${key}, and is judged before anything is done for it.`;
  const fix = isAfter
    ? "Write self for the object itself."
    : "Write a postcondition, with self for the object itself.";
  report.add("CFG054", { detail, fix, place: template.place });
  module.skipped.add(template);
}

/** Undefined where there are none. */
export function desiredConditions(instance: Instance): readonly DesiredCondition[] | undefined {
  const { resource, scope, values } = instance;
  const conditions = [
    ...conditionsBehind(templatesIn(resource), scope, values),
    ...resource.conditions.map((condition) => desiredCondition(condition, instance)),
  ];
  return conditions.length === 0 ? undefined : conditions;
}

function desiredCondition(condition: ObjectCondition, instance: Instance): DesiredCondition {
  const templates = templatesOfCondition(condition);
  const { scope: at, values } = instance;
  const expressions = { ...expressionsOf(templates), values };
  return {
    kind: condition.kind,
    source: positionOf(condition.place),
    usesSelf: templates.some(({ references }) => references.some(({ root }) => root === "self")),
    resolve: (lookup, lateSelf) =>
      judge(condition, {
        scope: (report) => {
          const plain = scopeAt(at, expressions, lookup, report);
          const isAfter = condition.kind === "postcondition";
          return isAfter ? withSelf(plain, instance, lateSelf ? () => undefined : lookup) : plain;
        },
        skipped: at.module.skipped,
      }),
  };
}

/** `self` stands for the object: what is not known of it waits as a reference to it would. */
function withSelf(scope: Scope, { address, resource }: Instance, lookup: ReferenceLookup): Scope {
  const known = lookup(address);
  const self: { [name: string]: PlannedValue } = {};
  const pending: { [path: string]: DeferredValue } = {};
  const sensitive = new Set(scope.sensitive);
  const doubles = new Set(scope.doubles);
  for (const { name, type, sensitive: isSecret } of Object.values(
    resource.type.schema.attributes,
  )) {
    const path = stepPath("self", name);
    const value = known === undefined ? unknown : (known[name] ?? null);
    self[name] = value;
    if (!isKnown(value)) pending[path] = lateAttribute(address, name, type === "number");
    if (isSecret) sensitive.add(path);
    if (type === "number") doubles.add(path);
  }
  return {
    ...scope,
    values: { ...scope.values, self },
    pending: { ...scope.pending, ...pending },
    sensitive,
    doubles,
  };
}

function lateAttribute(
  address: Instance["address"],
  attribute: string,
  isDouble: boolean,
): DeferredValue {
  const parts = parseAddress(address);
  // Names in a template are those of its own module.
  const name = parts === undefined ? address : formatAddress({ ...parts, modules: [] });
  const plain = parts === undefined ? address : formatAddress(withoutKey(parts));
  return {
    template: `\${${name}.${attribute}}`,
    scope: {},
    pending: {},
    type: "any",
    ...(parts === undefined || parts.modules.length === 0 ? {} : { modules: parts.modules }),
    references: [{ address, attribute }],
    ...(isDouble ? { doubles: [`${plain}.${attribute}`] } : {}),
  };
}

function withoutKey({ mode, type, name }: NonNullable<ReturnType<typeof parseAddress>>) {
  return { modules: [], mode, type, name };
}

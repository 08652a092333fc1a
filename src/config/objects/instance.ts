/** Resource instances: their keys and values, and their attributes for a given lookup. */

import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { type Address, formatAddress } from "../../model/value/address.ts";
import type { DeferredValue, ReferenceLookup } from "../../model/value/expression.ts";
import { secretForms, secretReferenceOf } from "../../model/value/secret-reference.ts";
import { isKnown, type PlannedValue, unknown } from "../../model/value/value.ts";
import type { Resource } from "../blocks/resource.ts";
import { type Instances, reportIn } from "../modules/module.ts";
import { type InstanceValues, type ModuleScope, valuesByKey } from "../modules/module-scope.ts";
import { checkValue, type Shape } from "../read/form/shape.ts";
import { type ConfigValue } from "../read/value.ts";
import { type Place, positionOf, type Report } from "../report.ts";
import { deferredOf, evaluate } from "../values/evaluation.ts";
import { scopeAt } from "../values/late-values.ts";

export type Instance = {
  readonly address: Address;
  readonly resource: Resource;
  /** The module instance it belongs to. */
  readonly scope: ModuleScope;
  readonly values: InstanceValues;
};

export type EvaluatedAttributes = {
  readonly attributes: { readonly [name: string]: PlannedValue };
  readonly deferred: { readonly [name: string]: DeferredValue };
};

/** The instances of a resource, in order. */
export function instancesOf(
  resource: Resource,
  instances: Instances,
  scope: ModuleScope,
): readonly Instance[] {
  const { mode, name } = resource;
  const base = { modules: scope.path, mode, type: resource.type.name, name };
  return Array.from(valuesByKey(instances), ([key, values]) => {
    const address = formatAddress(key === undefined ? base : { ...base, key });
    return { address, resource, scope, values };
  });
}

/**
 * Evaluates the attributes as far as the lookup allows, checks them against the schema and fills in
 * defaults. Attributes that are not set are left out. Problems go to the report.
 */
export function evaluateInstance(
  { address, resource, scope, values }: Instance,
  lookup: ReferenceLookup,
  whole: Report,
): EvaluatedAttributes {
  const report = reportIn(scope.module, whole);
  const evaluation = {
    scope: scopeAt(scope, { references: resource.references, values }, lookup, whole),
    report,
    skipped: scope.module.skipped,
  };
  const attributes: { [name: string]: PlannedValue } = {};
  const deferred: { [name: string]: DeferredValue } = {};
  for (const [name, written] of resource.attributes) {
    const shape = resource.shape.properties.get(name);
    if (shape === undefined) continue;
    if (written.kind === "constant") {
      if (written.value !== null) attributes[name] = written.value;
      continue;
    }
    const evaluated = evaluate(written, "value", evaluation);
    const { value } = evaluated;
    const check: AttributeCheck = { name, written, value, shape, address, report };
    if (!evaluated.problems) checkAttribute(check, evaluated.sensitive.length > 0, resource);
    if (value === null) continue;
    // Later checks would repeat in their messages what must not be here.
    const misplaced = evaluated.sensitive.length > 0 && !shape.sensitive;
    attributes[name] = misplaced ? unknown : value;
    const waiting = deferredOf(written, evaluated, shape.type);
    if (waiting !== undefined) deferred[name] = waiting;
  }
  fillDefaults(resource, attributes);
  return { attributes, deferred };
}

/** Problems that the type itself finds in values that are known so far. */
export function typeProblems(
  { address, resource }: Instance,
  attributes: { readonly [name: string]: PlannedValue },
): readonly Diagnostic[] {
  const found = resource.type.check?.(attributes, address) ?? [];
  return found.map((diagnostic) => {
    const source = diagnostic.source ?? positionOf(resource.place);
    return { ...diagnostic, source, address };
  });
}

type AttributeCheck = {
  readonly name: string;
  readonly written: ConfigValue;
  readonly value: PlannedValue;
  readonly shape: Shape;
  readonly address: Address;
  readonly report: Report;
};

function checkAttribute(check: AttributeCheck, sensitive: boolean, resource: Resource): void {
  const { name, written, value, shape, address, report } = check;
  const { place } = written;
  if (value === null) {
    if (!resource.shape.required.includes(name)) return;
    const detail = `${resource.type.name} needs ${name}, but the expression gives null.`;
    report.add("CFG018", { detail, place, address });
    return;
  }
  if (shape.sensitive) {
    checkSecret(value, place, address, report);
    return;
  }
  if (sensitive) {
    const detail = `A sensitive value in ${name} would be stored and sent as plain text.`;
    const fix = "Use a value that is not sensitive.";
    report.add("CFG035", { detail, fix, place, address });
    return;
  }
  for (const problem of checkValue(value, shape)) {
    const more = shape.description === "" ? "" : ` ${shape.description}`;
    report.add("CFG020", { detail: `${problem}${more}`, place, address });
  }
}

/** A sensitive place holds a reference to a secret, so that no plain text is ever recorded. */
export function checkSecret(
  value: PlannedValue,
  place: Place,
  address: Address | undefined,
  report: Report,
): void {
  if (!isKnown(value) || secretReferenceOf(value) !== undefined) return;
  const detail = "The expression gives a secret in plain text, which would be recorded.";
  const fix = `Give ${secretForms}, here or as the value of the variable.`;
  report.add("CFG034", { detail, fix, place, address });
}

function fillDefaults(resource: Resource, attributes: { [name: string]: PlannedValue }): void {
  for (const { name, default: fallback } of Object.values(resource.type.schema.attributes)) {
    if (fallback !== undefined && !Object.hasOwn(attributes, name)) attributes[name] = fallback;
  }
}

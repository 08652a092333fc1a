/** Checks every expression against what is declared, before anything is evaluated. */

import { checkTemplate } from "../../expressions/check/check.ts";
import type { ExpressionTypes } from "../../expressions/check/expression-types.ts";
import { nameProblems } from "../../expressions/check/names.ts";
import type { RootReference } from "../../expressions/evaluate/references.ts";
import { movedBy } from "../../expressions/syntax/problem.ts";
import type { Template } from "../../expressions/syntax/template.ts";
import type { InstanceKey } from "../../model/value/address.ts";
import { isLateReference } from "../modules/late-names.ts";
import { type Instances, isBrokenReference, type Module } from "../modules/module.ts";
import type { ModuleScope } from "../modules/module-scope.ts";
import { didYouMean } from "../read/form/spelling.ts";
import { type ConfigTemplate, placeInText } from "../read/value.ts";
import type { Report } from "../report.ts";

/** Where expressions stand, and so what they may use. */
export type ExpressionPlace = {
  readonly each?: boolean;
  readonly count?: boolean;
  /** Type of `self`, where it exists. */
  readonly self?: string;
  /**
   * Resources may not be used, directly or through locals: `why` says so. `code` tells apart what
   * protects from what is read before.
   */
  readonly constant?: { readonly code: "CFG023" | "CFG055"; readonly why: string };
};

/** Problems of one text that are told one by one: each takes as long as its line is. */
const problemsMax = 50;

/** Reports the problems of templates; those with any, or that use something broken, are skipped. */
export function checkTemplates(
  templates: Iterable<ConfigTemplate>,
  at: ExpressionPlace,
  module: Module,
  report: Report,
): void {
  const types: ExpressionTypes = {
    module: module.types,
    each: at.each === true,
    count: at.count === true,
    ...(at.self === undefined ? {} : { self: at.self }),
  };
  for (const template of templates) {
    if (!isSound(template, types, at, module, report)) module.skipped.add(template);
  }
}

function isSound(
  leaf: ConfigTemplate,
  types: ExpressionTypes,
  at: ExpressionPlace,
  module: Module,
  report: Report,
): boolean {
  const { template, references, place, shape } = leaf;
  const broken = references.filter((reference) => isBrokenReference(reference, module));
  if (broken.length > 0) {
    if (!broken.every((reference) => lacksValueAlone(reference, module))) return false;
    reportProblems("CFG024", templateNameProblems(template, types), leaf, report);
    return false;
  }
  if (at.constant !== undefined) {
    const late = references.find((reference) => isLateReference(reference, module));
    if (late !== undefined) {
      const { code, why } = at.constant;
      const detail = `${why}${throughName(late)}`;
      const fix = "Use vars, locals that need no resource, and path.";
      report.add(code, { detail, fix, place: placeInText(place, template.text, late.offset) });
      return false;
    }
  }
  const names = templateNameProblems(template, types);
  const problems = names.length > 0 ? names : checkTemplate(template, types, shape.type);
  reportProblems(names.length > 0 ? "CFG024" : "CFG025", problems, leaf, report);
  return problems.length === 0;
}

/** Of a variable without a value, the names in it can be judged all the same. */
function lacksValueAlone(reference: RootReference, { variables }: Module): boolean {
  return reference.root === "vars" && variables.get(reference.name ?? "")?.broken === false;
}

function reportProblems(
  code: "CFG024" | "CFG025",
  problems: ReturnType<typeof checkTemplate>,
  { place, template }: ConfigTemplate,
  report: Report,
): void {
  for (const { message, fix, offset, end } of problems.slice(0, problemsMax)) {
    report.add(code, {
      detail: message,
      fix,
      place: placeInText(place, template.text, offset, end),
    });
  }
  if (problems.length > problemsMax) {
    const detail = `This text has ${problems.length - problemsMax} more mistakes of the kind.`;
    report.add(code, { detail, place: placeInText(place, template.text, 0) });
  }
}

function templateNameProblems(
  template: Template,
  types: ExpressionTypes,
): ReturnType<typeof nameProblems> {
  return template.parts.flatMap((part) => {
    if (part.kind === "text") return [];
    const problems = nameProblems(part.source, types);
    return problems.map((problem) => movedBy(problem, part.offset));
  });
}

function throughName(reference: RootReference): string {
  if (reference.root === "resource" || reference.name === undefined) return "";
  return ` ${reference.root}.${reference.name} needs one.`;
}

/**
 * Reports constant instance keys that no instance of a resource or a called module has. Templates
 * with one are skipped.
 */
export function checkInstanceKeys(
  templates: Iterable<ConfigTemplate>,
  { module, instances, called }: ModuleScope,
  report: Report,
): void {
  for (const leaf of templates) {
    if (module.skipped.has(leaf)) continue;
    for (const reference of leaf.references) {
      const { name, key } = keyed(reference);
      const known =
        reference.root === "resource" ? instances.get(name) : called.get(name)?.instances;
      if (key === undefined || known === undefined || hasInstance(known, key)) continue;
      const written = reference.root === "resource" ? name : `module.${name}`;
      const detail = `${written} has no instance ${JSON.stringify(key)}.`;
      const fix = keyAdvice(known, key);
      const place = placeInText(leaf.place, leaf.template.text, reference.offset);
      report.add("CFG024", { detail, fix, place });
      module.skipped.add(leaf);
    }
  }
}

/** What a reference names, and the constant key of an instance in it. */
function keyed(reference: RootReference): {
  readonly name: string;
  readonly key?: InstanceKey | undefined;
} {
  if (reference.root === "resource") {
    return { name: `${reference.type}.${reference.name}`, key: reference.key };
  }
  if (reference.root !== "module") return { name: "" };
  const [step] = reference.steps ?? [];
  return { name: reference.name ?? "", key: step?.text ?? step?.number };
}

function hasInstance(instances: Instances, key: InstanceKey): boolean {
  if (instances.kind === "single") return true;
  if (instances.kind === "map") return typeof key === "string" && instances.keys.has(key);
  return typeof key === "number" && key < instances.length;
}

function keyAdvice(instances: Instances, key: InstanceKey): string {
  if (instances.kind !== "map") {
    const count = instances.kind === "list" ? instances.length : 1;
    return count === 0 ? "It has none at all." : `They are numbered from 0 to ${count - 1}.`;
  }
  const meant = didYouMean(String(key), instances.keys);
  if (meant !== undefined) return meant;
  const some = [...instances.keys].slice(0, 8).map((known) => JSON.stringify(known));
  if (some.length === 0) return "It has none at all.";
  return `It has ${some.join(", ")}${instances.keys.size > some.length ? " and others" : ""}.`;
}

/**
 * Ephemeral variables are never recorded: neither in state, nor in a saved plan or journal. So
 * whatever uses one, directly or through locals, may stand only where nothing is recorded.
 */

import type { RootReference } from "../../expressions/evaluate/references.ts";
import { secretForms } from "../../model/value/secret-reference.ts";
import { templatesOfCondition } from "../blocks/condition.ts";
import { templatesIn } from "../blocks/resource.ts";
import { type Module, modulesIn, reportIn } from "../modules/module.ts";
import { type ConfigTemplate, type ConfigValue, placeInText, templatesOf } from "../read/value.ts";
import type { Report } from "../report.ts";

/** Names such as `vars.token` and `locals.header`, whose values are ephemeral. */
export function ephemeralNames({ variables, locals }: Module): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { name, ephemeral } of variables.values()) if (ephemeral) names.add(`vars.${name}`);
  if (names.size === 0) return names;
  for (const { name, references } of locals.ordered) {
    if (references.some((reference) => usesAny(reference, names))) names.add(`locals.${name}`);
  }
  return names;
}

/** Whether it uses an ephemeral value, directly or through locals. */
export function isEphemeral(value: ConfigValue, module: Module): boolean {
  const names = ephemeralNames(module);
  const used = templatesOf(value).flatMap(({ references }) => references);
  return names.size > 0 && used.some((reference) => usesAny(reference, names));
}

/** Refuses ephemeral values in attributes, instances, outputs, checks and inputs. */
export function refuseEphemeral(root: Module, whole: Report): void {
  for (const module of modulesIn(root)) refuseInModule(module, reportIn(module, whole));
}

function refuseInModule(module: Module, report: Report): void {
  const names = ephemeralNames(module);
  if (names.size === 0) return;
  const refuse = (value: ConfigValue | undefined, subject: string): void => {
    if (value !== undefined) refuseIn(templatesOf(value), subject, names, report);
  };
  for (const resource of module.resources.values()) {
    const subject = `What ${resource.key} says`;
    refuse(resource.count, subject);
    refuse(resource.forEach, subject);
    refuse(resource.protection, subject);
    refuseIn(templatesIn(resource), subject, names, report);
  }
  for (const { name, value, conditions } of module.outputs.values()) {
    refuse(value, `The output ${name}`);
    refuseIn(conditions.flatMap(templatesOfCondition), `The output ${name}`, names, report);
  }
  // One that waits for an apply is kept in a saved plan, with the values that are known.
  for (const check of module.checks) {
    refuseIn(templatesOfCondition(check), `The check ${check.name}`, names, report);
  }
  for (const called of module.called.values()) {
    for (const [name, value] of called.caller?.inputs ?? []) {
      if (called.variables.get(name)?.ephemeral !== true) refuse(value, `The input ${name}`);
    }
  }
}

/** `subject` is what the templates belong to, as a sentence begins. */
export function refuseIn(
  templates: readonly ConfigTemplate[],
  subject: string,
  names: ReadonlySet<string>,
  report: Report,
): void {
  for (const { references, place, template } of templates) {
    const used = references.find((reference) => usesAny(reference, names));
    if (used === undefined) continue;
    const detail = `${subject} is recorded, and an ephemeral value must not be.`;
    const fix =
      "Use it in locals and validations only; a secret of a provider or resource is written " +
      `as ${secretForms}, which is all that is recorded of it.`;
    report.add("CFG053", { detail, fix, place: placeInText(place, template.text, used.offset) });
  }
}

function usesAny(reference: RootReference, names: ReadonlySet<string>): boolean {
  if (reference.root !== "vars" && reference.root !== "locals") return false;
  if (reference.name !== undefined) return names.has(`${reference.root}.${reference.name}`);
  return [...names].some((name) => name.startsWith(`${reference.root}.`));
}

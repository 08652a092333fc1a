/**
 * Values that differ with each plan, since they use the time of the plan: said beforehand, so that
 * nobody wonders about a change that nobody made.
 */

import { asksTime } from "../../expressions/syntax/calls.ts";
import { type Module, modulesIn, reportIn } from "../modules/module.ts";
import { type ConfigTemplate, type ConfigValue, templatesOf } from "../read/value.ts";
import type { Report } from "../report.ts";

export function warnOfPlanTime(root: Module, whole: Report): void {
  for (const module of modulesIn(root)) warnIn(module, reportIn(module, whole));
}

function warnIn(module: Module, report: Report): void {
  const asking = askingLocals(module);
  const warn = (value: ConfigValue, detail: string, fix: string): void => {
    const template = templatesOf(value).find((one) => changes(one, asking));
    if (template === undefined) return;
    report.add("CFG050", { severity: "warning", detail, fix, place: template.place });
  };
  for (const { mode, attributes, lifecycle, key } of module.resources.values()) {
    if (mode === "data") continue;
    for (const [attribute, value] of attributes) {
      if (lifecycle.ignoreChanges.includes(attribute)) continue;
      const detail = `${attribute} of ${key} uses timestamp(), so that each plan changes it again.`;
      const fix =
        `Write lifecycle: { ignore_changes: [${attribute}] } to keep the time of its creation, ` +
        "or give a time with a variable.";
      warn(value, detail, fix);
    }
  }
  if (module.caller !== undefined) return;
  for (const { name, value } of module.outputs.values()) {
    const detail = `The output ${name} uses timestamp(), so that each plan changes it again.`;
    warn(value, detail, "Give a time with a variable if it is to stay.");
  }
}

function askingLocals({ locals }: Module): ReadonlySet<string> {
  const asking = new Set<string>();
  for (const { name, value, uses } of locals.ordered) {
    const own = value !== undefined && templatesOf(value).some((one) => changes(one, asking));
    if (own || [...uses].some((used) => asking.has(used))) asking.add(name);
  }
  return asking;
}

function changes({ template, references }: ConfigTemplate, asking: ReadonlySet<string>): boolean {
  const own = template.parts.some((part) => part.kind === "expression" && asksTime(part.source));
  if (own) return true;
  return references.some(
    ({ root, ...rest }) =>
      root === "locals" && "name" in rest && rest.name !== undefined && asking.has(rest.name),
  );
}

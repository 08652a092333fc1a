/**
 * What cannot be told before something is read: which instances a resource or a module has, how a
 * provider is reached. Whoever reads a configuration finds it out and reads it once more.
 */

import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { type ModuleStep, moduleText } from "../../model/value/address.ts";
import type { Reference } from "../../model/value/expression.ts";
import { type Module, reportIn } from "../modules/module.ts";
import { createReport, type Place } from "../report.ts";

export type WaitingFor = {
  /** `count`, `for_each`, or a setting of a provider. */
  readonly setting: string;
  readonly place: Place;
  readonly references: readonly Reference[];
};

export type Waiting = {
  /** The resource or module as addresses begin, or the provider by its name. */
  readonly subject: string;
  readonly setting: string;
  /** What has to be known. */
  readonly references: readonly Reference[];
  /** That it cannot be found out, with its place. */
  readonly problem: (detail: string, fix: string) => Diagnostic;
};

/** `name` is that of a resource or, as `module.lab`, of a call. */
export function waitingIn(
  { module, path }: { readonly module: Module; readonly path: readonly ModuleStep[] },
  name: string,
  { setting, place, references }: WaitingFor,
): Waiting {
  const way = moduleText(path);
  const problem = (detail: string, fix: string): Diagnostic => {
    const report = createReport();
    reportIn(module, report).add("CFG033", { detail, fix, place });
    const [diagnostic] = report.diagnostics();
    if (diagnostic === undefined) throw new Error("a report holds nothing of what it was told");
    return diagnostic;
  };
  return { subject: way === "" ? name : `${way}.${name}`, setting, references, problem };
}

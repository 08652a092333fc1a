/**
 * Reads a configuration for destroying. A sound one decides; of one with errors nothing is used but
 * policies and the block `vmform`, which says where recorded state is: settings of providers and
 * protection are those of the last apply. Pure.
 */

import type { Desired, Keeping } from "../model/plan/desired.ts";
import type { Diagnostic, WithDiagnostics } from "../model/said/diagnostic.ts";
import { nowhere } from "../model/said/problem.ts";
import { configurationProblems } from "./codes.ts";
import { type Configuration, type LoadInput, loadConfiguration } from "./load.ts";
import { loadPolicies } from "./load-policies.ts";
import { loadSettings } from "./load-settings.ts";
import type { Settings } from "./settings/settings.ts";

export type DestroyConfiguration = Desired &
  Pick<Configuration, "declared"> & {
    readonly settings: Settings;
    readonly keeping: Keeping;
  };

/**
 * Undefined when the block `vmform` has errors: nobody could tell then which state is meant. Also
 * when policies cannot be read: nobody could tell what they forbid.
 */
export function loadForDestroy(
  input: LoadInput,
): WithDiagnostics<DestroyConfiguration | undefined> {
  const { value: whole, diagnostics } = loadConfiguration(input);
  if (whole !== undefined) {
    const { settings, providers, declared, removed, policies = [] } = whole;
    const keeping = keepingOf(whole);
    const value = { ...nothing, settings, providers, declared, removed, policies, keeping };
    return { value, diagnostics };
  }
  if (input.files.length === 0) return { value: undefined, diagnostics };
  const { settings, diagnostics: stopping } = loadSettings(input.files, input);
  if (stopping.some(isError)) return { value: undefined, diagnostics: stopping };
  const { value: policies, diagnostics: unread } = loadPolicies(input);
  if (policies === undefined) return { value: undefined, diagnostics: unread };
  return {
    value: unused({ settings, policies }),
    diagnostics: [notUsed(errorsText(diagnostics), wayOut(diagnostics))],
  };
}

const nothing = { instances: [], data: [], outputs: [], moved: [], removed: [], imports: [] };

function keepingOf({ protection }: Configuration): Keeping {
  return { by: "configuration", ...protection };
}

/** What is left of a configuration that is not used: policies are judged all the same. */
export function unused({
  settings,
  policies = [],
}: Pick<DestroyConfiguration, "settings" | "policies">): DestroyConfiguration {
  return { ...nothing, settings, policies, providers: [], declared: [], keeping: { by: "record" } };
}

/** Tells that the configuration is not used, why, and what is instead. */
export function notUsed(why: string, fix: string): Diagnostic {
  const instead =
    "Settings of providers and protection (prevent_destroy) are those of the last apply.";
  return configurationProblems.warning(nowhere, "CFG045", { detail: `${why} ${instead}`, fix });
}

const shownMax = 3;

/** Where the errors are, and what they are in a few words. */
function errorsText(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(isError);
  const shown = errors.slice(0, shownMax).map(({ source, code, summary }) => {
    const where = source === undefined ? "" : `${source.file}:${source.line}:${source.column}: `;
    return `${where}${summary} (${code})`;
  });
  const more = errors.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}.`;
}

/** With the way out of the first error, which may be a value that is to be given. */
function wayOut(diagnostics: readonly Diagnostic[]): string {
  const first = diagnostics.find(isError)?.fix;
  const mend = first === undefined ? "" : ` ${first}`;
  return `To have it used, mend it.${mend} All that is wrong: vmform validate`;
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}

/** The `providers` block: endpoints and their settings, evaluated before anything is read. */

import { type Scope, valuePath } from "../../expressions/evaluate/scope.ts";
import type { DesiredProvider } from "../../model/plan/desired.ts";
import type { ResourceSchema } from "../../model/value/resource-schema.ts";
import { isKnown, type Value } from "../../model/value/value.ts";
import { providerOfName as baseOf, providerOfType } from "../blocks/resource.ts";
import { type Module, modulesIn, reportIn } from "../modules/module.ts";
import { type BlockEntry, entryContext } from "../read/blocks.ts";
import { nameProblem } from "../read/names.ts";
import { readMembers } from "../read/read.ts";
import { attributesShapeOf } from "../read/schemas.ts";
import { checkValue, type Shape } from "../read/shape.ts";
import { didYouMean, listWords } from "../read/spelling.ts";
import { type ConfigValue, templatesOf } from "../read/value.ts";
import { type Place, positionOf, type Report } from "../report.ts";
import { checkTemplates, type ExpressionPlace } from "../values/check-expressions.ts";
import { ephemeralNames, refuseIn } from "../values/ephemeral.ts";
import { evaluate } from "../values/evaluation.ts";
import { checkSecret } from "./instance.ts";

export type ProviderSettings = { readonly [provider: string]: ResourceSchema };

export type KnownProviders = {
  readonly schemas: ProviderSettings;
  /** Names and versions of packages, by the provider that comes from one. */
  readonly packages: { readonly [provider: string]: string };
};

/**
 * The declared providers, and those that are used without being declared and need no settings of
 * the user. In the order of the configuration.
 */
export function readProviders(
  entries: ReadonlyMap<string, BlockEntry>,
  known: KnownProviders,
  module: Module,
  scope: Scope,
  report: Report,
): readonly DesiredProvider[] {
  const { schemas } = known;
  const providers = [...entries.values()].flatMap(
    (entry) => readProvider(entry, known, module, scope, report) ?? [],
  );
  const implicit = new Map<string, DesiredProvider>();
  const used = modulesIn(module).flatMap((at) =>
    [...at.resources.values()].map((resource) => ({ resource, told: reportIn(at, report) })),
  );
  for (const { resource, told } of used) {
    const { provider, type, providerPlace } = resource;
    const base = providerOfType(type.name);
    if (baseOf(provider) !== base) {
      const detail = `${provider} is not a provider of ${type.name}, which belongs to ${base}.`;
      const fix = `Use ${base} or one of its aliases.`;
      told.add("CFG037", { detail, fix, place: providerPlace });
      continue;
    }
    if (entries.has(provider) || implicit.has(provider)) continue;
    const problem = undeclaredProblem(provider, base, schemas);
    if (problem === undefined) {
      implicit.set(provider, { name: provider, settings: defaultsOf(schemas[base]) });
      continue;
    }
    const fix = didYouMean(provider, entries.keys()) ?? `Add ${provider} to the block providers.`;
    told.add("CFG037", { detail: problem, fix, place: providerPlace });
  }
  return [...providers, ...implicit.values()];
}

function undeclaredProblem(
  provider: string,
  base: string,
  schemas: ProviderSettings,
): string | undefined {
  if (provider !== base) return `The provider ${provider} is not declared.`;
  const needed = Object.values(schemas[base]?.attributes ?? {}).filter(
    (setting) => setting.required && setting.default === undefined,
  );
  if (needed.length === 0) return undefined;
  const names = listWords(
    needed.map(({ name }) => name),
    "and",
  );
  return `The provider ${provider} is not declared, and it needs ${names}.`;
}

function readProvider(
  entry: BlockEntry,
  { schemas, packages }: KnownProviders,
  module: Module,
  scope: Scope,
  report: Report,
): DesiredProvider | undefined {
  const { name, place, node } = entry;
  const base = baseOf(name);
  const schema = Object.hasOwn(schemas, base) ? schemas[base] : undefined;
  const alias = name === base ? undefined : name.slice(base.length + 1);
  if (schema === undefined) {
    const detail = `There is no provider ${JSON.stringify(base)}.`;
    const known = Object.keys(schemas);
    const fix = didYouMean(base, known) ?? `The providers are ${listWords(known, "and")}.`;
    report.add("CFG037", { detail, fix, place });
    return undefined;
  }
  if (alias !== undefined && nameProblem(alias) !== undefined) {
    const detail = `${JSON.stringify(alias)} cannot be an alias: ${nameProblem(alias)}.`;
    report.add("CFG014", { detail, fix: `Write it like ${base}.east.`, place });
    return undefined;
  }
  const shape = attributesShapeOf(schema);
  const context = entryContext(entry, `provider ${base}`, report);
  const empty = node.kind === "scalar" && node.plain && node.text === "";
  if (node.kind !== "map" && !empty) {
    const detail = `${name} takes a map: one line for each setting.`;
    report.add("CFG012", { detail, place });
    return undefined;
  }
  const { start, end } = node;
  const label = Object.hasOwn(packages, base) ? packages[base] : undefined;
  const entries = (node.kind === "map" ? node.entries : []).filter(
    // What it is of was read before.
    ({ key }) => label === undefined || key.text !== "package",
  );
  const members = readMembers({ kind: "map", entries, start, end }, shape, context);
  const settings: { [name: string]: Value } = { ...defaultsOf(schema) };
  if (label !== undefined) settings.package = label;
  for (const [setting, written] of members) {
    const member = shape.properties.get(setting);
    if (written === undefined || member === undefined) continue;
    const value = evaluateSetting({ setting, written, shape: member }, module, scope, report);
    if (value !== undefined && value !== null) settings[setting] = value;
  }
  warnOfTrust(name, settings, members.get("allow_unverified_ssl")?.place ?? place, report);
  return { name, settings, source: positionOf(place) };
}

/** What was set in a hurry is forgotten, and is told again by every run until it is gone. */
function warnOfTrust(
  name: string,
  settings: { readonly [name: string]: Value },
  place: Place,
  report: Report,
): void {
  if (settings.allow_unverified_ssl !== true) return;
  const detail =
    `${name} trusts whoever answers at its url: who stands between reads the password and ` +
    "changes what is read.";
  const fix = "Set ca_file or thumbprint in place of allow_unverified_ssl.";
  report.add("CFG047", { severity: "warning", detail, fix, place });
}

type Setting = { readonly setting: string; readonly written: ConfigValue; readonly shape: Shape };

const constantPlace: ExpressionPlace = {
  constant: {
    code: "CFG023",
    why: "Settings of a provider are needed before any resource is known.",
  },
};

function evaluateSetting(
  { setting, written, shape }: Setting,
  module: Module,
  scope: Scope,
  report: Report,
): Value | undefined {
  if (written.kind === "constant") return written.value;
  const { place } = written;
  checkTemplates(templatesOf(written), constantPlace, module, report);
  refuseIn(templatesOf(written), `The setting ${setting}`, ephemeralNames(module), report);
  const options = { scope, report, skipped: module.skipped };
  const { value, sensitive, problems } = evaluate(written, valuePath("value"), options);
  if (problems || !isKnown(value)) return undefined;
  if (shape.sensitive) checkSecret(value, place, undefined, report);
  else if (sensitive.length > 0) {
    const detail = `A sensitive value flows into ${setting}, which is recorded as plain text.`;
    report.add("CFG035", { detail, fix: "Use a value that is not sensitive.", place });
  } else {
    for (const detail of checkValue(value, shape)) report.add("CFG020", { detail, place });
  }
  return value;
}

function defaultsOf(schema: ResourceSchema | undefined): { readonly [name: string]: Value } {
  const settings: { [name: string]: Value } = {};
  for (const { name, default: fallback } of Object.values(schema?.attributes ?? {})) {
    if (fallback !== undefined) settings[name] = fallback;
  }
  return settings;
}

/**
 * The `providers` block: endpoints and their settings. A setting that needs what another provider
 * is asked for waits for it.
 */

import { valuePath } from "../../expressions/evaluate/scope.ts";
import type { DesiredProvider } from "../../model/plan/desired.ts";
import type { ReferenceLookup } from "../../model/value/expression.ts";
import type { ResourceSchema } from "../../model/value/resource-schema.ts";
import { isKnown, memberOf, type Value } from "../../model/value/value.ts";
import { providerOfName as baseOf, providerOfType } from "../blocks/resource.ts";
import { templatesBehind } from "../modules/late-names.ts";
import { type Module, modulesIn, referencesOfValue, reportIn } from "../modules/module.ts";
import type { ModuleScope } from "../modules/module-scope.ts";
import { type BlockEntry, entryContext } from "../read/blocks.ts";
import { attributesShapeOf } from "../read/form/schemas.ts";
import { checkValue, type Shape } from "../read/form/shape.ts";
import { didYouMean, listWords } from "../read/form/spelling.ts";
import { nameProblem } from "../read/names.ts";
import { readMembers } from "../read/read.ts";
import { type ConfigTemplate, type ConfigValue, templatesOf } from "../read/value.ts";
import { type Place, positionOf, type Report } from "../report.ts";
import type { Settings } from "../settings/settings.ts";
import { checkTemplates } from "../values/check-expressions.ts";
import { ephemeralNames, refuseIn } from "../values/ephemeral.ts";
import { evaluate } from "../values/evaluation.ts";
import { waitsBehind } from "../values/expand.ts";
import { referencesIn, scopeAt } from "../values/late-values.ts";
import { type Waiting, waitingIn } from "../values/waiting.ts";
import { checkSecret } from "./instance.ts";

export type ProviderSettings = { readonly [provider: string]: ResourceSchema };

export type KnownProviders = {
  readonly schemas: ProviderSettings;
  /** Names and versions of packages, by the provider that comes from one. */
  readonly packages: { readonly [provider: string]: string };
};

export type ReadProviders = {
  /**
   * The declared ones, and those that are used without being declared and need no settings of the
   * user. In the order of the configuration; without those that wait.
   */
  readonly providers: readonly DesiredProvider[];
  readonly waiting: readonly Waiting[];
};

/** `at` is the root module, and `known` what is known of resources and data sources. */
export function readProviders(
  entries: ReadonlyMap<string, BlockEntry>,
  kinds: KnownProviders,
  { at, known, report }: { at: ModuleScope; known: ReferenceLookup; report: Report },
): ReadProviders {
  const { module } = at;
  const { schemas } = kinds;
  const waiting: Waiting[] = [];
  const reading: Settling = { at, known, waiting, report };
  const providers = [...entries.values()].flatMap(
    (entry) => readProvider(entry, kinds, reading) ?? [],
  );
  const implicit = new Map<string, DesiredProvider>();
  const used = modulesIn(module).flatMap((one) =>
    [...one.resources.values()].map((resource) => ({ resource, told: reportIn(one, report) })),
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
  return { providers: [...providers, ...implicit.values()], waiting };
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
  reading: Settling,
): DesiredProvider | undefined {
  const { report, waiting } = reading;
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
  const waitingBefore = waiting.length;
  for (const [setting, written] of members) {
    const member = shape.properties.get(setting);
    if (written === undefined || member === undefined) continue;
    const value = evaluateSetting({ provider: name, setting, written, shape: member }, reading);
    if (value !== undefined && value !== null) settings[setting] = value;
  }
  if (waiting.length > waitingBefore) return undefined;
  warnOfTrust(name, settings, members.get("allow_unverified_ssl")?.place ?? place, report);
  return { name, settings, source: positionOf(place) };
}

/** Calls travel by the database of recorded state; where endpoints are simulated, none does. */
export function checkWays(
  entries: ReadonlyMap<string, BlockEntry>,
  providers: readonly DesiredProvider[],
  { state, simulator }: Pick<Settings, "state" | "simulator">,
  report: Report,
): void {
  if (simulator !== undefined) return;
  const isEncrypted = state.encryption !== undefined;
  if (state.kind === "postgres" && !isEncrypted) return;
  for (const { name, settings } of providers) {
    const site = memberOf(settings, "via");
    if (typeof site !== "string") continue;
    const what = isEncrypted ? "is encrypted" : "is not in PostgreSQL";
    const detail = `${name} goes by the site ${site}, and recorded state ${what}.`;
    report.add("CFG116", { detail, place: entries.get(name)?.place });
  }
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

type Settling = {
  readonly at: ModuleScope;
  readonly known: ReferenceLookup;
  readonly waiting: Waiting[];
  readonly report: Report;
};

type Setting = {
  readonly provider: string;
  readonly setting: string;
  readonly written: ConfigValue;
  readonly shape: Shape;
};

function evaluateSetting(
  { provider, setting, written, shape }: Setting,
  { at, known, waiting, report }: Settling,
): Value | undefined {
  if (written.kind === "constant") return written.value;
  const { module } = at;
  const { place } = written;
  const templates = templatesOf(written);
  checkTemplates(templates, {}, module, report);
  refuseIn(templates, `The setting ${setting}`, ephemeralNames(module), report);
  const own = askedThrough(provider, templates, module);
  if (own !== undefined) {
    const detail = `${setting} needs ${own}, which is asked through ${provider} itself.`;
    report.add("CFG023", { detail, fix: "Use what another provider is asked for.", place });
    return undefined;
  }
  const waits = (): undefined => {
    const references = referencesIn(templates, at, {});
    waiting.push(waitingIn(at, provider, { setting, place, references }));
  };
  if (waitsBehind(written, module)) return waits();
  const scope = scopeAt(at, { references: referencesOfValue(written), values: {} }, known, report);
  const options = { scope, report, skipped: module.skipped };
  const { value, sensitive, problems } = evaluate(written, valuePath("value"), options);
  if (problems) return undefined;
  if (!isKnown(value)) return waits();
  if (shape.sensitive) checkSecret(value, place, undefined, report);
  else if (sensitive.length > 0) {
    const detail = `A sensitive value flows into ${setting}, which is recorded as plain text.`;
    report.add("CFG035", { detail, fix: "Use a value that is not sensitive.", place });
  } else {
    for (const detail of checkValue(value, shape)) report.add("CFG020", { detail, place });
  }
  return value;
}

/** What templates need, directly or through late values, of a provider; undefined for nothing. */
function askedThrough(
  provider: string,
  templates: readonly ConfigTemplate[],
  module: Module,
): string | undefined {
  for (const { template, module: at } of templatesBehind(templates, module)) {
    for (const reference of template.references) {
      if (reference.root !== "resource") continue;
      const resource = at.resources.get(`${reference.type}.${reference.name}`);
      if (resource?.provider === provider) return resource.key;
    }
  }
  return undefined;
}

function defaultsOf(schema: ResourceSchema | undefined): { readonly [name: string]: Value } {
  const settings: { [name: string]: Value } = {};
  for (const { name, default: fallback } of Object.values(schema?.attributes ?? {})) {
    if (fallback !== undefined) settings[name] = fallback;
  }
  return settings;
}

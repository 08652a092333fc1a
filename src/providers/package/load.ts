/**
 * Loads a provider package from its folder: `package.json` says what it is, its code is imported,
 * and what that gives back is a provider only if it fits the contract. No script of it is run.
 */

import { readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { createSecretMask } from "../../lib/mask.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import {
  knownContracts,
  type LoadedPackage,
  type PackageKit,
  type PackageOpening,
  type ProviderPackage,
  type ProviderPackageFactory,
} from "../../model/provider/package.ts";
import type { ProviderSession } from "../../model/provider/provider.ts";
import { type ResourceSchema, readResourceSchema } from "../../model/value/resource-schema.ts";
import { isMap, isUnknown, unknown, type Value, type ValueMap } from "../../model/value/value.ts";
import { filledSettings } from "../kit/decode.ts";
import { refusal } from "../kit/refusal.ts";
import { type Door, reasonOf } from "./answer.ts";
import { definitionFaults, isDefinition } from "./definition.ts";
import { askPackage, type SessionDoor, sessionBehindDoor } from "./session-door.ts";
import { ownSettings, typeBehindDoor } from "./type-door.ts";
import { copyOf, lent } from "./value.ts";

export type PackageOutcome =
  | { readonly ok: true; readonly package: LoadedPackage }
  /** Sentences. */
  | { readonly ok: false; readonly detail: string; readonly fix: string };

class Unusable extends Error {
  readonly fix: string;

  constructor(detail: string, fix: string) {
    super(detail);
    this.fix = fix;
  }
}

/** `from`: where it is from, if that is no registry. Does not throw. */
export async function loadPackage(folder: string, from?: string): Promise<PackageOutcome> {
  try {
    return { ok: true, package: await load(folder, from) };
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    return { ok: false, detail: error.message, fix: error.fix };
  }
}

async function load(folder: string, from: string | undefined): Promise<LoadedPackage> {
  const description = readDescription(folder);
  const named = `${description.name}@${description.version}`;
  const label = from === undefined ? named : `${named} (${from})`;
  const definition = await defined(folder, description.entry, label);
  const mask = createSecretMask();
  const door: Door = { label, hide: (text) => mask.mask(text) };
  const { name, types, dataTypes = [] } = definition;
  const settingsSchema = schemaOf(name, definition.settings);
  const guarded = types.map((type) => typeBehindDoor(type, schemaOf(type.name, type.schema), door));
  const data = dataTypes.map((type) => ({
    name: type.name,
    schema: schemaOf(type.name, type.schema),
  }));
  return {
    name,
    label,
    settingsSchema,
    types: guarded,
    dataTypes: data,
    open: (settings, ports) =>
      opened(definition, settings, ports, {
        label,
        hide: (text) => ports.mask.mask(text),
        schemas: byName(guarded),
        dataSchemas: byName(data),
        callLimitMs: definition.callLimitMs ?? 60_000,
        access: ports.access,
        now: () => ports.clock.now(),
      }),
  };
}

function byName(types: readonly { readonly name: string; readonly schema: ResourceSchema }[]): {
  readonly [type: string]: ResourceSchema;
} {
  return Object.fromEntries(types.map(({ name, schema }) => [name, schema]));
}

function schemaOf(name: string, json: object): ResourceSchema {
  const copy = copyOf(json, name);
  return readResourceSchema(name, isMap(copy) ? copy : {});
}

async function opened(
  definition: ProviderPackage,
  settings: Value,
  ports: PackageOpening,
  door: SessionDoor,
): Promise<ProviderSession> {
  const { access, clock, path, log, mask } = ports;
  const given = filledSettings(definition.settings, ownSettings(settings), (problem) =>
    refusal("invalid", `provider ${definition.name}: ${problem}`),
  );
  const session = await askPackage(door, {
    what: "open",
    work: () =>
      definition.open(lent(given), {
        access,
        clock: { now: () => clock.now(), sleep: (ms) => clock.sleep(ms) },
        path,
        log: (text) => log(mask.mask(text)),
        hide: (secret) => mask.add(secret),
      }),
    read: (value) => {
      if (isSession(value)) return value;
      throw new Error("it gives back no session with read, send and close");
    },
  });
  return sessionBehindDoor(session, door);
}

function isSession(value: unknown): value is ProviderSession {
  if (typeof value !== "object" || value === null) return false;
  return ["read", "send", "close"].every(
    (name) => name in value && typeof Reflect.get(value, name) === "function",
  );
}

type Description = { readonly name: string; readonly version: string; readonly entry: string };

/** What `package.json` says. Throws `Unusable`. */
function readDescription(folder: string): Description {
  const path = join(folder, "package.json");
  const description = parsed(path, folder);
  const { name, version, vmform } = description;
  const form = 'Write "vmform": { "provider": "./index.js", "contract": 1 } into it.';
  if (typeof name !== "string" || typeof version !== "string") {
    throw new Unusable(`${path} names no package and version.`, "Give it a name and a version.");
  }
  if (!isMap(vmform)) throw new Unusable(`${name}@${version} is no provider package.`, form);
  const { contract, provider } = vmform;
  if (!knownContracts.some((known) => known === contract)) {
    throw new Unusable(
      `${name}@${version} is written for contract ${JSON.stringify(contract)}, and this vmform ` +
        `knows contract ${knownContracts.join(", ")}.`,
      "Use a version of the package for that contract, or a vmform that knows its own.",
    );
  }
  if (typeof provider !== "string") {
    throw new Unusable(`${name}@${version} does not say which file its provider is.`, form);
  }
  refuseDependencies(`${name}@${version}`, description);
  return { name, version, entry: entryIn(folder, provider, `${name}@${version}`) };
}

function parsed(path: string, folder: string): ValueMap {
  try {
    const description: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isMap(description)) return description;
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (isMissing) {
      throw new Unusable(`${folder} has no package.json.`, "Name the folder of a package.");
    }
    throw new Unusable(`${path} cannot be read: ${reasonOf(error)}.`, "Mend it.");
  }
  throw new Unusable(`${path} holds no object.`, "Mend it.");
}

/** It is fetched alone: what it needs beside itself would not be there. */
function refuseDependencies(label: string, description: ValueMap): void {
  const bundled = description.bundleDependencies ?? description.bundledDependencies;
  if (bundled === true) return;
  const brought = Array.isArray(bundled) ? bundled : [];
  const { dependencies } = description;
  const needed = Object.keys(isMap(dependencies) ? dependencies : {});
  const missing = needed.filter((name) => !brought.includes(name));
  if (missing.length === 0) return;
  throw new Unusable(
    `${label} depends on ${missing.join(", ")}, and a provider package is fetched alone: no ` +
      "dependency of it is installed.",
    "Bundle them into its file, or name them in bundleDependencies of its package.json.",
  );
}

function entryIn(folder: string, provider: string, label: string): string {
  const fix = "Name a file of the package: ./index.js";
  const path = join(folder, provider);
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    throw new Unusable(`${label} names ${provider} as its provider, which is not there.`, fix);
  }
  if (/^\.\.(?:[/\\]|$)/.test(relative(realpathSync(folder), real))) {
    throw new Unusable(`${label} names ${provider} as its provider, which is outside of it.`, fix);
  }
  return real;
}

function isFactory(value: unknown): value is ProviderPackageFactory {
  return typeof value === "function";
}

const kit: PackageKit = Object.freeze({ contract: 1, RemoteError, unknown, isUnknown });

async function defined(folder: string, entry: string, label: string): Promise<ProviderPackage> {
  const report = "This is a fault of the package: tell its author, or use another version.";
  const failed = (what: string): Unusable =>
    new Unusable(`The provider package ${label} failed: ${what}.`, report);
  let given: unknown;
  try {
    const loaded: unknown = await import(pathToFileURL(entry).href);
    const make: unknown =
      typeof loaded === "object" && loaded !== null ? Reflect.get(loaded, "default") : undefined;
    if (!isFactory(make)) throw failed(`${relative(folder, entry)} exports no default`);
    given = await make(kit);
  } catch (error) {
    throw error instanceof Unusable ? error : failed(reasonOf(error));
  }
  const faults = definitionFaults(given);
  if (faults.length > 0 || !isDefinition(given)) {
    throw failed(`it does not fit contract 1: ${faults.slice(0, 5).join("; ")}`);
  }
  return given;
}

/**
 * Loads a provider package from its folder: `package.json` says what it is, its code is imported,
 * and what that gives back is a provider only if it fits the contract. No script of it is run.
 */

import { readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { importModule } from "../../lib/import-module.ts";
import { knownContracts, type LoadedPackage } from "../../model/provider/package.ts";
import { PackageFailure } from "../../model/provider/package-failure.ts";
import { isMap, type ValueMap } from "../../model/value/value.ts";
import { reasonOf } from "./answer.ts";
import { providerBehindDoor } from "./behind-door.ts";

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
    if (error instanceof Unusable) return { ok: false, detail: error.message, fix: error.fix };
    if (!(error instanceof PackageFailure)) throw error;
    const fix = "Tell the author of the package, or use another version of it.";
    return { ok: false, detail: sentence(error.message), fix };
  }
}

async function load(folder: string, from: string | undefined): Promise<LoadedPackage> {
  const description = readDescription(folder);
  const named = `${description.name}@${description.version}`;
  const label = from === undefined ? named : `${named} (${from})`;
  return providerBehindDoor(label, await importOf(folder, description.entry, label));
}

/** The default export. Throws `PackageFailure`. */
async function importOf(folder: string, entry: string, label: string): Promise<unknown> {
  let loaded: unknown;
  try {
    loaded = await importModule(pathToFileURL(entry).href);
  } catch (error) {
    throw new PackageFailure(label, `${relative(folder, entry)}: ${reasonOf(error)}`, error);
  }
  if (typeof loaded === "object" && loaded !== null && "default" in loaded) return loaded.default;
  throw new PackageFailure(label, `${relative(folder, entry)} has no default export`);
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
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

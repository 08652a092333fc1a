/** `vmform.lock.yaml`: the hash of what each source of a module was fetched as. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parsePlainYaml } from "../lib/yaml/plain-yaml.ts";

/** Hashes by origin. */
export type ModuleLock = ReadonlyMap<string, string>;

const lockName = "vmform.lock.yaml";

export function lockPath(root: string): string {
  return root === "." ? lockName : join(root, lockName);
}

/** Empty where there is none. Throws for one that cannot be understood. */
export function readLock(root: string): ModuleLock {
  const path = lockPath(root);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Map();
    throw error;
  }
  const { value } = parsePlainYaml(text, path);
  const modules: unknown = isRecord(value) ? value.modules : undefined;
  // Taken for empty, a damaged one would lock nothing.
  if (!isRecord(modules)) throw new Error(`${path} holds no modules with their hashes`);
  return new Map(
    Object.entries(modules).map(([origin, hash]) => {
      if (typeof hash === "string" && /^sha256-[0-9a-f]{64}$/.test(hash)) return [origin, hash];
      throw new Error(`${path}: the hash of ${origin} is none`);
    }),
  );
}

export function lockText(lock: ModuleLock): string {
  const lines = [...lock]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([origin, hash]) => `  ${JSON.stringify(origin)}: ${hash}`);
  return [
    "# What modules and provider packages were fetched as.",
    "# Made by vmform init; keep it with the configuration.",
    "modules:",
    ...lines,
    "",
  ].join("\n");
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

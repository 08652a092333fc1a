/** What is fetched of modules, below `.vmform/modules` of the root module: one folder per hash. */

import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { hashOfFolder } from "./content-hash.ts";
import { type ModuleLock, readLock } from "./lock-file.ts";
import type { FetchedSource } from "./source.ts";

export type FoundPackage =
  | { readonly kind: "found"; readonly folder: string }
  /** Nothing is locked, or what is locked is not here. */
  | { readonly kind: "absent" }
  | { readonly kind: "changed"; readonly folder: string };

export type Packages = {
  /** Reads the lock when it is asked first. Throws for one that cannot be understood. */
  readonly find: (source: FetchedSource) => FoundPackage;
  /** The package that a folder is in. */
  readonly packageOf: (folder: string) => string | undefined;
};

export function packagesFolder(root: string): string {
  return join(root, ".vmform", "modules");
}

export function packageFolder(root: string, hash: string): string {
  return join(packagesFolder(root), hash.replace("sha256-", "").slice(0, 24));
}

export function openPackages(root: string): Packages {
  let lock: ModuleLock | undefined;
  const checked = new Map<string, boolean>();
  const find = ({ origin }: FetchedSource): FoundPackage => {
    lock ??= readLock(root);
    const hash = lock.get(origin);
    if (hash === undefined) return { kind: "absent" };
    const folder = packageFolder(root, hash);
    if (!existsSync(folder)) return { kind: "absent" };
    const isSame = checked.get(folder) ?? hashOfFolder(folder) === hash;
    checked.set(folder, isSame);
    return { kind: isSame ? "found" : "changed", folder };
  };
  const packageOf = (folder: string): string | undefined => {
    const below = relative(packagesFolder(root), folder);
    const [name = ""] = below.split("/");
    return name === "" || name === ".." ? undefined : join(packagesFolder(root), name);
  };
  return { find, packageOf };
}

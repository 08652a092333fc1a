/** The `imports` block: objects that exist already, and the instances that are to hold them. */

import type { ImportBlock } from "../../model/generated/config.ts";
import type { SourcePosition } from "../../model/said/diagnostic.ts";
import { type Address, parseAddress, resourceOf } from "../../model/value/address.ts";
import { readAddress } from "../blocks/entry-address.ts";
import { resourceKey } from "../blocks/resource.ts";
import { modulesIn } from "../modules/module.ts";
import { type ModuleScope, scopesIn } from "../modules/module-scope.ts";
import { didYouMeanResource, listWords } from "../read/form/spelling.ts";
import { readStaticBlock } from "../read/static-block.ts";
import { positionOf, type Report } from "../report.ts";
import type { Instance } from "./instance.ts";
import { addressIn, type InstancesByResource } from "./instances.ts";

export type ImportEntry = { readonly to: Address; readonly id: string };

/** An entry whose resource nobody declares: configuration for it may be generated. */
export type UndeclaredImport = ImportEntry & {
  /** As written; absent for the provider of the type's first word. */
  readonly provider?: string;
  readonly source: SourcePosition;
};

/** Whether an undeclared entry is an error, or gathered to be generated. */
export type UndeclaredImports = "refused" | "gathered";

export type ReadImports = {
  readonly imports: readonly ImportEntry[];
  readonly undeclared: readonly UndeclaredImport[];
};

/** Instances named in advice; a resource may have thousands. */
const namedMax = 5;

export function readImports(
  root: ModuleScope,
  byResource: InstancesByResource,
  report: Report,
  undeclared: UndeclaredImports = "refused",
): ReadImports {
  const { blocks } = root.module;
  const seen: Seen = { addresses: new Set(), objects: new Map() };
  const imports: ImportEntry[] = [];
  const gathered: UndeclaredImport[] = [];
  for (const entry of blocks.imports) {
    const block = readStaticBlock<ImportBlock>(entry, "ImportBlock", report);
    if (block === undefined) continue;
    const { place } = entry;
    const written = readAddress(block.to);
    if (!written.ok) {
      report.add("CFG043", { detail: written.detail, fix: written.fix, place });
      continue;
    }
    const { provider } = block;
    const one = { to: written.address, id: block.id };
    if (undeclared === "gathered" && isUndeclared(one.to, byResource, root)) {
      const of = provider === undefined ? {} : { provider };
      gathered.push({ ...one, ...of, source: positionOf(place) });
      continue;
    }
    const problem = importProblem({ ...one, provider }, byResource, root, seen);
    if (problem === undefined) imports.push(one);
    else report.add("CFG043", { ...problem, place });
  }
  return { imports, undeclared: gathered };
}

function isUndeclared(to: Address, byResource: InstancesByResource, root: ModuleScope): boolean {
  return byResource.get(resourceOf(to)) === undefined && !isLeftOutAt(to, root);
}

type Seen = {
  readonly addresses: Set<Address>;
  /** Address by provider, type and id. */
  readonly objects: Map<string, Address>;
};

const generatedFix =
  "Declare the resource first; a plan with --generate-config-out FILE writes it.";

type ImportProblem = { readonly detail: string; readonly fix?: string | undefined };

function importProblem(
  { to, id, provider: written }: ImportEntry & { readonly provider: string | undefined },
  byResource: InstancesByResource,
  root: ModuleScope,
  seen: Seen,
): ImportProblem | undefined {
  const found = byResource.get(resourceOf(to));
  if (found === undefined) {
    if (isLeftOutAt(to, root)) return undefined;
    const declared = scopesIn(root).flatMap((scope) =>
      [...scope.module.resources.values()].map((resource) => addressIn(scope, resource)),
    );
    const fix = didYouMeanResource(to, declared) ?? generatedFix;
    return { detail: `${to} is not in the configuration.`, fix };
  }
  if (found.scope.module.broken.has(found.resource.key)) return undefined;
  const all = found.instances;
  const instance = all.find(({ address }) => address === to);
  if (instance === undefined) return instanceProblem(to, all);
  if (seen.addresses.has(to)) {
    return { detail: `Two objects are imported to ${to}.`, fix: "Keep one of the entries." };
  }
  seen.addresses.add(to);
  const { provider, type } = instance.resource;
  if (written !== undefined && written !== provider) {
    const detail = `The entry names the provider ${written}, and ${to} is of ${provider}.`;
    return { detail, fix: "Leave provider out of the entry." };
  }
  const key = [provider, type.name, id].join("\0");
  const other = seen.objects.get(key);
  seen.objects.set(key, other ?? to);
  if (other === undefined) return undefined;
  const detail = `The object ${id} is imported to ${other} already; it cannot be ${to}, too.`;
  return { detail, fix: "Keep one of the entries." };
}

/** Declared, but its instances could not be counted, which was reported, or cannot yet. */
function isLeftOutAt(address: Address, root: ModuleScope): boolean {
  const parts = parseAddress(address);
  if (parts === undefined) return false;
  const way = parts.modules.map(({ name }) => name).join("/");
  return modulesIn(root.module).some((module) => {
    const path = module.path.join("/");
    const isLeftOut = (name: string): boolean =>
      module.broken.has(name) || module.waiting.has(name);
    if (path === way) return isLeftOut(resourceKey(parts));
    const [next] = parts.modules.slice(module.path.length);
    return way.startsWith(path) && next !== undefined && isLeftOut(`module.${next.name}`);
  });
}

function instanceProblem(to: Address, all: readonly Instance[]): ImportProblem {
  const resource = resourceOf(to);
  if (all.length === 0) return { detail: `${resource} has no instances at all.` };
  const named = all.slice(0, namedMax).map(({ address }) => address);
  const more = all.length > named.length ? `, and ${all.length - named.length} more` : "";
  const fix = `Name one of its instances: ${listWords(named)}${more}.`;
  const detail =
    parseAddress(to)?.key === undefined
      ? `${resource} has several instances, and an object can be only one of them.`
      : `${resource} has no such instance as ${to}.`;
  return { detail, fix };
}

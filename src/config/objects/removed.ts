/** The `removed` block: addresses that left the configuration, and what becomes of the objects. */

import type { RemovedBlock } from "../../model/generated/config.ts";
import {
  isModulePath,
  moduleText,
  parseAddress,
  resourceOf,
  type Selector,
  selects,
  toSelector,
} from "../../model/value/address.ts";
import { reportIn } from "../modules/module.ts";
import { type ModuleScope, scopesIn } from "../modules/module-scope.ts";
import { didYouMean } from "../read/form/spelling.ts";
import { readStaticBlock } from "../read/static-block.ts";
import type { Report } from "../report.ts";
import type { InstancesByResource } from "./instances.ts";

type Removal = { readonly from: Selector; readonly destroy: boolean };

/**
 * Entries of all modules; addresses are those within the module. Whether an address was ever
 * recorded is not known here: a name that never was does nothing. A type that does not exist is a
 * slip of the finger.
 */
export function readRemoved(
  root: ModuleScope,
  byResource: InstancesByResource,
  whole: Report,
): readonly Removal[] {
  const seen = new Set<Selector>();
  return scopesIn(root).flatMap((scope) => {
    const report = reportIn(scope.module, whole);
    return scope.module.blocks.removed.flatMap((entry) => {
      const block = readStaticBlock<RemovedBlock>(entry, "RemovedBlock", report);
      if (block === undefined) return [];
      const { place } = entry;
      const from = selectorIn(scope, block.from);
      const problem =
        from === undefined
          ? { detail: `${JSON.stringify(block.from)} is not an address.`, fix: writtenLike }
          : removalProblem(from, { byResource, root, seen });
      if (problem !== undefined) report.add("CFG042", { ...problem, place });
      if (from === undefined || problem !== undefined) return [];
      seen.add(from);
      return [{ from, destroy: block.destroy ?? true }];
    });
  });
}

const writtenLike = 'Write it like daemon_vm.web, daemon_vm.web["a"] or module.lab.';

function selectorIn({ path }: ModuleScope, text: string): Selector | undefined {
  if (toSelector(text) === undefined) return undefined;
  return toSelector(path.length === 0 ? text : `${moduleText(path)}.${text}`);
}

type RemovalProblem = { readonly detail: string; readonly fix?: string | undefined };

type Declared = {
  readonly byResource: InstancesByResource;
  readonly root: ModuleScope;
  readonly seen: ReadonlySet<Selector>;
};

function removalProblem(
  from: Selector,
  { byResource, root, seen }: Declared,
): RemovalProblem | undefined {
  if (seen.has(from)) return { detail: `${from} is named twice.`, fix: "Keep one of the entries." };
  const still = { detail: `${from} is still in the configuration.` };
  if (isModulePath(from)) {
    const isCalled = [...byResource.values()].some(({ instances }) =>
      instances.some(({ address }) => selects(from, address)),
    );
    return isCalled ? { ...still, fix: "Remove the call of the module, or the entry." } : undefined;
  }
  const parts = parseAddress(from);
  if (parts?.mode === "data") {
    return { detail: `${from} is a data source, of which nothing is recorded.` };
  }
  const type = parts?.type ?? "";
  const { schemas } = root.module.types;
  if (!Object.hasOwn(schemas, type)) {
    const fix = didYouMean(type, Object.keys(schemas));
    return { detail: `There is no resource type ${type}.`, fix };
  }
  const declared = byResource.get(resourceOf(from));
  if (declared === undefined) return undefined;
  const { instances, scope, resource } = declared;
  if (scope.module.broken.has(resource.key)) return undefined;
  const isWhole = resourceOf(from) === from;
  if (!isWhole && !instances.some(({ address }) => address === from)) return undefined;
  return { ...still, fix: "Remove the resource, or the entry." };
}

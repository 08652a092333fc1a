/** Which names of a module are late, whatever its instances: by what is written alone. */

import type { RootReference } from "../../expressions/evaluate/references.ts";
import { type ConfigTemplate, templatesOf } from "../read/value.ts";
import { type Module, outputRead, writtenAs } from "./module.ts";

/** Templates of a value and of the late values behind it, over all modules; by module only. */
export function templatesBehind(
  templates: readonly ConfigTemplate[],
  module: Module,
): readonly { readonly template: ConfigTemplate; readonly module: Module }[] {
  const found = templates.map((template) => ({ template, module }));
  const seen = new Set<string>();
  for (let index = 0; index < found.length; index += 1) {
    const one = found[index];
    if (one === undefined) break;
    for (const { module: owner, name } of lateNamesOf(one.template.references, one.module)) {
      const id = `${owner.path.join("/")} ${name}`;
      const written = seen.has(id) ? undefined : writtenAs(name, owner);
      seen.add(id);
      if (written === undefined) continue;
      const { value, module: at } = written;
      found.push(...templatesOf(value).map((template) => ({ template, module: at })));
    }
  }
  return found;
}

/** Whether a reference needs a late value or a resource. */
export function isLateReference(reference: RootReference, module: Module): boolean {
  return reference.root === "resource" || lateNamesOf([reference], module).length > 0;
}

/** Late values by the module they belong to, whatever its instances. */
function lateNamesOf(
  references: readonly RootReference[],
  module: Module,
): readonly { readonly module: Module; readonly name: string }[] {
  return references.flatMap((reference) => {
    if (reference.root === "resource") return [];
    const { root, name } = reference;
    if (root === "vars" || root === "locals") {
      return lateOf(root, name, module).map((late) => ({ module, name: late }));
    }
    if (root !== "module") return [];
    return callsNamed(reference, module).flatMap(({ called, output }) =>
      lateOf("outputs", output, called).map((late) => ({ module: called, name: late })),
    );
  });
}

/** Names in `Module.late`: one, or all of a root. */
export function lateOf(
  root: string,
  name: string | undefined,
  { late }: Module,
): readonly string[] {
  if (late.size === 0) return [];
  if (name !== undefined) return late.has(`${root}.${name}`) ? [`${root}.${name}`] : [];
  return [...late.keys()].filter((one) => one.startsWith(`${root}.`));
}

type CallNamed = {
  readonly name: string;
  readonly called: Module;
  /** Undefined for all of them. */
  readonly output: string | undefined;
};

export function callsNamed(
  reference: Exclude<RootReference, { readonly root: "resource" }>,
  module: Module,
): readonly CallNamed[] {
  const { name } = reference;
  const names = name === undefined ? [...module.calls.keys()] : [name];
  return names.flatMap((one) => {
    const [call, called] = [module.calls.get(one), module.called.get(one)];
    if (call === undefined || called === undefined) return [];
    const output = name === undefined ? undefined : outputRead(reference, call);
    return [{ name: one, called, output }];
  });
}

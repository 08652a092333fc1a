/** Which names an expression refers to, read from its syntax tree. */

import { type InstanceKey, qualifiedType } from "../../model/value/address.ts";
import { type Reference, uniqueReferences } from "../../model/value/expression.ts";
import { compile } from "../syntax/cel.ts";
import { type NameStep, type NameUse, namesUsed } from "../syntax/names.ts";
import { pathsRead, type ReadPath, type ReadStep } from "../syntax/reads.ts";
import type { Template } from "../syntax/template.ts";
import { evaluateIndex } from "./evaluation.ts";
import { dataRoot, instanceAddress, type ResourceShape, type Scope } from "./scope.ts";

const valueRoots = ["vars", "locals", "each", "count", "path", "vmform", "self", "module"] as const;
export type ValueRoot = (typeof valueRoots)[number];

export type ValueReference = {
  readonly root: ValueRoot;
  /**
   * First name below the root: `x` of `vars.x`. Absent when the root stands alone or is indexed by
   * an expression.
   */
  readonly name?: string;
  /** Of a module call and a variable: what follows its name, such as an output, or a key. */
  readonly steps?: readonly NameStep[];
  readonly offset: number;
};

export type ResourceReference = {
  readonly root: "resource";
  /** Of a data source with what stands before it: `data.daemon_vms`. */
  readonly type: string;
  readonly name: string;
  /** Constant instance key, as written in `["a"]` or `[0]`. */
  readonly key?: InstanceKey;
  /** The instance is chosen by an expression. */
  readonly dynamicKey: boolean;
  readonly attribute?: string;
  readonly offset: number;
};

/** `offset` is the place of the root's first character in the template text. */
export type RootReference = ValueReference | ResourceReference;

/** A reference as the source has it, with what only this folder needs. Offsets count in it. */
export type SourceReference =
  | ValueReference
  | (ResourceReference & {
      /** CEL source of a dynamic index, when it does not depend on the variable of a macro. */
      readonly keySource?: string;
      /** Instances are named by a field (`web.a`), which only a single resource may have. */
      readonly attributeOffset?: number;
      /** Without `attribute`: which parts are read, as steps from the name of the resource. */
      readonly parts?: readonly (readonly ReadStep[])[];
    })
  /** A name that is no root and not followed by the name of a resource. */
  | { readonly root: "incomplete"; readonly type: string; readonly offset: number };

const referencesBySource = new Map<string, readonly SourceReference[]>();

function isValueRoot(name: string): name is ValueRoot {
  return (valueRoots as readonly string[]).includes(name);
}

/** References of all expressions of a template, in the order they are written. */
export function referencesOf(template: Template): readonly RootReference[] {
  const references: RootReference[] = [];
  for (const part of template.parts) {
    if (part.kind === "text") continue;
    for (const reference of sourceReferences(part.source)) {
      if (reference.root === "incomplete") continue;
      const offset = part.offset + reference.offset;
      if (reference.root !== "resource") {
        references.push({ ...reference, offset });
        continue;
      }
      const { keySource: _source, attributeOffset: _offset, parts: _parts, ...rest } = reference;
      references.push({ ...rest, offset });
    }
  }
  return references;
}

/**
 * References to instances. An index such as `[each.key]` is evaluated when the scope knows it, so
 * that `daemon_vm.web[each.key].id` refers to one instance; otherwise all instances are given.
 * A resource or an instance that the scope does not have gives none. Without duplicates.
 */
export function concreteReferences(template: Template, scope: Scope): readonly Reference[] {
  const found: Reference[] = [];
  for (const part of template.parts) {
    if (part.kind === "text") continue;
    for (const reference of sourceReferences(part.source)) {
      if (reference.root !== "resource") continue;
      const { type, name, attribute } = reference;
      const shape = scope.resources.shape(type, name);
      if (shape === undefined) continue;
      const indexed = reference.key ?? indexOf(reference, scope);
      const reads = attribute === undefined ? attributesRead(reference.parts, shape) : undefined;
      const what = { ...(attribute && { attribute }), ...(reads && { reads }) };
      for (const key of instanceKeys(shape, indexed)) {
        found.push({ address: instanceAddress(scope, type, name, key), ...what });
      }
    }
  }
  return uniqueReferences(found);
}

/** Undefined when an instance may be read as a whole. */
function attributesRead(
  parts: readonly (readonly ReadStep[])[] | undefined,
  shape: ResourceShape,
): readonly string[] | undefined {
  if (parts === undefined) return undefined;
  const names = new Set<string>();
  for (const part of parts) {
    // What a macro goes through in a map of instances are keys.
    if (shape.kind === "map" && part[0]?.kind === "element") continue;
    const [step] = shape.kind === "single" ? part : part.slice(1);
    if (step?.kind === "element") continue;
    if (step?.kind !== "named") return undefined;
    names.add(step.name);
  }
  return [...names];
}

/** Offsets count in the source. A source that does not parse has none. */
export function sourceReferences(source: string): readonly SourceReference[] {
  const known = referencesBySource.get(source);
  if (known !== undefined) return known;
  const compiled = compile(source);
  const uses = compiled.kind === "compiled" ? namesUsed(compiled.ast) : [];
  const paths = compiled.kind === "compiled" && uses.length > 0 ? pathsRead(compiled.ast) : [];
  const references = uses.map((use) => toReference(use, paths));
  referencesBySource.set(source, references);
  return references;
}

function toReference(use: NameUse, paths: readonly ReadPath[]): SourceReference {
  const { offset } = use;
  const { root, steps } = use.root === dataRoot ? withoutDataRoot(use) : use;
  const [first, second, third] = steps;
  const firstName = first?.text;
  if (isValueRoot(root)) {
    if (firstName === undefined) return { root, offset };
    const more = root === "module" || root === "vars" ? { steps: steps.slice(1) } : {};
    return { root, name: firstName, ...more, offset };
  }
  if (firstName === undefined) return { root: "incomplete", type: root, offset };
  const base = { root: "resource" as const, type: root, name: firstName, offset };
  const own = paths.filter((path) => path.offset === offset);
  const parts = own.map((path) => path.steps.slice(use.root === dataRoot ? 2 : 1));
  if (second === undefined) return { ...base, dynamicKey: false, parts };
  if (second.form === "field") {
    return {
      ...base,
      dynamicKey: false,
      ...(second.text === undefined ? { parts } : { attribute: second.text }),
      attributeOffset: second.offset,
    };
  }
  const attribute = third?.text === undefined ? { parts } : { attribute: third.text };
  const constant = second.text ?? second.number;
  if (constant !== undefined) return { ...base, key: constant, dynamicKey: false, ...attribute };
  const keySource = second.source === undefined ? {} : { keySource: second.source };
  return { ...base, dynamicKey: true, ...attribute, ...keySource };
}

/** `data.daemon_vms.all` reads as a resource `all` of the type `data.daemon_vms`. */
function withoutDataRoot({ root, steps }: NameUse): Pick<NameUse, "root" | "steps"> {
  const [type, ...rest] = steps;
  if (type?.text === undefined) return { root, steps: [] };
  return { root: qualifiedType({ mode: "data", type: type.text }), steps: rest };
}

function indexOf(
  reference: ResourceReference & { readonly keySource?: string },
  scope: Scope,
): InstanceKey | undefined {
  if (reference.keySource === undefined) return undefined;
  return evaluateIndex(reference.keySource, scope);
}

/** Keys of the instances meant; `[undefined]` is the one instance of a single resource. */
function instanceKeys(
  shape: ResourceShape,
  key: InstanceKey | undefined,
): readonly (InstanceKey | undefined)[] {
  switch (shape.kind) {
    case "single":
      return [undefined];
    case "map":
      if (key === undefined) return [...shape.keys];
      return typeof key === "string" && shape.keys.has(key) ? [key] : [];
    case "list":
      if (key === undefined) return Array.from({ length: shape.length }, (_, index) => index);
      return typeof key === "number" && key >= 0 && key < shape.length ? [key] : [];
  }
}

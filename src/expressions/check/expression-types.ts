/** What a check of expressions is told: names and types of a module. */

import type { AttributeType, ResourceSchema } from "../../model/value/resource-schema.ts";
import type { ValueRoot } from "../evaluate/references.ts";

/**
 * What a module declares. Make one object per module and pass the same one each time: what is
 * derived from it is cached by its identity.
 */
export type ModuleTypes = {
  /** Declared types of variables. */
  readonly vars: { readonly [name: string]: AttributeType };
  /** What is inside of variables, where their types say it. */
  readonly varParts?: { readonly [name: string]: PartTypes };
  /** Names of locals; their types are not known before they are evaluated. */
  readonly locals: ReadonlySet<string>;
  /**
   * Schemas of every known resource type, declared or not; those of data sources under names such
   * as `data.daemon_vms`.
   */
  readonly schemas: { readonly [type: string]: ResourceSchema };
  /** What is declared: type, then name. `map` has `for_each`, `list` has `count`. */
  readonly resources: {
    readonly [type: string]: { readonly [name: string]: "single" | "map" | "list" };
  };
  /** Calls of modules by name. Types of outputs are not known before they are evaluated. */
  readonly calls: { readonly [name: string]: CallTypes };
};

/** What a list, a map or an object holds. Nothing is said of other values. */
export type PartTypes = {
  /** Of each element of a list or map. */
  readonly of?: PartTypes;
  /** Of an object: it has these members and no other. */
  readonly members?: ReadonlyMap<string, { readonly type: PartTypes }>;
};

/** How instances of a called module are named, and what it puts out. */
export type CallTypes = {
  readonly instancing: "single" | "map" | "list";
  readonly outputs: ReadonlySet<string>;
};

export type ExpressionTypes = {
  readonly module: ModuleTypes;
  /** `each.key` and `each.value` exist here. */
  readonly each?: boolean;
  /** `count.index` exists here. */
  readonly count?: boolean;
  /** Type of `self`, where it exists. */
  readonly self?: string;
  /** When given, only these roots may be used here, such as `vars`, `locals`, `path`. */
  readonly only?: readonly (ValueRoot | "resource")[];
};

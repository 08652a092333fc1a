/** Checks the expressions of a template against the declared types, before any value is known. */

import type { AttributeType, ResourceSchema } from "../model/resource-schema.ts";
import type { ExpressionProblem } from "./problem.ts";
import type { ValueRoot } from "./references.ts";
import type { Template } from "./template.ts";

/**
 * What a module declares. Make one object per module and pass the same one each time: what is
 * derived from it is cached by its identity.
 */
export type ModuleTypes = {
  /** Declared types of variables. */
  readonly vars: { readonly [name: string]: AttributeType };
  /** Names of locals; their types are not known before they are evaluated. */
  readonly locals: Iterable<string>;
  /** Schemas of every known resource type, declared or not. */
  readonly schemas: { readonly [type: string]: ResourceSchema };
  /** Declared resources: type, then name. */
  readonly resources: {
    readonly [type: string]: { readonly [name: string]: "single" | "map" | "list" };
  };
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

/** All problems of names; when there are none, the first problem of types of each expression. */
export function checkTemplate(
  template: Template,
  types: ExpressionTypes,
  expected: AttributeType,
): readonly ExpressionProblem[] {
  throw new Error(`not written yet: ${template.text} ${types.each} ${expected}`);
}

/** The configuration after loading: instances whose expressions wait for a reference lookup. */

import type { ConditionResult, DesiredCondition } from "../operation/condition.ts";
import type { Diagnostic, SourcePosition } from "../said/diagnostic.ts";
import type { Address, Selector } from "../value/address.ts";
import type {
  DeferredAttributes,
  DeferredValue,
  Reference,
  ReferenceLookup,
} from "../value/expression.ts";
import type { Trigger } from "../value/trigger.ts";
import type { PlannedAttributes, PlannedValue, Value } from "../value/value.ts";
import type { DesiredPolicy } from "./policy.ts";

export type Lifecycle = {
  readonly preventDestroy: boolean;
  readonly createBeforeDestroy: boolean;
  readonly ignoreChanges: readonly string[];
};

/** Attributes with every expression evaluated as far as the lookup allows. */
export type ResolvedAttributes = {
  readonly attributes: PlannedAttributes;
  /** One entry for each top-level attribute that holds an unknown leaf. */
  readonly deferred: DeferredAttributes;
  readonly diagnostics: readonly Diagnostic[];
};

/** Where the configuration refers to a data source itself, not through another one. */
export type DataUse = {
  readonly data: Address;
  /** First attribute named; absent where it is used as a whole, or none of its values is. */
  readonly reads?: string;
  /** `order`: `depends_on`, or what says which instances there are, names it. */
  readonly by: "attribute" | "condition" | "value" | "order";
  /** The attribute that is made of it, with `by: "attribute"`. */
  readonly attribute?: string;
  readonly place?: SourcePosition;
};

export type DesiredInstance = {
  readonly address: Address;
  readonly type: string;
  /** Provider with alias, as `daemon` or `daemon.east`. */
  readonly provider: string;
  /** Place of the resource's key in its file. */
  readonly source?: SourcePosition;
  /** Where the value of an attribute is written; undefined where it is not. */
  placeOf?(attribute: string): SourcePosition | undefined;
  /** Position in the configuration: files by name, then lines, then instance order. */
  readonly order: number;
  /**
   * Attribute references of the expressions, to instances of this configuration; those of the data
   * sources it uses are among them.
   */
  readonly references: readonly Reference[];
  /** Data sources it uses, directly or through others, each after those it uses itself. */
  readonly data: readonly Address[];
  /** Instances named by `depends_on`, all instances of a resource named without a key. */
  readonly explicitDependencies: readonly Address[];
  /**
   * Every instance this one depends on: references and `depends_on`, its own and those of the data
   * sources it uses, without duplicates.
   */
  readonly dependencies: readonly Address[];
  readonly lifecycle: Lifecycle;
  /** What `replace_triggered_by` names: dependencies, too. Absent: nothing. */
  readonly triggers?: readonly Trigger[];
  /** Time limits by verb group (`create`, `delete`, `power`, …), milliseconds. */
  readonly timeoutsMs: { readonly [verb: string]: number };
  /** Its own uses, in the order they are written. Absent: none. */
  dataUses?(): readonly DataUse[];
  /** Absent: none. */
  readonly conditions?: readonly DesiredCondition[];
  /** Pure. Checks the values against the type's schema as far as they are known. */
  resolve(lookup: ReferenceLookup): ResolvedAttributes;
};

/** A data source: asked, never changed. Its attributes come from outside of the configuration. */
export type DesiredData = {
  readonly address: Address;
  readonly type: string;
  readonly provider: string;
  readonly source?: SourcePosition;
  /** Where an argument is written; undefined where it is not. */
  placeOf?(argument: string): SourcePosition | undefined;
  /** As of an instance. */
  readonly references: readonly Reference[];
  readonly data: readonly Address[];
  readonly dependencies: readonly Address[];
  /** As of an instance. */
  dataUses?(): readonly DataUse[];
  /** Absent: none. */
  readonly conditions?: readonly DesiredCondition[];
  /** The arguments of the query. Pure. */
  resolve(lookup: ReferenceLookup): ResolvedAttributes;
};

export type DesiredProvider = {
  readonly name: string;
  /** Evaluated settings; secrets stand as references. */
  readonly settings: Value;
  readonly source?: SourcePosition;
};

export type DesiredOutput = {
  readonly name: string;
  readonly sensitive: boolean;
  readonly description?: string;
  /** Attribute references of its expression, as of an instance. */
  readonly references: readonly Reference[];
  /** As of an instance. */
  dataUses?(): readonly DataUse[];
  /** Preconditions. Absent: none. */
  readonly conditions?: readonly DesiredCondition[];
  resolve(lookup: ReferenceLookup): {
    readonly value: PlannedValue;
    readonly deferred?: DeferredValue;
    readonly diagnostics: readonly Diagnostic[];
  };
};

/** What should hold of what is managed; it is only warned of where it does not. */
export type DesiredCheck = {
  readonly name: string;
  readonly source?: SourcePosition;
  /** As of an instance. */
  readonly references: readonly Reference[];
  /** As of an instance. */
  dataUses?(): readonly DataUse[];
  resolve(lookup: ReferenceLookup): ConditionResult;
};

/** Both ends are addresses, or both are modules with all that is in them. */
export type MovedEntry = { readonly from: Selector; readonly to: Selector };

/**
 * What `prevent_destroy` says: of resources with all their instances, those that left included, or,
 * where an expression says it, of instances.
 */
export type DesiredProtection = {
  readonly protected: readonly Address[];
  /** Protected no longer, whatever is recorded. */
  readonly lifted: readonly Address[];
};

/** To destroy: who says what is to be kept. */
export type Keeping =
  /** A sound configuration decides. */
  | ({
      readonly by: "configuration";
    } & DesiredProtection)
  /** Nothing of the configuration is used: what was last applied holds. */
  | { readonly by: "record" };

export type Desired = {
  readonly instances: readonly DesiredInstance[];
  /**
   * What is not wanted only because it waits: resources, and modules with all that is in them.
   * Absent: nothing.
   */
  readonly leftOut?: readonly Selector[];
  /** Each after those it uses. */
  readonly data: readonly DesiredData[];
  readonly providers: readonly DesiredProvider[];
  readonly outputs: readonly DesiredOutput[];
  /** Absent: none. */
  readonly checks?: readonly DesiredCheck[];
  /** Absent: none. */
  readonly policies?: readonly DesiredPolicy[];
  readonly moved: readonly MovedEntry[];
  /** Addresses that left the configuration; with `destroy: false` the object is only forgotten. */
  readonly removed: readonly { readonly from: Selector; readonly destroy: boolean }[];
  /** Existing objects to be recorded. `id` is the identity on the remote side. */
  readonly imports: readonly { readonly to: Address; readonly id: string }[];
  /** Absent: as `lifecycle` of the instances says. */
  readonly protection?: DesiredProtection;
  /** Of a configuration that was read for destroying, which has no instances then. */
  readonly keeping?: Keeping;
};

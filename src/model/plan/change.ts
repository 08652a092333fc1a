/** Changes: what happens to one resource instance, for people and for policy tools. */

import type { ObjectKey } from "../operation/operation.ts";
import type { PowerState } from "../operation/power.ts";
import type { Address } from "../value/address.ts";
import type { Attributes, PlannedAttributes, PlannedValue } from "../value/value.ts";

export type ChangeAction = "no-op" | "create" | "update" | "replace" | "delete" | "forget";

/** For people only; applying never reads it. */
export type ChangeReason =
  | { readonly kind: "not-recorded" }
  /** `another`: another object has its identity. */
  | { readonly kind: "missing"; readonly proof: string; readonly another?: true }
  | { readonly kind: "tentative" }
  | { readonly kind: "attributes" }
  | { readonly kind: "restore"; readonly power: PowerState }
  | {
      readonly kind: "force-new";
      readonly attributes: readonly string[];
      /** Whether they differ is known only while applying; where they do not, it is kept. */
      readonly undecided?: true;
    }
  | { readonly kind: "container-replaced"; readonly container: Address }
  /** Something that `replace_triggered_by` names changes, or has changed since it was made. */
  | { readonly kind: "triggered"; readonly by: Address }
  | { readonly kind: "container-deleted"; readonly container: string }
  | { readonly kind: "not-in-configuration" }
  | { readonly kind: "destroy" }
  /** Asked for by `--replace`. */
  | { readonly kind: "requested" }
  /** A `removed` entry: forgotten, the object stays. */
  | { readonly kind: "removed" }
  /** The lookup finds another object than the recorded one, which is forgotten. */
  | { readonly kind: "readopted"; readonly from: string; readonly why: string }
  /** What no read can tell is sent once more before content is added that needs it. */
  | { readonly kind: "set-again"; readonly attribute: string; readonly for: Address }
  /** An object left over from a replace that created its successor first. */
  | { readonly kind: "deposed" }
  | { readonly kind: "no-change" };

export type AttributeChange = {
  readonly attribute: string;
  readonly before: PlannedValue;
  readonly after: PlannedValue;
  readonly sensitive: boolean;
  /** This attribute is why the object is replaced. */
  readonly forcesReplace: boolean;
};

export type Change = {
  readonly address: Address;
  readonly objectKey: ObjectKey;
  readonly type: string;
  readonly provider: string;
  readonly identity: string;
  readonly action: ChangeAction;
  readonly reason: ChangeReason;
  /** Prior attributes: recorded overlaid by observed; null when there is no object. */
  readonly before: Attributes | null;
  /** Planned attributes; null when the object ends. */
  readonly after: PlannedAttributes | null;
  readonly attributes: readonly AttributeChange[];
};

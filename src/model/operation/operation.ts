/**
 * Operations: ordered, journaled units of remote work. The planner makes them with everything that
 * running, previewing and recovering them needs; the engine decides only *when*.
 */

import type { Address } from "../value/address.ts";
import type { DeferredAttributes } from "../value/expression.ts";
import type { Trigger } from "../value/trigger.ts";
import type { Attributes, PlannedAttributes, PlannedValue, Value } from "../value/value.ts";
import type { LateCondition } from "./condition.ts";
import type { Disruption } from "./disruption.ts";
import type { AttributeExpectation } from "./expectation.ts";
import type { PowerState } from "./power.ts";

/** Unique within a plan: address, object key, verb and a counter, as `daemon_vm.web#on.1`. */
export type OperationId = string;
/** A remote identity as a lock sees it; one VM seen through two providers is one key. */
export type EntityKey = string;
export type PoolName = string;
export type WindowId = string;
/** Place in a power window: its words stand around it, its members between them. */
export type WindowRole = "open" | "word" | "member" | "close";

/** `current`, or the key of an object that was replaced and is still to be deleted. */
export type ObjectKey = "current" | `deposed-${string}`;

/** One wire request. `path` and `body` hold `unknown` where a value is known after apply. */
export type RequestPreview = {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  /** Text is sent as it is; anything else as JSON. */
  readonly body?: PlannedValue;
};

export type OperationEdge = {
  /** Of an operation, or of a join that stands for many of them. */
  readonly id: OperationId;
  /**
   * `success`: that operation or its fallback must have succeeded. `settled`: must have ended.
   * `failure`: must have ended otherwise than in success, else this one is unused.
   */
  readonly on: "success" | "settled" | "failure";
};

/**
 * A point without work that many operations wait for and that waits for many: an edge to it means
 * what edges to everything in it would, so that N operations after M others take N + M edges.
 */
export type OperationJoin = { readonly id: OperationId; readonly after: readonly OperationEdge[] };

export type OperationLock = {
  readonly key: EntityKey;
  readonly mode: "exclusive" | "shared";
  /** Held while the operation runs, never reserved by a window: a VM's vApp is not its own. */
  readonly passing?: boolean;
};

/** A container object, by value: content refers to it through an attribute such as `vm_id`. */
export type ContainerKey = { readonly type: string; readonly identity: string };

/** An object that a create names, such as the VM it is cloned from, and what must be seen of it. */
export type NeededObject = {
  readonly type: string;
  readonly identity: string;
  readonly expect: readonly AttributeExpectation[];
};

/** What is looked at before an object is ended that is to be replaced. */
export type ReplacementCheck = {
  /** What makes the new object: its late values are computed before the old one is touched. */
  readonly create: OperationId;
  readonly needs: readonly NeededObject[];
  /**
   * Present where only late values say that it is replaced at all: when they turn out as they are
   * applied, it is kept.
   */
  readonly decides?: DeferredAttributes;
};

/** Runs only if an object, whose replacement late values decide, is replaced, or is kept. */
export type OperationBranch = { readonly of: Address; readonly when: "replaced" | "kept" };

/** The object that an operation is about. */
export type OperationSubject = {
  readonly address: Address;
  readonly type: string;
  readonly provider: string;
  readonly objectKey: ObjectKey;
  readonly identity: string;
  /** Identifiers of the object beside its identity, as last read: another object has others. */
  readonly knownBy?: Attributes;
  /** What the object is content of. */
  readonly container?: ContainerKey;
};

export type EffectKind = "create" | "update" | "delete" | "power" | "wait";

/** How the end of an operation changes recorded state. `wait` sends no request. */
export type OperationEffect =
  | {
      readonly kind: "create";
      /** Whether the configuration protects what is made. */
      readonly preventDestroy?: boolean;
      /** What it is made anew for when that changes. */
      readonly triggers?: readonly Trigger[];
      /** The current object of the address takes this key when the create succeeds. */
      readonly deposes?: ObjectKey;
      /** What was content of this container before is gone. */
      readonly endsContentOf?: ContainerKey;
    }
  | { readonly kind: "update" }
  | {
      readonly kind: "delete";
      /** The content of this container ends with it. */
      readonly endsContentOf?: ContainerKey;
    }
  | { readonly kind: "power" }
  | {
      readonly kind: "wait";
      /** Its failure keeps the object; it is made of reads alone, and nothing is begun. */
      readonly check?: ReplacementCheck;
      /** It judges these, of recorded state and data sources; nothing is begun. */
      readonly judges?: readonly LateCondition[];
    };

/** What is sent: at most one mutating request. */
export type OperationRequest = {
  /** Absent for waits. */
  readonly preview?: RequestPreview;
  /** Values the request is made of. */
  readonly inputs: PlannedAttributes;
  /** Expressions of inputs that are known after apply. */
  readonly deferred: DeferredAttributes;
  readonly repeat: "safe" | "unsafe";
  /** Of a power word that ends a disturbance: sent again when read back without effect. */
  readonly closing?: true;
  /** Any of these, observed beforehand, makes a power word unnecessary: its goal is reached. */
  readonly satisfiedBy?: readonly AttributeExpectation[];
  /** Where it is recorded of the object by then, there is nothing to do: nothing is sent. */
  readonly unneededBy?: {
    readonly attribute: string;
    readonly equals: Value;
    readonly why: string;
  };
};

/** When an operation may run, and what it has for itself meanwhile. */
export type OperationOrder = {
  readonly after: readonly OperationEdge[];
  /** Runs only if that operation has failed. */
  readonly fallbackFor?: OperationId;
  readonly branch?: OperationBranch;
  readonly window?: { readonly id: WindowId; readonly role: WindowRole };
  readonly locks: readonly OperationLock[];
  readonly pools: readonly PoolName[];
  /** A long synchronous request: takes no `--parallelism` slot. */
  readonly long: boolean;
};

/** By what an operation is known to have taken effect, and until when that is looked for. */
export type OperationProof = {
  readonly expect: readonly AttributeExpectation[];
  /** True when no read can tell whether it took effect (sharing of shared folders). */
  readonly unobservable: boolean;
  /**
   * The effect may follow the reply, or the end of the task, until the time limit (a graceful
   * shutdown); otherwise a read soon after a positive reply must show it.
   */
  readonly lagging: boolean;
  /**
   * After a positive reply the work is done, and reads show it within this time, milliseconds:
   * sizes that are sampled, say. One made later that shows nothing of it is final.
   */
  readonly lagMs?: number;
  /** What to look at or to do where a positive reply was followed by no effect. */
  readonly unmetAdvice?: string;
  /** Attributes worth reading back beyond the expectation's. */
  readonly readBack: readonly string[];
  readonly limitMs: number;
  /**
   * For work that the server does in a remote task: a request that was sent shows as one within
   * this time. When it has passed and there is none, the request never arrived.
   */
  readonly requestLimitMs?: number;
};

/** What recorded state holds of the object once the operation has succeeded. */
export type OperationRecord<Planned = PlannedAttributes> = {
  /** Values that join `applied` of the record. */
  readonly applied: Planned;
  /** What the object depends on. */
  readonly dependencies: readonly Address[];
  /** Time limits by verb from the configuration, kept so that a delete knows them. */
  readonly timeoutsMs: { readonly [verb: string]: number };
  /** Power to be restored, journaled with the begin of the first word. */
  readonly restore?: PowerState;
  /** Success of this operation closes the open restore of its address. */
  readonly settlesRestore?: boolean;
  /** It belongs to the making of its object: no change of one that was there. */
  readonly completes?: boolean;
};

/** What is looked at first, of an operation that is such a look. */
export function checkOf({ effect }: Pick<Operation, "effect">): ReplacementCheck | undefined {
  return effect.kind === "wait" ? effect.check : undefined;
}

/** What is judged, of an operation that is that. */
export function judgedBy({ effect }: Pick<Operation, "effect">): readonly LateCondition[] {
  return effect.kind === "wait" ? (effect.judges ?? []) : [];
}

/** One unit of work, with all that running, previewing and recovering it needs. */
export type Operation = {
  readonly id: OperationId;
  readonly verb: string;
  /** For people. */
  readonly summary: string;
  /** What people have to agree to. */
  readonly disrupts: readonly Disruption[];
  readonly subject: OperationSubject;
  readonly effect: OperationEffect;
  readonly request: OperationRequest;
  readonly order: OperationOrder;
  readonly proof: OperationProof;
  readonly record: OperationRecord;
};

/** An operation whose inputs are all known: what a provider is given to send. */
export type PreparedOperation = Omit<Operation, "request" | "record"> & {
  readonly request: Omit<OperationRequest, "inputs" | "deferred"> & {
    readonly inputs: Attributes;
  };
  readonly record: OperationRecord<Attributes>;
};

/**
 * Operations: ordered, journaled units of remote work. The planner makes them with everything that
 * running, previewing and recovering them needs; the engine decides only *when*.
 */

import type { Address } from "./address.ts";
import type { Disruption } from "./disruption.ts";
import type { AttributeExpectation } from "./expectation.ts";
import type { DeferredAttributes } from "./expression.ts";
import type { PowerState } from "./power.ts";
import type { Attributes, PlannedAttributes, PlannedValue, Value } from "./value.ts";

/** Unique within a plan: address, object key, verb and a counter, as `daemon_vm.web#on.1`. */
export type OperationId = string;
/** A remote identity as a lock sees it; one VM seen through two providers is one key. */
export type EntityKey = string;
export type PoolName = string;
export type WindowId = string;

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

/** How the end of an operation changes recorded state. `wait` sends no request. */
export type OperationEffect = "create" | "update" | "delete" | "power" | "wait";

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

export type Operation = {
  readonly id: OperationId;
  readonly address: Address;
  readonly type: string;
  readonly provider: string;
  readonly objectKey: ObjectKey;
  readonly identity: string;
  /** Identifiers of the object beside its identity, as last read: another object has others. */
  readonly knownBy?: Attributes;
  readonly verb: string;
  readonly effect: OperationEffect;
  readonly summary: string;
  /** At most one mutating request; absent for waits. */
  readonly request?: RequestPreview;
  /** Values the request is made of. */
  readonly inputs: PlannedAttributes;
  /** Values that join `applied` of the record when the operation succeeds. */
  readonly records: PlannedAttributes;
  /** Expressions of inputs that are known after apply. */
  readonly deferred: DeferredAttributes;
  readonly after: readonly OperationEdge[];
  readonly window?: WindowId;
  /** Place in the window: the words around, the members between. */
  readonly role?: "open" | "word" | "member" | "close";
  readonly fallbackFor?: OperationId;
  /** It sends nothing, and its failure keeps the object. */
  readonly check?: ReplacementCheck;
  readonly branch?: OperationBranch;
  /** A power word that ends a disturbance: sent again when read back without effect. */
  readonly closing: boolean;
  readonly locks: readonly OperationLock[];
  readonly pools: readonly PoolName[];
  readonly disrupts: readonly Disruption[];
  readonly expect: readonly AttributeExpectation[];
  /** Any of these, observed beforehand, makes a closing word unnecessary: its goal is reached. */
  readonly satisfiedBy?: readonly AttributeExpectation[];
  /** True when no read can tell whether it took effect (sharing of shared folders). */
  readonly unobservable: boolean;
  readonly repeat: "safe" | "unsafe";
  /**
   * The effect may follow the reply until the time limit (a graceful shutdown); otherwise a read
   * soon after a positive reply must show it.
   */
  readonly lagging: boolean;
  /**
   * After a positive reply the work is done, and reads show it within this time, milliseconds:
   * sizes that are sampled, say. One made later that shows nothing of it is final.
   */
  readonly lagMs?: number;
  /** What to look at or to do where a positive reply was followed by no effect. */
  readonly unmetAdvice?: string;
  /** Where it is recorded of the object by then, there is nothing to do: nothing is sent. */
  readonly unneededBy?: {
    readonly attribute: string;
    readonly equals: Value;
    readonly why: string;
  };
  /** A long synchronous request: takes no `--parallelism` slot. */
  readonly long: boolean;
  readonly limitMs: number;
  /**
   * For work that the server does in a remote task: a request that was sent shows as one within
   * this time. When it has passed and there is none, the request never arrived.
   */
  readonly requestLimitMs?: number;
  /** Recorded edges: what the object depends on. */
  readonly dependencies: readonly Address[];
  readonly container?: ContainerKey;
  /** This operation ends the life of the content of this container. */
  readonly endsContentOf?: ContainerKey;
  /** The current object of the address takes this key when the create succeeds. */
  readonly deposes?: ObjectKey;
  /** Power to be restored, journaled with the begin of the first word. */
  readonly restore?: PowerState;
  /** Success of this operation closes the open restore of its address. */
  readonly settlesRestore?: boolean;
  /** Time limits by verb from the configuration, kept so that a delete knows them. */
  readonly timeoutsMs: { readonly [verb: string]: number };
  /** Of an operation that makes an object: whether the configuration protects it. */
  readonly preventDestroy?: boolean;
  /** Attributes worth reading back beyond the expectation's. */
  readonly readBack: readonly string[];
};

/** An operation whose inputs are all known: what a provider is given to send. */
export type PreparedOperation = Omit<Operation, "inputs" | "records" | "deferred"> & {
  readonly inputs: Attributes;
  readonly records: Attributes;
};

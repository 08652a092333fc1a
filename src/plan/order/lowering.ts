/** What lowering shares: the order graph, ids, and how a step of a unit becomes an operation. */

import type {
  ContainerKey,
  Operation,
  OperationEffect,
  OperationId,
  OperationLock,
  OperationProof,
  OperationRecord,
  OperationRequest,
  OperationSubject,
  WindowId,
} from "../../model/operation/operation.ts";
import type { PowerModel, PowerState, PowerWord, ToolsWait } from "../../model/operation/power.ts";
import type { ChangedLimit } from "../../model/plan/plan.ts";
import { aliasesOf } from "../../model/provider/aliases.ts";
import type { LoweredStep, ResourceType } from "../../model/provider/provider.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { Attributes, PlannedAttributes } from "../../model/value/value.ts";
import { knownBy } from "../before/recognize.ts";
import type { PlanInput } from "../input.ts";
import { containerOf, creates, type Unit, unitKey } from "../unit.ts";
import { addEdge, type DraftOrder, type NodeId, type OrderGraph } from "./order-graph.ts";
import type { Route } from "./timeline.ts";

export type Lowering = {
  readonly input: PlanInput;
  readonly graph: OrderGraph;
  readonly counters: Map<string, number>;
  /** Clones that are taken of an object that ends, by the key of it. */
  readonly lastClones: LastClones;
  /** Attributes of an object as last read, by container key. */
  readonly attributesOf: (key: ContainerKey) => Attributes | undefined;
  readonly diagnostics: Diagnostic[];
  /** Time limits that the configuration changes. */
  readonly limits: ChangedLimit[];
};

/** Marks of a unit; see `order-graph`. */
export function marks(unit: Pick<Unit, "address" | "objectKey">): {
  readonly begin: NodeId;
  readonly done: NodeId;
  readonly endBegin: NodeId;
  readonly ended: NodeId;
} {
  const key = unitKey(unit);
  return {
    begin: `begin ${key}`,
    done: `done ${key}`,
    endBegin: `end-begin ${key}`,
    ended: `ended ${key}`,
  };
}

export type Side = "prior" | "planned";

/** What is said of an operation beyond its step. */
export type Particulars = {
  /** Where there is more to it than its kind. */
  readonly effect?: OperationEffect;
  readonly disrupts?: Operation["disrupts"];
  readonly request?: Pick<OperationRequest, "closing" | "satisfiedBy">;
  readonly order?: Partial<DraftOrder>;
  readonly record?: Partial<OperationRecord>;
};

/** The operation of a step, without a place in the graph. */
export function addOperation(
  lowering: Lowering,
  unit: Unit,
  side: Side,
  step: LoweredStep,
  more: Particulars = {},
): OperationId {
  const subject = subjectOf(unit, side);
  const preview = unit.type.request(step.verb, subject.identity, step.request.inputs);
  const timeoutsMs = unit.desired?.timeoutsMs ?? unit.prior?.record.timeoutsMs ?? {};
  const id = nextId(lowering, unit, step.verb);
  const limits = limitsOf(unit, side, step, timeoutsMs);
  const usualMs = unit.type.limitMs(step.verb, limitedBy(unit, side));
  const isJudge = step.effect === "wait" && step.proof.expect.length === 0;
  if (limits.limitMs !== usualMs && !isJudge) {
    const { limitMs } = limits;
    lowering.limits.push({ address: unit.address, verb: step.verb, limitMs, usualMs });
  }
  lowering.graph.operations.set(id, {
    id,
    verb: step.verb,
    summary: step.summary,
    disrupts: more.disrupts ?? step.disrupts ?? [],
    subject,
    effect: more.effect ?? { kind: step.effect },
    request: {
      ...(preview === undefined ? {} : { preview }),
      ...step.request,
      deferred: deferredOf(unit, step),
      ...more.request,
    },
    order: {
      ...(unit.branch === undefined ? {} : { branch: unit.branch }),
      locks: locksOf(lowering, unit, side, step),
      pools: [...new Set(step.order?.pools)].map((pool) => `${unit.provider} ${pool}`),
      long: step.order?.long ?? false,
      ...more.order,
    },
    proof: {
      unobservable: false,
      lagging: false,
      readBack: [],
      ...step.proof,
      ...limits,
    },
    record: {
      applied: step.applied,
      dependencies: unit.dependencies,
      timeoutsMs,
      ...(completes(unit, side, step) ? { completes: true } : {}),
      ...more.record,
    },
  });
  return id;
}

function completes(unit: Unit, side: Side, { effect }: LoweredStep): boolean {
  return side === "planned" && creates(unit) && effect !== "create" && effect !== "wait";
}

function subjectOf(unit: Unit, side: Side): OperationSubject {
  const { address, type, provider, prior } = unit;
  const old = side === "prior" ? prior : undefined;
  const container = containerOf(unit, side);
  const known = old === undefined ? undefined : knownBy(type, old.attributes);
  return {
    address,
    type: type.name,
    provider,
    objectKey: side === "prior" ? (unit.deposes ?? unit.objectKey) : "current",
    identity: old?.record.identity ?? unit.identity,
    ...(known === undefined ? {} : { knownBy: known }),
    ...(container === undefined ? {} : { container }),
  };
}

/** By the configuration: of this verb, of what it does, of any request; else as the type says. */
function limitsOf(
  unit: Unit,
  side: Side,
  { verb, effect, proof }: LoweredStep,
  timeoutsMs: OperationRecord["timeoutsMs"],
): Pick<OperationProof, "limitMs" | "requestLimitMs"> {
  const usualMs = unit.type.limitMs(verb, limitedBy(unit, side));
  const limitMs = timeoutsMs[verb] ?? timeoutsMs[effect] ?? usualMs;
  if (proof.requestLimitMs === undefined) return { limitMs };
  return { limitMs, requestLimitMs: timeoutsMs["request"] ?? proof.requestLimitMs };
}

/** Attributes that limits of the type may depend on. */
function limitedBy({ wanted, prior }: Unit, side: Side): PlannedAttributes {
  return side === "prior" ? (prior?.record.applied ?? wanted) : wanted;
}

function nextId(lowering: Lowering, unit: Unit, verb: string): OperationId {
  const base = `${unitKey(unit)}#${verb}`;
  const count = (lowering.counters.get(base) ?? 0) + 1;
  lowering.counters.set(base, count);
  return `${base}.${count}`;
}

function deferredOf(unit: Unit, step: LoweredStep): OperationRequest["deferred"] {
  const names = Object.keys(step.request.inputs).filter(
    (name) => unit.deferred[name] !== undefined,
  );
  return Object.fromEntries(
    names.flatMap((name) => {
      const deferred = unit.deferred[name];
      return deferred === undefined ? [] : [[name, deferred]];
    }),
  );
}

/** Its own object, or the container it is content of; linked objects as the link says. */
function locksOf(
  lowering: Lowering,
  unit: Unit,
  side: Side,
  step: LoweredStep,
): readonly OperationLock[] {
  const { types, rules } = lowering.input;
  const container = containerOf(unit, side);
  const holder: ResourceType | undefined = types[container?.type ?? ""];
  const old = side === "prior" ? unit.prior?.record.identity : undefined;
  const own =
    container !== undefined && holder !== undefined
      ? holder.entity(container.identity, unit.settings)
      : unit.type.entity(old ?? unit.identity, unit.settings);
  const locks: OperationLock[] = [
    { key: own, mode: "exclusive" },
    ...outerLocks(lowering, unit, side, container, step),
  ];
  if (step.effect !== "create" || !rules.cloneLock) return locks;
  for (const link of unit.type.links) {
    const identity = unit.wanted[link.attribute];
    const key = typeof identity === "string" && types[link.type]?.entity(identity, unit.settings);
    if (typeof key === "string" && key !== own) locks.push({ key, mode: link.lock });
  }
  return locks;
}

/**
 * Other names of the object, and what is around it. The latter are held only while the request, and
 * the task behind it, runs. Content may outlive the record of its
 * container, whose address means another object by now: then its own attributes tell.
 */
function outerLocks(
  lowering: Lowering,
  unit: Unit,
  side: Side,
  container: ContainerKey | undefined,
  step: LoweredStep,
): readonly OperationLock[] {
  const { types, rules } = lowering.input;
  const type = container === undefined ? unit.type : types[container.type];
  const holder = container === undefined ? undefined : lowering.attributesOf(container);
  const own = container === undefined || side === "prior" ? unit.prior?.attributes : undefined;
  const attributes = { ...own, ...holder };
  const identity = (side === "prior" ? unit.prior?.record.identity : undefined) ?? unit.identity;
  const aliases = aliasesOf(types, {
    ...{ type: unit.type.name, identity, attributes: unit.prior?.attributes ?? {} },
    facts: unit.facts,
    container: container && { ...container, attributes: holder ?? {} },
  });
  const isAround = step.effect !== "wait" && rules.surroundings;
  const around = isAround ? (type?.surroundings?.(attributes, unit.settings) ?? []) : [];
  return [
    ...aliases.map((key) => ({ key, mode: "exclusive" }) as const),
    ...around.map((key) => ({ key, mode: "exclusive", passing: rules.passing }) as const),
  ];
}

/** A power word as a step. `applied` holds the wanted power when this word completes it. */
function wordStep(
  { wordRequestLimitMs: requestLimitMs }: ResourceType,
  model: PowerModel,
  word: PowerWord,
  applied: PlannedAttributes,
): LoweredStep {
  return {
    verb: word.verb,
    effect: "power",
    summary: word.summary ?? `power ${word.verb}`,
    disrupts: word.disrupts ?? [],
    request: { inputs: {}, repeat: "safe" },
    proof: {
      expect: [{ attribute: model.observed, equals: word.reaches }],
      // Whether the tools answer is news after each word, also when the answer is "not yet".
      readBack: (model.toolsWait?.expect ?? []).flatMap((item) =>
        "attribute" in item ? [item.attribute] : [],
      ),
      // A graceful shutdown is done when the guest is off, not when the reply comes or a task ends.
      lagging: word.graceful ?? false,
      // A word without a task is looked for in no list: only the power tells what became of it.
      ...(requestLimitMs === undefined || word.taskless === true ? {} : { requestLimitMs }),
    },
    applied,
  };
}

/** Adds a word and its fallback; edges of the word count for both. */
export function addWord(
  lowering: Lowering,
  unit: Unit,
  side: Side,
  word: PowerWord,
  more: Particulars = {},
): OperationId {
  const model = unit.type.power;
  if (model === undefined) throw new Error(`${unit.type.name} has no power`);
  const applied = more.record?.applied ?? {};
  const id = addOperation(lowering, unit, side, wordStep(unit.type, model, word, applied), more);
  if (word.fallback !== undefined) {
    const fallback = wordStep(unit.type, model, word.fallback, applied);
    const order = { ...more.order, fallbackFor: id };
    addOperation(lowering, unit, side, fallback, { ...more, order });
  }
  return id;
}

export function toolsWaitStep(toolsWait: ToolsWait): LoweredStep {
  return {
    verb: toolsWait.verb,
    effect: "wait",
    summary: "wait for the guest's tools",
    request: { inputs: {}, repeat: "safe" },
    applied: {},
    proof: {
      expect: toolsWait.expect,
      unmetAdvice: "look whether the guest boots and its tools are installed and run",
    },
  };
}

export function chain(lowering: Lowering, ...nodes: readonly NodeId[]): void {
  for (let index = 1; index < nodes.length; index += 1) {
    addEdge(lowering.graph, nodes[index - 1] ?? "", nodes[index] ?? "");
  }
}

export type LoweredUnit = {
  readonly unit: Unit;
  /** Power timeline of a VM that lives on; content finds its place in it. */
  readonly timeline: Timeline | undefined;
  readonly createOperation: OperationId | undefined;
  /** In-place changes of the object itself, such as folder sharing. */
  readonly ownSteps: readonly OperationId[];
  /** Of an object that ends: the words before, and what deletes it. */
  readonly words: readonly OperationId[];
  readonly deletes: readonly OperationId[];
  /** Steps of content, to be placed in the container's timeline. */
  readonly content: readonly { readonly id: OperationId; readonly needs: PowerState }[];
  /** Node after which the object is as wanted, its content excepted. */
  readonly settled: NodeId;
};

/** Units that are cloned of an object that ends, by provider, type and identity of it. */
export type LastClones = ReadonlyMap<string, readonly Unit[]>;

export type Timeline = {
  readonly unit: Unit;
  readonly model: PowerModel;
  readonly route: Route;
  /** Node after which segment i has its state. */
  readonly reached: readonly NodeId[];
  /** Ids of the words; word i leaves segment i. */
  readonly words: readonly OperationId[];
  readonly window: WindowId | undefined;
  /** Waits for tools, by segment. */
  readonly tools: Map<number, OperationId>;
};

/** What lowering shares: the order graph, ids, and how a step of a unit becomes an operation. */

import { aliasesOf } from "../../model/aliases.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type {
  ContainerKey,
  Operation,
  OperationEffect,
  OperationId,
  OperationLock,
  WindowId,
} from "../../model/operation.ts";
import type { PowerModel, PowerState, PowerWord, ToolsWait } from "../../model/power.ts";
import type { LoweredStep, ResourceType } from "../../model/provider.ts";
import type { Attributes, PlannedAttributes } from "../../model/value.ts";
import { knownBy } from "../before/recognize.ts";
import type { PlanInput } from "../input.ts";
import { containerOf, type Unit, unitKey } from "../unit.ts";
import { addEdge, type DraftOperation, type NodeId, type OrderGraph } from "./order-graph.ts";
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

/** Fields that an operation of any kind starts from. */
export function addOperation(
  lowering: Lowering,
  unit: Unit,
  side: Side,
  step: LoweredStep,
  extra: Partial<DraftOperation> = {},
): OperationId {
  const { type, desired, prior } = unit;
  const old = side === "prior" ? prior?.record : undefined;
  const identity = old?.identity ?? unit.identity;
  const id = nextId(lowering, unit, step.verb);
  const request = type.request(step.verb, identity, step.inputs);
  const container = containerOf(unit, side);
  const timeoutsMs = desired?.timeoutsMs ?? prior?.record.timeoutsMs ?? {};
  const attributes = old?.applied ?? unit.wanted;
  const known = old === undefined ? undefined : knownBy(type, prior?.attributes ?? {});
  const base: DraftOperation = {
    id,
    address: unit.address,
    type: type.name,
    provider: unit.provider,
    objectKey: side === "prior" ? (unit.deposes ?? unit.objectKey) : "current",
    identity,
    ...(known === undefined ? {} : { knownBy: known }),
    verb: step.verb,
    effect: step.effect,
    summary: step.summary,
    ...(request === undefined ? {} : { request }),
    inputs: step.inputs,
    records: step.records,
    deferred: deferredOf(unit, step),
    closing: false,
    ...(unit.branch === undefined ? {} : { branch: unit.branch }),
    locks: locksOf(lowering, unit, side, step),
    pools: [...new Set(step.pools)].map((pool) => `${unit.provider} ${pool}`),
    disrupts: step.disrupts ?? [],
    expect: step.expect,
    unobservable: step.unobservable ?? false,
    repeat: step.repeat,
    lagging: step.lagging ?? false,
    ...(step.lagMs === undefined ? {} : { lagMs: step.lagMs }),
    ...(step.unmetAdvice === undefined ? {} : { unmetAdvice: step.unmetAdvice }),
    ...(step.unneededBy === undefined ? {} : { unneededBy: step.unneededBy }),
    long: step.long ?? false,
    limitMs: limitOf(timeoutsMs, step, type.limitMs(step.verb, attributes)),
    ...requestLimitOf(timeoutsMs, step),
    dependencies: unit.dependencies,
    ...(container === undefined ? {} : { container }),
    timeoutsMs,
    ...(step.effect === "create" && desired !== undefined
      ? { preventDestroy: desired.lifecycle.preventDestroy }
      : {}),
    readBack: step.readBack ?? [],
    ...extra,
  };
  lowering.graph.operations.set(id, base);
  return id;
}

function nextId(lowering: Lowering, unit: Unit, verb: string): OperationId {
  const base = `${unitKey(unit)}#${verb}`;
  const count = (lowering.counters.get(base) ?? 0) + 1;
  lowering.counters.set(base, count);
  return `${base}.${count}`;
}

function deferredOf(unit: Unit, step: LoweredStep): Operation["deferred"] {
  const names = Object.keys(step.inputs).filter((name) => unit.deferred[name] !== undefined);
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

const verbGroups: { readonly [effect in OperationEffect]: string } = {
  create: "create",
  update: "update",
  delete: "delete",
  power: "power",
  wait: "wait",
};

function limitOf(
  timeoutsMs: { readonly [verb: string]: number },
  step: LoweredStep,
  standard: number,
): number {
  return timeoutsMs[step.verb] ?? timeoutsMs[verbGroups[step.effect]] ?? standard;
}

function requestLimitOf(
  timeoutsMs: { readonly [verb: string]: number },
  { requestLimitMs }: LoweredStep,
): { readonly requestLimitMs?: number } {
  if (requestLimitMs === undefined) return {};
  return { requestLimitMs: timeoutsMs["request"] ?? requestLimitMs };
}

/** A power word as a step. `records` holds the wanted power when this word completes it. */
function wordStep(
  { wordRequestLimitMs: requestLimitMs }: ResourceType,
  model: PowerModel,
  word: PowerWord,
  records: PlannedAttributes,
): LoweredStep {
  return {
    // A word without a task is looked for in no list: only the power tells what became of it.
    ...(requestLimitMs === undefined || word.taskless === true ? {} : { requestLimitMs }),
    verb: word.verb,
    effect: "power",
    summary: word.summary ?? `power ${word.verb}`,
    inputs: {},
    records,
    expect: [{ attribute: model.observed, equals: word.reaches }],
    repeat: "safe",
    disrupts: word.disrupts ?? [],
    // Whether the tools answer is news after each word, also when the answer is "not yet".
    readBack: (model.toolsWait?.expect ?? []).flatMap((item) =>
      "attribute" in item ? [item.attribute] : [],
    ),
    // A graceful shutdown is done when the guest is off, not when the reply comes or a task ends.
    lagging: word.graceful ?? false,
  };
}

/** Adds a word and its fallback; edges of the word count for both. */
export function addWord(
  lowering: Lowering,
  unit: Unit,
  side: Side,
  word: PowerWord,
  extra: Partial<DraftOperation> & { readonly records?: PlannedAttributes } = {},
): OperationId {
  const model = unit.type.power;
  if (model === undefined) throw new Error(`${unit.type.name} has no power`);
  const step = wordStep(unit.type, model, word, extra.records ?? {});
  const id = addOperation(lowering, unit, side, step, extra);
  if (word.fallback !== undefined) {
    const fallback = wordStep(unit.type, model, word.fallback, extra.records ?? {});
    addOperation(lowering, unit, side, fallback, { ...extra, fallbackFor: id });
  }
  return id;
}

export function toolsWaitStep(toolsWait: ToolsWait): LoweredStep {
  return {
    verb: toolsWait.verb,
    effect: "wait",
    summary: "wait for the guest's tools",
    inputs: {},
    records: {},
    expect: toolsWait.expect,
    unmetAdvice: "look whether the guest boots and its tools are installed and run",
    repeat: "safe",
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

/**
 * What a dispatcher may do, said a second time and slowly: after every step each operation is looked
 * at and its status must follow from the statuses of the others. `explore` walks through every order
 * in which running operations can end, with every outcome, and lets a drain come at every point.
 */

import {
  createDispatcher,
  type Dispatcher,
  type DispatchOptions,
} from "../../../src/engine/dispatch/dispatcher.ts";
import type { OperationStatus } from "../../../src/engine/dispatch/graph.ts";
import type { Operation, OperationId } from "../../../src/model/operation/operation.ts";

type Action =
  | { readonly do: "settle"; readonly id: OperationId; readonly outcome: "success" | "failed" }
  | { readonly do: "free"; readonly id: OperationId }
  | { readonly do: "drain" };

export type Exploration = {
  /** Runs from start to end. */
  runs: number;
  /** Distinct steps that were checked. */
  steps: number;
};

type Statuses = Map<OperationId, OperationStatus>;

type Run = {
  readonly dispatcher: Dispatcher;
  readonly operations: readonly Operation[];
  readonly options: DispatchOptions;
  readonly byId: ReadonlyMap<OperationId, Operation>;
  readonly begun: Set<OperationId>;
  readonly running: Set<OperationId>;
  /** Running operations whose slot was given back. */
  readonly freed: Set<OperationId>;
  statuses: Statuses;
  drained: boolean;
};

export type ExploreOptions = DispatchOptions & {
  readonly drain: boolean;
  /** Slots are given back before operations end, as those of remote tasks are. */
  readonly free?: boolean;
  /** Called at each node; picks the actions to follow. Every one when absent. */
  readonly choose?: (actions: readonly Action[]) => readonly Action[];
};

/** Throws an error that names the path to the first violation. */
export function explore(
  operations: readonly Operation[],
  options: ExploreOptions,
  totals: Exploration,
): void {
  const stack: (readonly Action[])[] = [[]];
  for (let path = stack.pop(); path !== undefined; path = stack.pop()) {
    try {
      const run = replay(operations, options, path);
      totals.steps += 1;
      const actions = actionsOf(run, options);
      if (run.running.size === 0) totals.runs += 1;
      const chosen = options.choose === undefined ? actions : options.choose(actions);
      for (const action of chosen) stack.push([...path, action]);
    } catch (error) {
      throw new Error(`${String(error)}\n${describe(operations, path)}`, { cause: error });
    }
  }
}

function actionsOf(run: Run, options: ExploreOptions): readonly Action[] {
  const actions: Action[] = [...run.running].flatMap((id): readonly Action[] => [
    { do: "settle", id, outcome: "success" },
    { do: "settle", id, outcome: "failed" },
  ]);
  const frees = [...run.running].flatMap((id): readonly Action[] => {
    const operation = run.byId.get(id);
    const holds = operation !== undefined && takesSlot(operation) && !run.freed.has(id);
    return options.free === true && holds ? [{ do: "free", id }] : [];
  });
  actions.push(...frees);
  const waits = [...run.statuses.values()].includes("waiting");
  return options.drain && !run.drained && waits && run.running.size > 0
    ? [...actions, { do: "drain" }]
    : actions;
}

/** Takes a path from the start. Only its last step is checked: the others were, on the way here. */
function replay(
  operations: readonly Operation[],
  options: ExploreOptions,
  path: readonly Action[],
): Run {
  const dispatcher = createDispatcher(operations, options);
  const run: Run = {
    dispatcher,
    operations,
    options,
    byId: new Map(operations.map((operation) => [operation.id, operation])),
    begun: new Set(),
    running: new Set(),
    freed: new Set(),
    statuses: new Map(operations.map((operation) => [operation.id, "waiting"])),
    drained: false,
  };
  step(run, undefined, path.length === 0);
  path.forEach((action, index) => step(run, action, index === path.length - 1));
  return run;
}

function step(run: Run, action: Action | undefined, checked: boolean): void {
  const { dispatcher } = run;
  if (action?.do === "settle") {
    dispatcher.settle(action.id, action.outcome);
    run.running.delete(action.id);
    run.freed.delete(action.id);
  } else if (action?.do === "free") {
    dispatcher.freeSlot(action.id);
    run.freed.add(action.id);
  } else if (action?.do === "drain") {
    dispatcher.drain();
    run.drained = true;
  }
  const before = run.statuses;
  const between = statusesOf(run);
  const started = dispatcher.start();
  const after = statusesOf(run);
  if (checked) {
    for (const operation of started) checkStart(run, operation, after);
  } else {
    for (const operation of started) note(run, operation);
  }
  run.statuses = after;
  if (!checked) return;
  for (const operation of run.operations) {
    const { id } = operation;
    const [old, middle, now] = [before.get(id), between.get(id), after.get(id)];
    require(isStep(run, action, id, old, middle) && isStep(run, undefined, id, middle, now), () =>
      `${id} went from ${old} by ${middle} to ${now}`);
    if (now !== "running") checkRest(run, operation);
  }
  require(dispatcher.isDone() === (run.running.size === 0), () =>
    `isDone is ${dispatcher.isDone()} while ${run.running.size} run`);
  if (run.running.size > 0) return;
  const stuck = run.operations.find(({ id }) => after.get(id) === "waiting");
  require(stuck === undefined, () => `deadlock: ${stuck?.id} waits for ever`);
}

function statusesOf(run: Run): Statuses {
  return new Map(run.operations.map(({ id }) => [id, run.dispatcher.status(id)]));
}

/** What has ended stays so; only a settled operation ends from running. */
function isStep(
  run: Run,
  action: Action | undefined,
  id: OperationId,
  from: OperationStatus | undefined,
  to: OperationStatus | undefined,
): boolean {
  if (from === "running") {
    return action?.do === "settle" && action.id === id ? to === action.outcome : to === "running";
  }
  if (from !== "waiting") return to === from;
  return to === "running" ? run.running.has(id) : to !== "success" && to !== "failed";
}

function require(condition: boolean, message: () => string): void {
  if (!condition) throw new Error(message());
}

function note(run: Run, { id }: Operation): void {
  run.begun.add(id);
  run.running.add(id);
}

function checkStart(run: Run, operation: Operation, after: Statuses): void {
  const { id } = operation;
  const { window } = operation.order;
  require(!run.begun.has(id), () => `${id} starts twice`);
  const statuses = { get: (key: OperationId) => after.get(key) };
  require(verdict(run, operation, statuses) === "ready", () =>
    `${id} starts before its edges allow`);
  const obstacle = obstacleOf(run, operation);
  require(obstacle === undefined, () => `${id} starts though ${obstacle}`);
  if (window?.role === "open")
    require(hasWork(run, operation, after), () => `${id} opens for nothing`);
  if (window?.role === "close")
    require(isOpened(run, operation), () => `${id} closes what is not open`);
  if (run.drained) require(closes(run, operation), () => `${id} starts while draining`);
  note(run, operation);
}

/** Checks the status of an operation that is not running. */
function checkRest(run: Run, operation: Operation): void {
  const { id } = operation;
  const { window } = operation.order;
  const status = run.statuses.get(id);
  if (run.begun.has(id)) return;
  const edges = verdict(run, operation, run.statuses);
  const idle =
    (window?.role === "open" && !hasWork(run, operation, run.statuses)) ||
    (window?.role === "close" && !isOpened(run, operation)) ||
    (run.drained && !closes(run, operation));
  switch (status) {
    case "waiting":
      require(edges !== "skipped" && edges !== "unused", () =>
        `${id} waits, though it is ${edges}`);
      if (edges === "ready") {
        require(obstacleOf(run, operation) !== undefined, () => `${id} could start and does not`);
      }
      return;
    case "skipped":
      require(edges === "skipped" || edges === "either" || (edges !== "unused" && idle), () =>
        `${id} is skipped without a reason (edges: ${edges})`);
      return;
    case "unused":
      require(edges === "unused" || edges === "either", () =>
        `${id} is unused without a reason (edges: ${edges})`);
      return;
    default:
      throw new Error(`${id} is ${status} and never started`);
  }
}

type Verdict = "pending" | "ready" | "skipped" | "unused" | "either";

/** What the edges of an operation that has not begun say of it. */
function verdict(run: Run, operation: Operation, statuses: Pick<Statuses, "get">): Verdict {
  if (operation.order.fallbackFor !== undefined) {
    const status = statuses.get(operation.order.fallbackFor);
    if (status === "failed") return "ready";
    if (status === "success" || status === "unused") return "unused";
    return status === "skipped" ? "skipped" : "pending";
  }
  const reasons = new Set<Verdict>();
  for (const { id, on } of operation.order.after) {
    const outcome = chainOutcome(run, id, statuses);
    if (outcome === undefined) reasons.add("pending");
    else if (on === "success" && outcome === "unused") reasons.add("unused");
    else if (on === "success" && outcome !== "success") reasons.add("skipped");
    else if (on === "failure" && (outcome === "success" || outcome === "unused")) {
      reasons.add("unused");
    }
  }
  // Which of the two is said depends on which predecessor ended first; it runs in neither case.
  if (reasons.has("skipped") && reasons.has("unused")) return "either";
  if (reasons.has("skipped")) return "skipped";
  if (reasons.has("unused")) return "unused";
  return reasons.has("pending") ? "pending" : "ready";
}

/** The outcome of an operation or its fallback; undefined while it is open. */
function chainOutcome(
  run: Run,
  id: OperationId,
  statuses: Pick<Statuses, "get">,
): OperationStatus | undefined {
  const fallback = run.operations.find((operation) => operation.order.fallbackFor === id);
  const status = statuses.get(id);
  const last = status === "failed" && fallback !== undefined ? statuses.get(fallback.id) : status;
  return last === "waiting" || last === "running" ? undefined : last;
}

function inWindow(run: Run, { order: { window } }: Operation): readonly Operation[] {
  if (window?.id === undefined) return [];
  return run.operations.filter((operation) => operation.order.window?.id === window?.id);
}

function isOpened(run: Run, operation: Operation): boolean {
  return inWindow(run, operation).some(
    ({ id, order: { window } }) => window?.role === "open" && run.begun.has(id),
  );
}

function hasWork(run: Run, operation: Operation, statuses: Statuses): boolean {
  const members = inWindow(run, operation).filter(
    ({ order: { window } }) => window?.role === "member",
  );
  return members.length === 0 || members.some(({ id }) => statuses.get(id) === "waiting");
}

/** May start in a run that drains. */
function closes(run: Run, operation: Operation): boolean {
  const { window, fallbackFor } = operation.order;
  if (window?.role === "close" && isOpened(run, operation)) return true;
  return fallbackFor !== undefined && run.begun.has(fallbackFor);
}

/** What keeps an operation from starting beside those that run: a lock, a window, a pool, a slot. */
function obstacleOf(run: Run, operation: Operation): string | undefined {
  const others = [...run.running].flatMap((id) => run.byId.get(id) ?? []);
  for (const lock of operation.order.locks) {
    for (const other of others) {
      const theirs = other.order.locks.find((held) => held.key === lock.key);
      if (theirs === undefined) continue;
      if (lock.mode === "exclusive" || theirs.mode === "exclusive") {
        return `${other.id} holds ${lock.key}`;
      }
    }
    const window = reservation(run, lock.key);
    if (window !== undefined && window !== operation.order.window?.id)
      return `${window} has ${lock.key}`;
  }
  if (operation.order.window?.role === "open") {
    for (const key of keysOf(run, operation)) {
      const holder = others.find((other) => other.order.locks.some((held) => held.key === key));
      if (holder !== undefined) return `${holder.id} holds ${key}, which the window needs`;
      const window = reservation(run, key);
      if (window !== undefined && window !== operation.order.window?.id)
        return `${window} has ${key}`;
    }
  }
  for (const pool of operation.order.pools) {
    const used = others.filter((other) => other.order.pools.includes(pool)).length;
    if (used >= (run.options.poolLimits[pool] ?? Number.POSITIVE_INFINITY))
      return `${pool} is full`;
  }
  const slots = others.filter((other) => takesSlot(other) && !run.freed.has(other.id)).length;
  return takesSlot(operation) && slots >= run.options.parallelism ? "no slot is free" : undefined;
}

function takesSlot(operation: Operation): boolean {
  return operation.request.preview !== undefined && !operation.order.long;
}

/** Keys that the words of the operation's window lock. */
function keysOf(run: Run, operation: Operation): readonly string[] {
  const words = inWindow(run, operation).filter(
    ({ order: { window } }) => window?.role !== "member",
  );
  return words.flatMap(({ order: { locks } }) => locks.map(({ key }) => key));
}

/** The open window that reserves a key: begun, and not all of it ended. */
function reservation(run: Run, key: string): string | undefined {
  const opener = run.operations.find(
    (operation) =>
      operation.order.window?.role === "open" &&
      run.begun.has(operation.id) &&
      keysOf(run, operation).includes(key) &&
      inWindow(run, operation).some(({ id }) =>
        ["waiting", "running"].includes(run.dispatcher.status(id)),
      ),
  );
  return opener?.order.window?.id;
}

function describe(operations: readonly Operation[], path: readonly Action[]): string {
  const graph = operations.map((operation) => {
    const { id } = operation;
    const { after, locks, pools, window, fallbackFor } = operation.order;
    return [
      id,
      ...after.map((edge) => `after ${edge.id} ${edge.on}`),
      ...locks.map((lock) => `${lock.mode} ${lock.key}`),
      ...pools.map((pool) => `pool ${pool}`),
      ...(window?.id === undefined ? [] : [`${window?.role} of ${window?.id}`]),
      ...(fallbackFor === undefined ? [] : [`fallback for ${fallbackFor}`]),
      ...(takesSlot(operation) ? [] : ["no slot"]),
    ].join(", ");
  });
  const steps = path.map((action) =>
    action.do === "settle" ? `${action.id} ${action.outcome}` : action.do,
  );
  return `  ${graph.join("\n  ")}\n  steps: ${steps.join("; ") || "none"}`;
}

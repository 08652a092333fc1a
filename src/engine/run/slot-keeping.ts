/**
 * Takes slots of endpoints for what waits for them, and gives them back. Each want is served by
 * itself, one endpoint after the other in the order of their names: so no two runs have a slot each
 * that the other waits for. What waits holds nothing of recorded state or of the plan.
 */

import type { EventSink } from "../../model/operation/event.ts";
import type { Operation, OperationId } from "../../model/operation/operation.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { EndpointSlots } from "../../model/recorded/endpoint-slots.ts";
import { isMap } from "../../model/value/value.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { SlotWant } from "../dispatch/endpoint-slots.ts";
import type { EnginePorts } from "../ports.ts";

/** How many operations may be under way, by endpoint, and the endpoints of providers. */
export type SlotLimits = {
  readonly endpoints: ReadonlyMap<string, string>;
  readonly atOnce: ReadonlyMap<string, number>;
};

/** Of two limits of one endpoint, the lower one holds. */
export function slotLimits({ providers, endpoints: known }: Plan): SlotLimits {
  const endpoints = new Map<string, string>();
  const atOnce = new Map<string, number>();
  for (const { name, settings } of providers) {
    const limits = isMap(settings) ? settings.limits : undefined;
    const limit =
      limits !== undefined && isMap(limits) ? limits.operations_per_endpoint : undefined;
    if (limit === undefined || limit === null) continue;
    const { instance, url = name } = known.find(({ provider }) => provider === name) ?? {};
    const endpoint = instance ?? url;
    endpoints.set(name, endpoint);
    atOnce.set(endpoint, Math.min(Number(limit), atOnce.get(endpoint) ?? Number(limit)));
  }
  return { endpoints, atOnce };
}

export type SlotKeeping = {
  /** Call it whenever operations have begun or ended. */
  readonly keepUp: () => void;
  /** Rejects when nothing more may begin, since the lock of recorded state was lost. */
  readonly failed: Promise<never>;
  /** When that has ended, nothing is waited for any more, and what is left is given back. */
  readonly until: (dispatched: Promise<void>) => Promise<void>;
};

type Keeping = {
  readonly ports: Pick<EnginePorts, "clock" | "events">;
  readonly dispatcher: Dispatcher;
  readonly atOnce: ReadonlyMap<string, number>;
  readonly slots: EndpointSlots;
  readonly operations: ReadonlyMap<OperationId, Operation>;
  /** Something may start. */
  readonly wake: () => void;
  readonly fail: (error: unknown) => void;
  /** Wants that are being served. */
  readonly serving: Map<string, Promise<void>>;
  /** Givings that are under way. */
  readonly giving: Set<Promise<void>>;
  readonly unused: Set<string>;
  /** Wakes who waits for a slot of the endpoint. */
  readonly freed: Map<string, () => void>;
  /** One of this run at a time asks for a slot of an endpoint. */
  readonly turns: Map<string, Promise<void>>;
  closed: boolean;
};

/** Without `slots`, those of this run alone are counted. */
export function keepSlots(
  { operations }: Pick<Plan, "operations">,
  parts: Pick<Keeping, "ports" | "dispatcher" | "atOnce" | "wake"> & {
    readonly slots: EndpointSlots | undefined;
  },
): SlotKeeping {
  let fail: Keeping["fail"] = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const keeping: Keeping = {
    ...parts,
    fail,
    slots: parts.slots ?? ownSlots(),
    operations: new Map(operations.map((operation) => [operation.id, operation])),
    serving: new Map(),
    giving: new Set(),
    unused: new Set(),
    freed: new Map(),
    turns: new Map(),
    closed: false,
  };
  return {
    keepUp: () => keepUp(keeping),
    failed,
    until: async (dispatched) => {
      try {
        await dispatched;
      } finally {
        await close(keeping);
      }
    },
  };
}

async function close(keeping: Keeping): Promise<void> {
  keeping.closed = true;
  await Promise.all(keeping.serving.values());
  keepUp(keeping);
  await Promise.all(keeping.giving);
}

function keepUp(keeping: Keeping): void {
  const { dispatcher, serving, unused, closed } = keeping;
  const reclaimed = dispatcher.reclaimSlots();
  for (const endpoint of reclaimed.endpoints) give(keeping, endpoint);
  for (const key of reclaimed.unused) unused.add(key);
  if (closed) return;
  for (const want of dispatcher.slotWants()) {
    if (!serving.has(want.key)) serve(keeping, want);
  }
}

function give({ slots, giving, freed, fail }: Keeping, endpoint: string): void {
  const given = slots.give(endpoint).then(() => freed.get(endpoint)?.(), fail);
  giving.add(given);
  void given.then(() => giving.delete(given));
}

function serve(keeping: Keeping, want: SlotWant): void {
  const { serving, fail, unused } = keeping;
  const serveOnce = async (): Promise<void> => {
    const isGranted = await takeAll(keeping, want);
    serving.delete(want.key);
    // What was granted and began nothing is wanted again when something else has ended.
    if (isGranted && !unused.delete(want.key)) keepUp(keeping);
  };
  serving.set(want.key, serveOnce().catch(fail));
}

/** False when nobody wants it any more. */
async function takeAll(keeping: Keeping, want: SlotWant): Promise<boolean> {
  const { dispatcher, unused, wake } = keeping;
  const taken: string[] = [];
  for (const endpoint of want.endpoints) {
    const isTaken = await inTurn(keeping, endpoint, () => takeOne(keeping, endpoint, want));
    if (isTaken) taken.push(endpoint);
    else break;
  }
  if (taken.length < want.endpoints.length) {
    for (const endpoint of taken) give(keeping, endpoint);
    return false;
  }
  unused.delete(want.key);
  dispatcher.grantSlots(want.key);
  wake();
  return true;
}

async function inTurn<T>({ turns }: Keeping, endpoint: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(endpoint) ?? Promise.resolve();
  const done = before.then(work);
  turns.set(
    endpoint,
    done.then(
      () => undefined,
      () => undefined,
    ),
  );
  return done;
}

/** Of what other runs give back, nobody is told. */
const pauseMs = 200;

async function takeOne(keeping: Keeping, endpoint: string, want: SlotWant): Promise<boolean> {
  const { slots, atOnce, ports, freed } = keeping;
  const tell = teller(keeping, endpoint);
  for (let tries = 0; ; tries += 1) {
    const waiting = stillWanted(keeping, want.key);
    if (waiting === undefined) {
      if (tries > 0) await slots.leave(endpoint);
      return false;
    }
    const taking = await slots.take(endpoint, atOnce.get(endpoint) ?? 1);
    if (taking.kind === "taken") return true;
    tell(waiting, taking.by);
    const given = new Promise<void>((resolve) => {
      freed.set(endpoint, resolve);
    });
    await Promise.race([ports.clock.sleep(pauseMs), given]);
    freed.delete(endpoint);
  }
}

/** Who waits; undefined when nobody does. */
function stillWanted(
  { dispatcher, closed }: Keeping,
  key: string,
): ReadonlySet<OperationId> | undefined {
  return closed ? undefined : dispatcher.slotWants().find((want) => want.key === key)?.ids;
}

type Tell = (ids: ReadonlySet<OperationId>, by: readonly string[]) => void;

/** Again only when it has changed. What this run itself does there, it tells anyway. */
function teller({ ports, operations }: Keeping, endpoint: string): Tell {
  let told = "";
  return (ids, by) => {
    const held = by.join(", ");
    const [id] = ids;
    const operation = id === undefined ? undefined : operations.get(id);
    if (held === told || held === "" || operation === undefined) return;
    told = held;
    const more = ids.size === 1 ? "" : `; ${ids.size} operations wait`;
    const message = `waits for a slot of ${endpoint}, held by ${held}${more}`;
    tellWaiting(ports.events, operation, message);
  };
}

function tellWaiting(events: EventSink, { id, subject }: Operation, message: string): void {
  events({ kind: "operation-waiting", address: subject.address, id, message });
}

/** Where a store knows of no other runs: those of this one. */
function ownSlots(): EndpointSlots {
  const counts = new Map<string, number>();
  const countOf = (endpoint: string): number => counts.get(endpoint) ?? 0;
  return {
    take: async (endpoint, atOnce) => {
      if (countOf(endpoint) >= atOnce) return { kind: "held", by: [] };
      counts.set(endpoint, countOf(endpoint) + 1);
      return { kind: "taken" };
    },
    give: async (endpoint) => void counts.set(endpoint, countOf(endpoint) - 1),
    leave: async () => {},
  };
}

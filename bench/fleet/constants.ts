/**
 * What single steps cost a PostgreSQL: processor time of the server's processes for each, measured
 * with the real store and the real queue on a server of its own. Processor time is what adds up
 * when many do it at once; elapsed time, of one alone, is given beside it.
 */

import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openBoss, stopBoss } from "../../src/queue/boss.ts";
import { makeRunQueues, sendRun, workRuns } from "../../src/queue/runs.ts";
import { openAgentEnd } from "../../src/queue/sites/agent-end.ts";
import { openRunEnd } from "../../src/queue/sites/run-end.ts";
import { runAgent } from "../../src/sites/agent.ts";
import { openAtSite } from "../../src/sites/session.ts";
import type { Access } from "../../src/store/postgres/session.ts";
import { targetOf } from "../../src/store/postgres/target.ts";
import { clock } from "../../src/wiring/clock.ts";
import { recordedObject, recordedState } from "../../test/helpers/recorded-builder.ts";
import { openIn } from "../../test/stores/postgres-place.ts";
import { type PostgresServer, startPostgres } from "../../test/stores/postgres-server.ts";
import { entry } from "../../test/unit/store/local/fixtures.ts";
import type { Costs } from "./simulate.ts";

export type Measured = {
  /** Milliseconds of processor time of the database, for each. */
  readonly costs: Costs;
  /** Milliseconds that pass for one who does it alone. */
  readonly elapsed: Costs;
};

type Step = { readonly cost: number; readonly elapsed: number };

/** Throws where there is no PostgreSQL. */
export async function measureConstants(): Promise<Measured> {
  const server = await startPostgres();
  try {
    const append = await measureAppend(server);
    const [few, many] = [await measureRead(server, 10), await measureRead(server, 2000)];
    const [run, call] = [await measureRun(server), await measureCall(server)];
    const perObject = (which: keyof Step): number =>
      Math.max(0, (many[which] - few[which]) / (2000 - 10));
    const all = (which: keyof Step): Costs => ({
      run: run[which],
      read: few[which],
      readObject: perObject(which),
      append: append[which],
      call: call[which],
    });
    return { costs: all("cost"), elapsed: all("elapsed") };
  } finally {
    await server.remove();
  }
}

/** One group of entries after another, as an apply writes them, fence and all. */
async function measureAppend(server: PostgresServer): Promise<Step> {
  const url = server.url(await server.createDatabase());
  const store = openIn(url, { name: "append" });
  const fence = await store.lock("apply", 0);
  await store.compact(recordedState([], { journal: { id: "j1", position: 0 } }), fence);
  const step = await measure(server, 600, async () => {
    await store.append([entry(100)], fence);
  });
  await store.close();
  return step;
}

async function measureRead(server: PostgresServer, count: number): Promise<Step> {
  const url = server.url(await server.createDatabase());
  const objects = Array.from({ length: count }, (_, index) =>
    recordedObject(`daemon_vm.web${index}`, {
      attributes: { id: `id-${index}`, name: `web ${index}`, power_state: "on", processors: 4 },
    }),
  );
  const store = openIn(url, { name: "read" });
  const fence = await store.lock("apply", 0);
  await store.compact(recordedState(objects, { journal: { id: "j1", position: 0 } }), fence);
  const step = await measure(server, 40, async () => {
    await store.read();
  });
  await store.close();
  return step;
}

/** From sent to completed, with the lock of its state taken and given back in between. */
async function measureRun(server: PostgresServer): Promise<Step> {
  const url = server.url(await server.createDatabase());
  const access = accessTo(url);
  const errors: Error[] = [];
  const onError = (error: Error): void => {
    errors.push(error);
  };
  const boss = await openBoss(access, { schema: "vmform", supervises: true, onError });
  await makeRunQueues(boss, { schema: "vmform" });
  const store = openIn(url, { name: "run" });
  const ended = new Map<string, () => void>();
  await workRuns(
    boss,
    {
      run: async (submission) => {
        await store.unlock(await store.lock("drift", 0));
        ended.get(submission)?.();
      },
      lost: () => Promise.resolve(),
    },
    { atOnce: 1 },
  );
  const step = await measure(server, 60, async (index) => {
    const done = new Promise<void>((resolve) => ended.set(`run-${index}`, resolve));
    await sendRun(boss, `run-${index}`, { state: `state-${index}` });
    await done;
  });
  await stopBoss(boss, 5000);
  await store.close();
  if (errors.length > 0) throw new AggregateError(errors, "the queue had trouble");
  return step;
}

/** To an agent and back, of which there are as many in a run as there are bulk reads. */
async function measureCall(server: PostgresServer): Promise<Step> {
  const url = server.url(await server.createDatabase());
  const access = accessTo(url);
  const ours = { site: "lab", version: "0.1.0", readOnly: false } as const;
  const end = await openAgentEnd({
    ...{ ...ours, access, schema: "vmform", agent: "bench", host: "there" },
    tell: () => undefined,
  });
  const agent = runAgent({
    ...{ ...ours, counter: end, clock, endpoints: [], mask: { mask: (text) => text } },
    open: async () => ({
      version: async () => "1.0",
      read: () => Promise.reject(new Error("nothing is read")),
      send: () => Promise.reject(new Error("nothing is sent")),
      close: async () => undefined,
    }),
  });
  const channel = await openRunEnd({ place: url, access, schema: "vmform", state: "web" });
  const session = await openAtSite(
    { channel, clock, newId: randomUUID, version: "0.1.0", types: [] },
    { site: "lab", waitMs: 10_000, provider: "daemon", access: "read", settings: {} },
  );
  const step = await measure(server, 60, async () => {
    await session.version?.();
  });
  await session.close();
  await agent.drain();
  await agent.ended;
  await Promise.all([channel.close(), end.close()]);
  return step;
}

function accessTo(url: string): Access {
  return {
    target: targetOf({ url }, {}, "nobody"),
    password: undefined,
    tls: {},
    applicationName: "vmform bench",
  };
}

/** A few before, which make plans and fill caches, do not count. */
async function measure(
  server: PostgresServer,
  times: number,
  work: (index: number) => Promise<void>,
): Promise<Step> {
  const warm = Math.ceil(times / 10);
  for (let index = 0; index < warm; index += 1) await work(index);
  const before = processorMs(server.pid());
  const started = performance.now();
  for (let index = warm; index < warm + times; index += 1) await work(index);
  const elapsed = (performance.now() - started) / times;
  // What a server counts of itself comes in steps.
  await sleep(50);
  return { cost: (processorMs(server.pid()) - before) / times, elapsed };
}

/** Of the processes of a server that run, and of those that have ended. */
function processorMs(postmaster: number): number {
  const tickMs = 10;
  const children = readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const stat = statOf(name);
    return stat?.parent === postmaster ? [stat.own] : [];
  });
  const own = statOf(String(postmaster));
  if (own === undefined) throw new Error("the server has ended");
  return (children.reduce((sum, ticks) => sum + ticks, 0) + own.own + own.ended) * tickMs;
}

/** Ticks of processor time; undefined when it has ended meanwhile. */
function statOf(
  pid: string,
): { readonly parent: number; readonly own: number; readonly ended: number } | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The name of a program may hold blanks and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const at = (index: number): number => Number(fields[index] ?? 0);
  return { parent: at(1), own: at(11) + at(12), ended: at(13) + at(14) };
}

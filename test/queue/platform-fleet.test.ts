/**
 * The example over all four interfaces, applied by two workers, with one of its interfaces behind an
 * agent: whoever is killed, stopped and woken, and whatever becomes of the database meanwhile, it
 * converges, and nothing is sent twice.
 */

import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openPlatform, type PlatformPlace, sentTwice } from "../examples/platform-place.ts";
import type { Ended } from "../examples/program.ts";
import { isLongRun } from "../helpers/amount.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../stores/postgres-server.ts";
import { createProcesses, type Processes, type Running } from "./fleet-processes.ts";
import { findNode22 } from "./node22.ts";

const node = findNode22();
const kinds = ["kill", "stop", "agent", "sessions", "database"] as const;
type Way = "apply" | "destroy";
/** Comes when a run has sent so many requests that change something. */
type Blow = {
  readonly kind: (typeof kinds)[number];
  readonly way: Way;
  readonly afterRequests: number;
};
/** An undisturbed run sends more than that. */
const momentsOf: { readonly [way in Way]: number } = { apply: 10, destroy: 5 };

/** Each kind once, in an order that the seed chooses; VMFORM_KILL_ALL asks for more of them. */
function blowsFor(): readonly Blow[] {
  const seed = fc.readConfigureGlobal()?.seed ?? Date.now();
  const rounds = process.env.VMFORM_KILL_ALL === undefined ? 1 : 4;
  const order = fc.shuffledSubarray([...kinds], { minLength: kinds.length });
  const sampled = fc.sample(order, { seed, numRuns: rounds }).flat();
  const moments = fc.sample(fc.nat(99), { seed, numRuns: sampled.length });
  const blows = sampled.map((kind, index): Blow => {
    // What was made is taken away by the next one, so that each has something to do.
    const way = index % 2 === 0 ? "apply" : "destroy";
    return { kind, way, afterRequests: 1 + ((moments[index] ?? 0) % momentsOf[way]) };
  });
  console.info(`blows ${JSON.stringify(blows)}, by the seed ${seed}`);
  return blows;
}

const hangMs = 600_000;

type Fleet = {
  readonly server: PostgresServer;
  readonly processes: Processes;
  readonly database: string;
  readonly workers: Running[];
  agent: Running;
  readonly history: Running[];
};

const tried = node !== undefined && hasPostgres() && isLongRun;
test.runIf(tried)(
  "workers, an agent and the database are hit again and again",
  async () => {
    const [server, place] = [await startPostgres(), await openPlatform()];
    const processes = createProcesses(node ?? "", place.folder);
    try {
      const database = server.url("postgres");
      behindAnAgent(place, database);
      const restore = place.limitEverything();
      const fleet = startFleet(server, processes, database);
      let takenAgain = 0;
      for (const [index, blow] of blowsFor().entries()) {
        const { way } = blow;
        const startedMs = performance.now();
        const since = place.simulators.log().length;
        const run = await submit(fleet, way);
        const ending = watch(fleet, run);
        await endingSoon(fleet, async () => {
          await untilSent(() => place.mutations(since).length, blow, ending);
          await strike(fleet, blow.kind, run);
          await converged(fleet, { run, way, ending });
        });
        expect(sentTwice(place.mutations(since))).toEqual([]);
        const takings = said(fleet).split(`run ${run}: taken`).length - 1;
        takenAgain += takings - 1;
        expect(said(fleet)).not.toMatch(/Warning:/);
        const tookS = Math.round((performance.now() - startedMs) / 1000);
        console.info(`${index + 1}. ${blow.kind}: ${way} taken ${takings} times, in ${tookS} s`);
      }
      restore();
      expect(await watch(fleet, await submit(fleet, "apply"))).toMatchObject({ code: 0 });
      expect(await processes.run(["plan", "--detailed-exitcode"])).toMatchObject({ code: 0 });
      expect(place.mutations().length).toBeGreaterThan(20);
      // Somebody took over what somebody else had: else nothing was hit.
      expect(takenAgain).toBeGreaterThan(0);
    } finally {
      await processes.killAll();
      await place.remove();
      await server.remove();
    }
  },
  1_800_000,
);

/** It takes half a minute; a hang says what was said. */
async function endingSoon(fleet: Fleet, work: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_, reject) => {
    const tell = (): void => reject(new Error(`it hangs:\n${said(fleet)}`));
    timer = setTimeout(tell, hangMs);
  });
  await Promise.race([work(), hang]).finally(() => clearTimeout(timer));
}

/** A run that has ended before it was hit is a fault of the test, and would be waited for for ever. */
async function untilSent(
  sent: () => number,
  { afterRequests }: Blow,
  ending: Promise<Ended>,
): Promise<void> {
  while (sent() < afterRequests) {
    const ended = await Promise.race([ending, sleep(10, undefined)]);
    expect(ended, `it has ended after ${sent()} requests`).toBeUndefined();
  }
}

function said({ history }: Fleet): string {
  return history.map((one) => one.said()).join("\n--\n");
}

/** Recorded state in the database, and the daemon where only the agent reaches it. */
function behindAnAgent(place: PlatformPlace, database: string): void {
  const { daemon } = place.simulators.origins;
  place.edit("main.vmform.yaml", [
    [
      "state: { local: { path: ../../state/platform.json } }",
      `state: { postgres: { url: "${database}", name: platform } }`,
    ],
    [
      `daemon: { url: "${daemon}" }`,
      `daemon: { url: "${daemon}", via: lab, unavailable: wait 2m }`,
    ],
  ]);
}

function startFleet(server: PostgresServer, processes: Processes, database: string): Fleet {
  const worker = (name: string): Running => startWorker(processes, database, name);
  const agent = startAgent(processes, database);
  const workers = [worker("one"), worker("two")];
  return { server, processes, database, workers, agent, history: [...workers, agent] };
}

function startWorker(processes: Processes, database: string, name: string): Running {
  const words = ["worker", "--database", database, "--heartbeat", "10s", "--name", name];
  return processes.start(words);
}

function startAgent(processes: Processes, database: string): Running {
  return processes.start(["agent", "--site", "lab", "--database", database]);
}

const consents = {
  apply: ["--allow", "grow,power-off,reclaim"],
  destroy: ["--allow", "destroy,power-off"],
} as const;

async function submit({ processes }: Fleet, way: Way): Promise<string> {
  const ended = await processes.run(["submit", way, "--auto-approve", ...consents[way]]);
  expect(ended).toMatchObject({ code: 0 });
  return /Submitted as ([0-9a-f]+)\./.exec(ended.stdout)?.[1] ?? "";
}

/** Until the run has ended, over whatever becomes of the database meanwhile. */
async function watch({ processes }: Fleet, run: string): Promise<Ended> {
  for (let again = 0; ; again += 1) {
    const ended = await processes.run(["runs", "--watch", run]);
    // What cannot be reached for a while says so by a code of the store.
    if (again === 20 || !/error STO\d+/.test(ended.stderr)) return ended;
    await sleep(1000);
  }
}

type Going = { readonly run: string; readonly way: Way; readonly ending: Promise<Ended> };

async function converged(fleet: Fleet, { run, way, ending }: Going): Promise<void> {
  let ended = await ending;
  for (let again = 0; ended.code !== 0; again += 1) {
    expect(again, `${JSON.stringify(ended)}\n${said(fleet)}`).toBeLessThan(10);
    ended = await goOn(fleet, run, way, ended);
  }
}

/** As a person does, who looks at it: more than was approved is approved, a failure tried again. */
async function goOn(fleet: Fleet, run: string, way: Way, ended: Ended): Promise<Ended> {
  const sum = /vmform approve \S+ --plan ([0-9a-f]+)/.exec(ended.stdout + ended.stderr)?.[1];
  if (ended.code === 2 && sum !== undefined) {
    const words = ["approve", run, "--plan", sum, ...consents[way]];
    if ((await fleet.processes.run(words)).code === 0) return watch(fleet, run);
  }
  return watch(fleet, await submit(fleet, way));
}

/** What is killed is started anew, as a service would be. */
async function strike(fleet: Fleet, kind: Blow["kind"], run: string): Promise<void> {
  const { processes, database, workers, server } = fleet;
  const index = workers.findIndex((one) => one.said().includes(`run ${run}: taken`)) === 1 ? 1 : 0;
  const victim = workers[index];
  switch (kind) {
    case "kill":
      victim?.signal("SIGKILL");
      workers[index] = startWorker(processes, database, `again-${index}`);
      fleet.history.push(workers[index]);
      return;
    case "stop":
      victim?.signal("SIGSTOP");
      // Longer than it may be silent.
      await sleep(20_000);
      victim?.signal("SIGCONT");
      return;
    case "agent":
      fleet.agent.signal("SIGKILL");
      fleet.agent = startAgent(processes, database);
      return;
    case "sessions":
      await server.admin(
        "postgres",
        `select pg_terminate_backend(pid) from pg_stat_activity
          where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      return;
    case "database":
      await server.stop("immediate");
      await server.start();
      return;
  }
}

/**
 * Workers as processes, one of which is lost in the middle of an apply: killed, stopped and woken
 * again, or cut off from the database. Another goes on with it, nothing is done twice, and whoever
 * comes back does nothing more.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isLongRun } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../stores/postgres-server.ts";
import { createFleetPlace, type FleetPlace } from "./fleet-place.ts";
import { findNode22 } from "./node22.ts";

/** Work that takes long enough to be met by what happens. */
const world = { daemon: { durations_ms: { create: 300, clone: 600, power_on: 600 } } };
const limits = "timeouts: { create: 5s, power: 5s, wait: 5s }";
const estate = ["base", "a", "b"]
  .map((id) => {
    const parent = id === "base" ? "power: off" : 'parent_id: "${daemon_vm.base.id}", power: on';
    return `  daemon_vm.${id}: { id: ${id}, ${parent}, ${limits} }`;
  })
  .join("\n");

type Loss = {
  readonly name: string;
  /** What happens to the worker; gives what happens when another one has done the run. */
  readonly lose: (worker: ChildProcess, place: FleetPlace) => Promise<() => void>;
};

const node = findNode22();

describe.runIf(hasPostgres() && node !== undefined)("with a server", () => {
  const { main } = buildProgram();
  let server: PostgresServer;
  const workers = new Set<ChildProcess>();
  const places = new Set<FleetPlace>();
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(async () => {
    for (const worker of workers) {
      worker.kill("SIGCONT");
      worker.kill("SIGKILL");
    }
    for (const place of places) await place.remove();
    await server.remove();
  });

  async function start({ url }: FleetPlace, name: string): Promise<ChildProcess> {
    const words = ["worker", "--database", url, "--name", name, "--heartbeat", "10s"];
    const worker = spawn(node ?? "", [main, ...words], { stdio: ["ignore", "pipe", "inherit"] });
    workers.add(worker);
    await new Promise<void>((resolve, reject) => {
      worker.stdout?.once("data", () => resolve());
      worker.once("exit", (code) => reject(new Error(`${name} ended with ${code}`)));
    });
    return worker;
  }

  const losses: readonly Loss[] = [
    {
      name: "cut off from the database",
      lose: async ({ pid }, { url }) => {
        await server.admin(
          new URL(url).pathname.slice(1),
          `select pg_terminate_backend(pid) from pg_stat_activity
            where application_name like 'vmform % ${pid}'`,
        );
        return () => undefined;
      },
    },
    {
      name: "killed",
      lose: async (worker) => {
        worker.kill("SIGKILL");
        return () => undefined;
      },
    },
    {
      name: "stopped, and woken when another has done its work",
      lose: async (worker) => {
        worker.kill("SIGSTOP");
        return () => worker.kill("SIGCONT");
      },
    },
  ];

  // Most of the time is spent in waiting for who is lost to be given up.
  test.runIf(isLongRun).concurrent.each(losses)("$name", tried, 180_000);

  async function tried({ lose }: Loss): Promise<void> {
    const place = await createFleetPlace(server, world);
    places.add(place);
    place.write(estate);
    const first = await start(place, "first");
    const id = await place.submit("apply", "--auto-approve");
    await expect.poll(() => done(place).length, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
    const afterwards = await lose(first, place);
    await start(place, "second");
    await place.watch(0, id);
    const requests = done(place);
    expect(new Set(requests).size).toBe(requests.length);
    expect(requests).toHaveLength(5);
    afterwards();
    // Whoever was woken is a worker like others.
    await place.watch(0, await place.submit("apply", "--auto-approve"));
    await place.run(0, "plan", "--detailed-exitcode");
    expect(done(place)).toEqual(requests);
    const { stdout } = await place.run(0, "runs", "--submitted");
    expect(stdout.match(/: done/g)).toHaveLength(2);
  }
});

/** What changed the world. */
function done(place: FleetPlace): readonly string[] {
  return place
    .mutations()
    .filter(({ effect }) => effect)
    .map(({ method, path, body }) => `${method} ${path} ${body}`)
    .toSorted();
}

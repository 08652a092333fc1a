/**
 * Two workers as processes at one endpoint that takes two operations at a time: whoever counts what
 * is under way there never sees more, also when a worker is killed with its slots; without the
 * setting more are seen.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSimulators } from "../../src/simulators/start.ts";
import { isLongRun } from "../helpers/amount.ts";
import { hasPostgres, startPostgres } from "../stores/postgres-server.ts";
import { createProcesses, type Processes } from "./fleet-processes.ts";
import { findNode22 } from "./node22.ts";

const node = findNode22();

/** Stands before the daemon, and counts requests that change something while they are under way. */
async function countingProxy(origin: string) {
  let underWay = 0;
  let most = 0;
  let all = 0;
  const server = createServer((incoming, outgoing) => {
    const changes = incoming.method !== "GET";
    if (changes) {
      underWay += 1;
      all += 1;
      most = Math.max(most, underWay);
    }
    // Also when who has asked is gone: the daemon does not know of it.
    const forwarded = send(
      new URL(incoming.url ?? "/", origin),
      { method: incoming.method, headers: incoming.headers },
      (reply) => {
        outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
        reply.pipe(outgoing);
        reply.on("end", () => {
          if (changes) underWay -= 1;
        });
      },
    );
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts: () => ({ most, all }),
    reset: () => {
      most = underWay;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const names = ["a", "b"] as const;

function write(folder: string, database: string, origin: string, limits: string): void {
  for (const name of names) {
    const vms = Array.from({ length: 5 }, (_, index) => {
      const id = `${name}${index}`;
      return `  daemon_vm.${id}: { id: ${id}, power: "\${vars.power}", tag: "\${vars.tag}" }`;
    });
    const text = [
      `vmform: { state: { postgres: { url: "${database}", name: ${name} } } }`,
      `providers: { daemon: { url: "${origin}"${limits} } }`,
      "variables: { power: { type: string, default: off }, tag: { type: string, default: x } }",
      "resources:",
      ...vms,
    ];
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "main.vmform.yaml"), `${text.join("\n")}\n`);
  }
}

async function submit(processes: Processes, name: string, way: string, ...more: string[]) {
  const words = ["submit", way, "--auto-approve", "--allow", "destroy,power-off", ...more];
  const { stdout, stderr } = await processes.run([...words, "--chdir", name]);
  const id = /Submitted as ([0-9a-f]+)\./.exec(stdout)?.[1];
  expect({ id, stdout, stderr }).toMatchObject({ id: expect.any(String) });
  return { name, id: id ?? "" };
}

const watched = (processes: Processes, { name, id }: { name: string; id: string }) =>
  processes.run(["runs", "--watch", id, "--chdir", name]);

test.runIf(node !== undefined && hasPostgres() && isLongRun)(
  "two at a time over both workers",
  async () => {
    const server = await startPostgres();
    const world = { daemon: { durations_ms: { create: 400, power_on: 400, power_off: 400 } } };
    const simulators = await startSimulators({ world });
    const proxy = await countingProxy(simulators.origins.daemon);
    const folder = mkdtempSync(join(tmpdir(), "vmform-slots-"));
    const processes = createProcesses(node ?? "", folder);
    const database = server.url("postgres");
    const worker = (name: string) =>
      processes.start([
        ...["worker", "--database", database, "--at-once", "1"],
        ...["--heartbeat", "10s", "--name", name],
      ]);
    const both = (way: string, ...more: string[]) =>
      Promise.all(names.map((name) => submit(processes, name, way, ...more)));
    try {
      const limits = ", limits: { operations_per_endpoint: 2 }";
      write(folder, database, proxy.origin, limits);
      const workers = [worker("one"), worker("two")];
      const told: string[] = [];
      for (const run of await both("apply")) {
        const { code, stdout } = await watched(processes, run);
        expect(code).toBe(0);
        told.push(stdout);
      }
      expect(proxy.counts()).toEqual({ most: 2, all: 10 });
      const text = told.join("\n");
      expect(text).toContain("waits for a slot of http://");
      expect(text).toMatch(/held by apply \(run [0-9a-f]+\) of \S+ on \S+ \(state [ab]\)/);
      // Killed in the middle: its slots go with its connection, and the other one needs no more.
      const runs = await both("apply", "--var", "power=on");
      while (proxy.counts().all < 13) await new Promise((resolve) => setTimeout(resolve, 10));
      workers[0]?.signal("SIGKILL");
      workers[0] = worker("three");
      for (const run of runs) expect(await watched(processes, run)).toMatchObject({ code: 0 });
      // What the killed one had sent was still under way there: its daemon knows nothing of slots.
      expect(proxy.counts().most).toBeLessThanOrEqual(4);
      proxy.reset();
      for (const run of await both("destroy")) {
        expect(await watched(processes, run)).toMatchObject({ code: 0 });
      }
      expect(proxy.counts().most).toBe(2);
      write(folder, database, proxy.origin, "");
      for (const run of await both("apply")) {
        expect(await watched(processes, run)).toMatchObject({ code: 0 });
      }
      expect(proxy.counts().most).toBeGreaterThan(2);
    } finally {
      await processes.killAll();
      proxy.close();
      await simulators.stop();
      await server.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  180_000,
);

/** The command with its recorded state on a server, killed and cut off at its writes. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import {
  type RunningStateServer,
  type StateServerRules,
  startStateServer,
} from "../stores/state-server.ts";
import { type Child, type Ended, endChildren, startChild } from "./child.ts";
import { runToEnd } from "./to-end.ts";

const { main } = buildProgram();
const token = "glpat-5f0c1d2e3b4a5968";

let server: RunningStateServer;
let simulators: RunningSimulators;
let folder: string;

async function startServer(rules: StateServerRules): Promise<void> {
  server = await startStateServer(rules, { login: { username: "ops", password: token } });
}

// Settings of recorded state take their secrets from the process.
beforeAll(() => void vi.stubEnv("STATE_TOKEN", token));
afterAll(() => void vi.unstubAllEnvs());
beforeEach(async () => {
  await startServer("gitlab");
  simulators = await startSimulators({ world: { daemon: {} } });
  folder = mkdtempSync(join(tmpdir(), "vmform-http-"));
});
afterEach(async () => {
  await endChildren();
  await server.stop();
  await simulators.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A golden image and two clones that run, as in the example `quickstart`. */
function configure(limit = "5m"): void {
  const timeouts = `{ create: ${limit}, power: ${limit}, delete: ${limit} }`;
  const text = `
vmform:
  state: { http: { username: ops, password: { env: STATE_TOKEN } } }
providers: { daemon: { url: "${simulators.origins.daemon}" } }
resources:
  daemon_vm.base: { id: base, power: off, timeouts: ${timeouts} }
  daemon_vm.app:
    for_each: { a: on, b: on }
    id: "\${each.key}"
    parent_id: \${daemon_vm.base.id}
    power: \${each.value}
    timeouts: ${timeouts}
`;
  writeFileSync(join(folder, "main.vmform.yaml"), text);
}

function options() {
  return { cwd: folder, environment: { TF_HTTP_ADDRESS: server.address, STATE_TOKEN: token } };
}

function start(...words: readonly string[]): Child {
  return startChild(main, words, options());
}

async function run(code: number, ...words: readonly string[]): Promise<Ended> {
  const ended = await runToEnd(main, words, options());
  expect(ended, `${ended.stdout}\n${ended.stderr}`).toMatchObject({ code });
  return ended;
}

const isWrite = ({ method, path }: { method: string; path: string }): boolean =>
  method === "POST" && !path.endsWith("/lock");

/** Effective changes of the daemon, in the order of their texts. */
function effects(): readonly string[] {
  return simulators
    .log()
    .filter((entry) => entry.class === "mutate" && entry.effect)
    .map(({ method, path, body }) => `${method} ${path} ${body}`)
    .toSorted();
}

describe.each(some(["gitlab", "gitea", "plain"] as const, 1))("on the rules of %s", (rules) => {
  test("is applied, has not drifted, and is destroyed", async () => {
    await server.stop();
    await startServer(rules);
    configure();
    await run(0, "apply", "--auto-approve");
    await run(0, "plan", "--detailed-exitcode");
    await run(0, "drift");
    // A begin and an end for each of five requests, and of two waits, less what went together.
    expect(server.versions.length).toBeLessThan(20);
    const daemon = simulators.world().daemon.vms.length;
    expect(daemon).toBe(3);
    const destroyed = await run(0, "destroy", "--auto-approve");
    expect(simulators.world().daemon.vms).toEqual([]);
    expect(server.lock()).toBeUndefined();
    expect(`${destroyed.stdout}${destroyed.stderr}`).not.toContain(token);
    expect(server.versions.at(-1)?.text).not.toContain(token);
    // Nothing but the mirror is kept on this machine.
    expect(readdirSync(folder).toSorted()).toEqual([".vmform", "main.vmform.yaml"]);
    expect(readdirSync(join(folder, ".vmform"))).toEqual(["mirror"]);
  });
});

test(
  "plan and drift take no lock and write nothing, also while a run is at work",
  onlyInLongRun,
  async () => {
    configure();
    await run(0, "apply", "--auto-approve");
    const held = { ID: "theirs", Who: "bob", Created: "2026-11-29T20:08:10Z" };
    server.setLock(held);
    server.requests.splice(0);
    await run(0, "plan");
    await run(0, "drift");
    expect(server.requests.every(({ method }) => method === "GET")).toBe(true);
    const refused = await run(1, "apply", "--auto-approve");
    expect(refused.stderr).toContain("STO009");
    expect(refused.stderr).toContain("bob");
    expect(server.lock()).toEqual(held);
  },
);

test("a key that completes addresses asks no server", async () => {
  configure();
  server.requests.splice(0);
  expect(await start("complete", "--", "state", "show", "").ended).toMatchObject({ code: 0 });
  expect(server.requests).toEqual([]);
});

describe("killed at a write", () => {
  const points = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].flatMap((n) =>
    (["before", "after"] as const).map((phase) => ({ n, phase })),
  );
  test.each(some(points, 1, 8))("$n, $phase it was stored", async ({ n, phase }) => {
    configure("2s");
    const child = start("apply", "--auto-approve");
    let writes = 0;
    server.meddle = (seen) => {
      if (!isWrite(seen)) return undefined;
      writes += 1;
      if (writes !== n) return undefined;
      child.kill("SIGKILL");
      return { cut: phase };
    };
    const killed = await child.ended;
    server.meddle = () => undefined;
    if (killed.signal === null) {
      // It had fewer writes: nothing was killed, which the first of the points show is rare.
      expect(n).toBeGreaterThan(6);
      return;
    }
    configure();
    const refused = await run(1, "apply", "--auto-approve");
    expect(refused.stderr).toContain("STO009");
    const [, id = ""] = /vmform force-unlock (\S+)/.exec(refused.stderr) ?? [];
    expect(id).toMatch(/^vmform:apply:/);
    await run(0, "force-unlock", id);
    await run(0, "apply", "--auto-approve");
    await run(0, "plan", "--detailed-exitcode");
    const vms = simulators.world().daemon.vms.map((vm) => `${vm.id} ${vm.power}`);
    expect(vms.toSorted()).toEqual(["a on", "b on", "base off"]);
    // Nothing was done twice.
    expect(new Set(effects()).size).toBe(effects().length);
    expect(server.lock()).toBeUndefined();
  });
});

test(
  "the lock is taken away in the middle: it ends what it has begun, and writes nothing",
  onlyInLongRun,
  async () => {
    configure();
    const child = start("apply", "--auto-approve");
    let writes = 0;
    server.meddle = (seen) => {
      if (isWrite(seen) && (writes += 1) === 4) {
        server.setLock({ ID: "theirs", Who: "bob", Created: "2026-11-29T20:08:10Z" });
      }
      return undefined;
    };
    const ended = await child.ended;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("STO010");
    expect(ended.stderr).toContain("bob");
    expect(server.versions).toHaveLength(3);
    expect(server.lock()).toMatchObject({ ID: "theirs" });
    const copy = /is in (\S+emergency\S+?),/.exec(ended.stderr.replaceAll(/\s+/g, " "))?.[1];
    expect(copy).toBeDefined();
  },
);

test(
  "what cannot be written any more is kept here, and pushed when the server takes it",
  onlyInLongRun,
  async () => {
    configure();
    const child = start("apply", "--auto-approve");
    let writes = 0;
    server.meddle = (seen) => (isWrite(seen) && (writes += 1) >= 4 ? { status: 413 } : undefined);
    const ended = await child.ended;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("STO014");
    const said = ended.stderr.replaceAll(/\s+/g, " ");
    const copy = /vmform state push (\S+)/.exec(said)?.[1] ?? "";
    expect(readFileSync(join(folder, copy), "utf8")).toContain('"lineage"');
    server.meddle = () => undefined;
    await run(0, "state", "push", copy);
    await run(0, "apply", "--auto-approve");
    await run(0, "plan", "--detailed-exitcode");
    expect(new Set(effects()).size).toBe(effects().length);
  },
);

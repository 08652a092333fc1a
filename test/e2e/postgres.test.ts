/**
 * The quickstart with its recorded state in a PostgreSQL server of the test's own: applied, drifted
 * and destroyed; killed at every append and request; stopped, and woken when another has taken over;
 * the server restarted under it.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import { amount, onlyInLongRun, some } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../stores/postgres-server.ts";
import { type Child, type Ended, endChildren, startChild } from "./child.ts";
import { powerVm, type SimulatorProcess, startSimulator } from "./simulator.ts";
import { runToEnd } from "./to-end.ts";

/** Durations so long that what happens meets the work in progress. */
const world = JSON.stringify({
  daemon: { durations_ms: { create: 100, clone: 400, power_on: 80, tools: 40, address: 40 } },
});
const requestHook = fileURLToPath(new URL("kill-hook.mjs", import.meta.url));
const appendHook = fileURLToPath(new URL("postgres-hook.mjs", import.meta.url));
const apply = ["apply", "--auto-approve"];

describe.runIf(hasPostgres())("with a server", () => {
  const { main } = buildProgram();
  let server: PostgresServer;
  let simulator: SimulatorProcess;
  let folder: string;
  let states = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "vmform-pg-e2e-"));
    server = await startPostgres();
    simulator = await startSimulator(main, folder, world);
  });
  beforeEach(async () => {
    for (const { id } of await simulator.vms()) await simulator.change({ delete_vm: { id } });
    anotherState();
    configure("2s");
  });
  afterEach(endRuns);
  afterAll(async () => {
    await simulator.stop();
    await endChildren();
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** As the quickstart has it; an interrupted operation is waited for until its limit. */
  function configure(limit: string): void {
    const url = `postgres://admin@127.0.0.1:${server.port}/postgres`;
    const timeouts = `timeouts: { create: ${limit}, power: ${limit}, wait: ${limit} }`;
    const yaml = `
vmform: { state: { postgres: { url: "${url}", name: "web-${states}" } } }
providers: { daemon: { url: "${simulator.origin}" } }
resources:
  daemon_vm.base: { id: web-base, power: off, ${timeouts} }
  daemon_vm.app:
    for_each: { a: on, b: on }
    id: "web-\${each.key}"
    parent_id: \${daemon_vm.base.id}
    power: \${each.value}
    ${timeouts}
outputs: { ids: { value: "\${[daemon_vm.app['a'].id, daemon_vm.app['b'].id]}" } }
`;
    writeFileSync(join(folder, "main.vmform.yaml"), yaml);
  }

  const running = new Set<Child>();
  async function endRuns(): Promise<void> {
    for (const child of running) {
      child.kill("SIGKILL");
      await child.ended;
    }
    running.clear();
  }

  function start(
    words: readonly string[],
    environment: { readonly [name: string]: string } = {},
  ): Child {
    const node = ["--import", requestHook, "--import", appendHook];
    const child = startChild(main, words, {
      cwd: folder,
      node,
      environment: { KILL_FOLDER: join(folder, "state"), ...environment },
    });
    running.add(child);
    void child.ended.then(() => running.delete(child));
    return child;
  }

  async function run(code: number, ...words: readonly string[]): Promise<Ended> {
    const ended = await runToEnd(main, words, { cwd: folder });
    expect(ended, `${ended.stdout}\n${ended.stderr}`).toMatchObject({ code });
    return ended;
  }

  async function changes(after: number): Promise<readonly LoggedRequest[]> {
    const log = await simulator.log(after);
    return log.filter((entry) => entry.class === "mutate");
  }

  const textOf = ({ method, path, body }: LoggedRequest): string => `${method} ${path} ${body}`;

  /** What was done, and that nothing of it was done twice. */
  async function doneOnce(after: number): Promise<readonly string[]> {
    const done = (await changes(after)).filter((entry) => entry.effect).map(textOf);
    expect(new Set(done).size).toBe(done.length);
    return done.toSorted();
  }

  async function convergedFrom(after: number): Promise<void> {
    await run(0, ...apply);
    await run(0, "plan", "--detailed-exitcode");
    expect((await doneOnce(after)).length).toBe(undisturbed.length);
    const vms = (await simulator.vms()).map(({ id, power }) => `${id} ${power}`);
    expect(vms.toSorted()).toEqual(["web-a on", "web-b on", "web-base off"]);
  }

  /** As a configuration of its own has: what this one has left behind would be told of. */
  function anotherState(): void {
    states += 1;
    rmSync(join(folder, ".vmform"), { recursive: true, force: true });
  }

  let undisturbed: readonly string[] = [];
  let appends = 0;

  test("it is applied, drifts, is mended and destroyed", async () => {
    const after = (await simulator.log()).length;
    const report = join(folder, "appends");
    const first = await start(apply, { APPEND_REPORT: report }).ended;
    expect(first).toMatchObject({ code: 0, stderr: "" });
    appends = Number(readFileSync(report, "utf8"));
    undisturbed = await doneOnce(after);
    expect(undisturbed.length).toBeGreaterThanOrEqual(3);
    await run(0, "plan", "--detailed-exitcode");
    await run(0, "drift");
    await simulator.change(powerVm("web-a", "off"));
    await run(2, "drift");
    await run(0, ...apply);
    expect((await run(0, "state", "list")).stdout.split("\n").filter(Boolean)).toHaveLength(3);
    await run(0, "destroy", "--auto-approve", "--allow", "power-off,destroy");
    expect(await simulator.vms()).toEqual([]);
    expect((await run(0, "state", "list")).stdout).toBe("");
  });

  test("killed at any append or request, the next run converges", onlyInLongRun, async () => {
    const moments = [
      ...Array.from({ length: appends }, (_, index) =>
        ["before", "sent"].map((phase) => ({
          APPEND_AT: JSON.stringify({ n: index + 1, phase }),
        })),
      ).flat(),
      ...undisturbed.flatMap((request) =>
        ["before", "sent", "replied"].map((phase) => ({
          KILL_AT: JSON.stringify({ kind: "request", request, phase }),
        })),
      ),
    ];
    expect(moments.length).toBeGreaterThan(20);
    let killed = 0;
    for (const moment of some(moments, 1, 8)) {
      for (const { id } of await simulator.vms()) await simulator.change({ delete_vm: { id } });
      anotherState();
      configure("2s");
      const after = (await simulator.log()).length;
      const ended = await start(apply, moment).ended;
      if (ended.signal === "SIGKILL") killed += 1;
      configure("5m");
      await convergedFrom(after);
    }
    expect(killed).toBeGreaterThanOrEqual(amount(1, 3));
  });

  /** Until a clone is at work. */
  async function cloning(after: number, child: Child): Promise<void> {
    const over = new AbortController();
    void child.ended.finally(() => over.abort());
    for (;;) {
      const sent = await changes(after);
      if (sent.some((entry) => entry.body.includes("web-a") && !entry.ended)) return;
      if (over.signal.aborted) throw new Error("the run ended before it cloned");
      await sleep(10);
    }
  }

  test.each(some(["immediate", "fast"] as const, 1))(
    "the server is restarted (%s) in the middle of an apply, which goes on",
    onlyInLongRun,
    async (mode) => {
      configure("5m");
      const after = (await simulator.log()).length;
      const child = start(apply);
      await cloning(after, child);
      await server.stop(mode);
      await server.start();
      const ended = await child.ended;
      expect(ended).toMatchObject({ code: 0 });
      await convergedFrom(after);
    },
  );

  test(
    "the server is stopped: the mirror is applied from, and merged when it is back",
    onlyInLongRun,
    async () => {
      const after = (await simulator.log()).length;
      await run(0, ...apply);
      await simulator.change(powerVm("web-a", "off"));
      await server.stop("fast");
      const { stderr } = await run(1, "plan");
      expect(stderr.replaceAll(/\s+/g, " ")).toContain("--state-from mirror");
      await run(2, "drift", "--state-from", "mirror");
      await run(0, ...apply, "--state-from", "mirror", "--allow", "mirror");
      await server.start();
      const merged = await run(0, ...apply);
      expect(merged.stderr).toContain("STO075");
      await run(0, "plan", "--detailed-exitcode");
      expect((await run(0, "runs")).stdout.match(/apply/g)?.length).toBe(3);
      // Cloned, turned on, and turned on again, each once.
      const done = (await changes(after)).filter(({ effect }) => effect).map(textOf);
      expect(done.filter((text) => text.includes("web-a")).length).toBe(3);
    },
  );

  test(
    "a run that is stopped is shut out, and does nothing more when it is woken",
    onlyInLongRun,
    async () => {
      const after = (await simulator.log()).length;
      const child = start(apply);
      await cloning(after, child);
      child.kill("SIGSTOP");
      const refused = await run(1, ...apply);
      const id = /vmform force-unlock (\S+)/.exec(refused.stderr)?.[1] ?? "";
      expect(refused.stderr).toContain(`(process ${child.pid}, apply)`);
      await run(0, "force-unlock", id);
      configure("5m");
      await run(0, ...apply);
      const before = (await changes(after)).length;
      child.kill("SIGCONT");
      const woken = await child.ended;
      expect(woken.code).toBe(1);
      expect(woken.stderr).toContain("STO010");
      expect((await changes(after)).length).toBe(before);
      await convergedFrom(after);
    },
  );
});

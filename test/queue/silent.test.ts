/**
 * Who gives no sign of life: an agent that stands still and keeps its place, with nobody standing
 * by, and a worker. Calls wait or fail as configured, and people are told.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSimulators } from "../../src/simulators/start.ts";
import { publicJsonProblems } from "../cli/public-json.ts";
import { isLongRun } from "../helpers/amount.ts";
import { hasPostgres, startPostgres } from "../stores/postgres-server.ts";
import { createProcesses } from "./fleet-processes.ts";
import { findNode22 } from "./node22.ts";

const node = findNode22();
const tried = node !== undefined && hasPostgres() && isLongRun;
const polling = { timeout: 60_000, interval: 500 };

test.runIf(tried)(
  "an agent and a worker stand still",
  async () => {
    const server = await startPostgres();
    const simulators = await startSimulators({ world: {} });
    const folder = mkdtempSync(join(tmpdir(), "vmform-silent-"));
    const processes = createProcesses(node ?? "", folder);
    const database = server.url("postgres");
    const write = (unavailable: string): void =>
      writeFileSync(
        join(folder, "main.vmform.yaml"),
        `vmform: { state: { postgres: { url: "${database}", name: web } } }
providers:
  daemon: { url: "${simulators.origins.daemon}", via: lab, unavailable: ${unavailable} }
resources:
  daemon_vm.a: { id: a, power: on }
`,
      );
    const doctor = async () => {
      const ended = await processes.run(["doctor", "--json"]);
      expect(publicJsonProblems({ command: "vmform doctor --json", ...ended, code: 0 })).toEqual(
        [],
      );
      return ended.stdout;
    };
    try {
      write("fail");
      const agent = processes.start(["agent", "--site", "lab", "--database", database]);
      processes.start(["worker", "--database", database, "--name", "one"]);
      const still = processes.start(["worker", "--database", database, "--name", "still"]);
      await expect.poll(() => agent.said(), polling).toContain("Taking calls");
      await expect.poll(doctor, polling).toMatch(/"name":"one".*"name":"still"|"still".*"one"/);
      still.signal("SIGSTOP");
      expect(await processes.run(["plan"])).toMatchObject({ code: 0 });
      agent.signal("SIGSTOP");
      await expect.poll(doctor, polling).toContain('"silent_since"');
      const failed = await processes.run(["plan"]);
      expect(failed.code).toBe(1);
      expect(failed.stdout + failed.stderr).toContain("the agent of the site lab on");
      expect(failed.stdout + failed.stderr).toContain("is silent since");
      write("wait 10m");
      const { stdout } = await processes.run(["submit", "apply", "--auto-approve"]);
      const run = /Submitted as ([0-9a-f]+)\./.exec(stdout)?.[1] ?? "";
      const watching = processes.start(["runs", "--watch", run]);
      await expect.poll(() => watching.said(), polling).toMatch(/is silent since .*is waited for/);
      agent.signal("SIGCONT");
      await expect.poll(() => watching.said(), polling).toContain(`${run}: done.`);
      expect(watching.said()).toContain("the agent of the site lab is there");
      await expect.poll(doctor, polling).toMatch(/still of vmform [^;]* silent since/);
    } finally {
      await processes.killAll();
      await simulators.stop();
      await server.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  300_000,
);

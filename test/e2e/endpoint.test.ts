/** Another server behind a url that was changed: what every command says of it, and does not do. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { expectCode, runInside } from "../helpers/program.ts";

let folder: string;
const running: RunningSimulators[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-endpoint-"));
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((simulators) => simulators.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const users = [{ name: "admin", password: "secret" }];

/** Names of VMs, in the order in which the manager gives out its ids. */
async function serve(seed: number, ...names: readonly string[]): Promise<RunningSimulators> {
  const vms = Object.fromEntries(names.map((name) => [name, { power: "off" as const }]));
  const ids = Object.fromEntries(["a", "b"].map((id) => [id, {}]));
  const world = { seed, daemon: { vms: ids }, manager: { users, vms } };
  const simulators = await startSimulators({ world });
  running.push(simulators);
  return simulators;
}

function configure({ origins }: RunningSimulators): void {
  const login = `user: admin, password: { env: PASSWORD }`;
  writeFileSync(
    join(folder, "main.vmform.yaml"),
    `providers:
  manager: { url: "${origins.manager}", ${login} }
  daemon: { url: "${origins.daemon}" }
resources:
  manager_vm.db: { name: db }
  manager_disk.d: { vm: "\${manager_vm.db.moref}", label: Hard disk 1 }
  daemon_vm.a: { id: a }
imports: [{ to: daemon_vm.a, id: a }]
`,
  );
}

async function run(code: number, ...words: readonly string[]): Promise<string> {
  const output = await runInside(folder, words, { environment: { PASSWORD: "secret" } });
  const { stdout, stderr } = expectCode(code, words, output);
  return stdout + stderr;
}

test(
  "nothing is done at another server without consent, however little is recorded",
  onlyInLongRun,
  async () => {
    const first = await serve(1, "web", "db");
    configure(first);
    await run(0, "apply", "--auto-approve");
    expect(await run(0, "state", "show", "manager_vm.db")).toContain(first.origins.manager);
    const second = await serve(2, "payroll", "db");
    configure(second);
    for (const words of [["plan"], ["plan", "--format", "markdown"], ["plan", "--json"]]) {
      expect(await run(0, ...words)).toContain("PLN031");
    }
    expect(await run(1, "drift")).toContain("PLN031");
    expect(await run(1, "apply", "--auto-approve", "--allow", "readopt")).toContain("CLI005");
    const all = ["--auto-approve", "--allow", "destroy,vanished,readopt"];
    expect(await run(1, "destroy", ...all)).toContain("CLI005");
    const reset = ["reset", "--auto-approve", "--allow", "power-cycle"];
    expect(await run(1, "action", "manager_vm.db", ...reset)).toContain("CLI012");
    expect(second.log().filter((entry) => entry.class === "mutate")).toEqual([]);
    const taken = await run(0, "apply", "--auto-approve", "--allow", "endpoint,readopt");
    expect(taken).toContain("2 adopted");
    expect(await run(0, "plan", "--detailed-exitcode")).not.toContain("PLN031");
  },
);

test("the same server at another address, whose ids were given out anew", async () => {
  configure(await serve(1, "web", "db"));
  await run(0, "apply", "--auto-approve");
  const daemonMoves = ["--auto-approve", "--refresh-only", "--allow", "endpoint"];
  configure(await serve(1, "db", "web"));
  const told = await run(0, "plan");
  expect(told).toContain("consent: endpoint: daemon_vm.a; readopt: manager_disk.d, manager_vm.db");
  await run(0, "apply", ...daemonMoves, "--target", "daemon_vm.a");
  await run(1, "apply", "--auto-approve");
  await run(0, "apply", "--auto-approve", "--allow", "readopt");
  expect(await run(0, "state", "show", "manager_disk.d")).toContain('identity: "vm-101/2000"');
});

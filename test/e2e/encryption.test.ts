/** The command with encryption: no file of it tells a name, and each thing that is done still works. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import { expectCode, type Output, runInside } from "../helpers/program.ts";

const canary = "canary-vm";

let simulators: RunningSimulators;
let folder: string;

beforeEach(async () => {
  simulators = await startSimulators({ world: { daemon: {} } });
  folder = mkdtempSync(join(tmpdir(), "vmform-encryption-"));
  writeFileSync(file("key"), "1".repeat(64));
  writeFileSync(file("words"), "one two three four five\n");
});
afterEach(async () => {
  await simulators.stop();
  rmSync(folder, { recursive: true, force: true });
});

function configure(encryption: string, power = "off"): void {
  const text = `
vmform:
  state: { local: { path: kept/lab.json } }
  ${encryption === "" ? "" : `encryption: ${encryption}`}
providers: { daemon: { url: "${simulators.origins.daemon}" } }
resources:
  daemon_vm.canary_resource: { id: ${canary}, power: ${power} }
outputs:
  canary_output: { value: "\${daemon_vm.canary_resource.id}" }
`;
  writeFileSync(join(folder, "main.vmform.yaml"), text);
}

async function run(code: number, ...words: readonly string[]): Promise<Output> {
  return expectCode(code, words, await runInside(folder, words));
}

const file = (name: string): string => join(folder, name);

/** Files, but for the configuration, that have a text of those that are known. */
function telling(): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => statSync(join(folder, name)).isFile() && !name.endsWith(".yaml"),
  );
  expect(files.length).toBeGreaterThan(2);
  return files.filter((name) =>
    /canary|127\.0\.0\.1/.test(readFileSync(join(folder, name), "latin1")),
  );
}

test("plans, applies, shows, moves, pulls and pushes; no file tells what is managed", async () => {
  configure("{ key: { file: key } }");
  await run(0, "plan", "--out", file("saved.plan"));
  expect((await run(0, "show", file("saved.plan"))).stdout).toContain(canary);
  writeFileSync(file("cut.plan"), readFileSync(file("saved.plan")).subarray(0, 500));
  expect((await run(1, "show", file("cut.plan"))).stderr).toContain("cut or changed");
  await run(0, "apply", "--auto-approve", file("saved.plan"));
  configure("{ key: { file: key } }", "on");
  await run(0, "apply", "--auto-approve");
  await run(0, "state", "mv", "daemon_vm.canary_resource", "daemon_vm.canary_moved");
  expect((await run(0, "state", "list")).stdout).toBe("daemon_vm.canary_moved\n");
  expect((await run(0, "output", "canary_output")).stdout).toContain(canary);
  const { stdout } = await run(0, "state", "pull");
  expect(JSON.parse(stdout)).toMatchObject({ objects: [{ identity: canary }] });
  // What was recorded before goes beside it, sealed as well.
  const mended = stdout.replace('"serial": 3', '"serial": 9');
  writeFileSync(file("mended.yaml"), mended.replaceAll("canary_moved", "canary_again"));
  await run(0, "state", "push", file("mended.yaml"));
  expect((await run(0, "state", "list")).stdout).toBe("daemon_vm.canary_again\n");
  const [backup = ""] = readdirSync(join(folder, "kept")).filter((one) => /serial-/.test(one));
  expect(telling()).toEqual([]);
  await run(0, "state", "push", join(folder, "kept", backup), "--force");
  expect((await run(0, "state", "list")).stdout).toBe("daemon_vm.canary_moved\n");
  expect(telling()).toEqual([]);
});

test("begins, changes its key and ends; each without it is refused in words of its own", async () => {
  configure("");
  await run(0, "apply", "--auto-approve");
  await run(0, "plan", "--out", file("plain.plan"));
  expect(telling().length).toBeGreaterThan(1);
  configure("{ passphrase: { file: words } }");
  expect((await run(1, "plan")).stderr).toContain("STO062");
  configure("{ passphrase: { file: words }, unencrypted: read }");
  expect((await run(0, "state", "reseal")).stdout).toContain("encrypted with the first key now");
  configure("{ passphrase: { file: words } }");
  expect(telling()).toEqual(["plain.plan"]);
  expect((await run(1, "apply", "--auto-approve", file("plain.plan"))).stderr).toContain("STO062");
  expect((await run(0, "show", file("plain.plan"))).stdout).toContain("No changes");
  rmSync(file("plain.plan"));
  await run(0, "workspace", "new", "blue");
  await run(0, "workspace", "select", "default");
  configure("{ key: { file: key } }");
  expect((await run(1, "state", "list")).stderr).toContain("STO061");
  configure("{ key: { file: key }, former: [{ passphrase: { file: words } }] }");
  expect((await run(0, "plan")).stderr).toContain("STO065");
  const resealed = await run(0, "state", "reseal");
  expect(resealed.stderr).not.toContain("STO065");
  expect(resealed.stdout).toContain("VMFORM_WORKSPACE=blue vmform state reseal");
  configure("{ key: { file: key } }");
  expect((await run(0, "state", "reseal")).stdout).toContain("Nothing was changed");
  expect(telling()).toEqual([]);
  configure("");
  expect((await run(1, "plan")).stderr).toContain("STO060");
  configure("{ key: { file: nowhere } }");
  expect((await run(1, "plan")).stderr).toContain("nowhere");
  expect((await run(1, "force-unlock", "some-id")).stderr).toContain("STO011");
  configure("{ unencrypted: written, former: [{ key: { file: key } }] }");
  await run(0, "state", "reseal");
  configure("");
  expect((await run(0, "state", "list")).stdout).toBe("daemon_vm.canary_resource\n");
});

/** Ansible reads what `vmform inventory` writes: its groups, its hosts, and their variables. */

import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { onlyInLongRun } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import { ansibleInventory, lacksPython } from "./clients.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const configuration = `
vmform: { simulator: { world: ./world.yaml } }
providers: { daemon: { url: "http://127.0.0.1:8080" } }
resources:
  daemon_vm.web: { id: web, tag: "shop.front", power: on }
  daemon_vm.app:
    for_each: { odd: "odd name", new: new }
    id: "\${each.value}"
`;

/** An inventory script of a folder with three VMs. */
function inventoryScript(): string {
  const { main } = buildProgram();
  const folder = mkdtempSync(join(tmpdir(), "vmform-ansible-"));
  folders.push(folder);
  writeFileSync(join(folder, "world.yaml"), "daemon: { vms: {} }\n");
  writeFileSync(join(folder, "main.vmform.yaml"), configuration);
  const applied = spawnSync(process.execPath, [main, "apply", "--auto-approve"], { cwd: folder });
  expect({ status: applied.status, stderr: String(applied.stderr) }).toEqual({
    status: 0,
    stderr: "",
  });
  const script = join(folder, "inventory");
  const command = `"${process.execPath}" "${main}" inventory --chdir "${folder}"`;
  writeFileSync(script, `#!/bin/sh\nexec ${command} "$@"\n`);
  chmodSync(script, 0o755);
  return script;
}

describe.skipIf(lacksPython)("ansible-inventory", () => {
  test("knows the groups and their hosts", async () => {
    const { code, stdout, stderr } = await ansibleInventory(inventoryScript(), "--graph");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const groups = stdout.split("\n").filter((line) => line.startsWith("  |--@"));
    expect(groups.map((line) => line.slice(6)).toSorted()).toEqual([
      "power_off:",
      "power_on:",
      "provider_daemon:",
      "tag_shop_front:",
      "type_daemon_vm:",
      "ungrouped:",
    ]);
    expect(stdout).toContain('  |--daemon_vm.app["odd"]\n');
  });

  test("knows what is recorded of a host", onlyInLongRun, async () => {
    const { stdout } = await ansibleInventory(inventoryScript(), "--host", "web");
    expect(JSON.parse(stdout)).toMatchObject({
      vmform_address: "daemon_vm.web",
      vmform_attributes: { id: "web", power_state: "on", tag: "shop.front" },
    });
  });
});

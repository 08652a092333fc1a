/** `vmform import ADDRESS ID` and `imports` entries, against a simulated daemon. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { WorldSource } from "../../../../src/simulators/world.ts";
import { encodeState } from "../../../../src/state/form/encode.ts";
import { initialState } from "../../../../src/state/initial.ts";
import { beginEntry } from "../../../helpers/recorded-builder.ts";
import { type Workplace, workplace } from "../command-line.ts";

const world: WorldSource = {
  daemon: {
    durations_ms: { create: 1, power_on: 1, tools: 1, address: 1, power_off: 1, shutdown: 1 },
    vms: {
      web: {
        name: "Web",
        tag: "t",
        power: "on",
        sharing: true,
        folders: { src: { host_path: "/s" } },
      },
      db: { power: "off", folders: { src: { host_path: "/s" } } },
      other: {},
    },
  },
};
const provider = "providers: { daemon: { url: DAEMON } }\n";
const folderOf = (vm: string): string =>
  `  daemon_shared_folder.src: { vm_id: ${vm}, guest_path: src, host_path: /s }\n`;
const resources =
  "resources:\n  daemon_vm.web: { id: web, power: on }\n  daemon_vm.db: { id: db }\n";

async function started(more = ""): Promise<Workplace> {
  const place = await workplace(world);
  place.write({ "main.vmform.yaml": provider + resources + more });
  return place;
}

function mutations({ daemon }: Workplace): readonly string[] {
  return daemon.log().flatMap((entry) => (entry.class === "mutate" ? [entry.path] : []));
}

describe("import of one object", () => {
  test("is refused while an operation of a killed run may be about it, and of no other", async () => {
    const place = await started();
    mkdirSync(join(place.folder, "state"));
    const open = beginEntry({
      id: "daemon_vm.web#create.1",
      subject: { identity: "web" },
      proof: { limitMs: 60_000 },
      effect: { kind: "create" },
      verb: "create",
      atMs: Date.now(),
    });
    const ids = ["6c1e4a2f-0000-4000-8000-000000000001", "6c1e4a2f-0000-4000-8000-000000000002"];
    const [lineage = "", journal = ""] = ids;
    const state = { ...initialState(lineage, journal, false), open: [open] };
    writeFileSync(join(place.folder, "state", "default.json"), encodeState(state));
    const refused = await place.run("import", "daemon_vm.web", "web");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("The operation daemon_vm.web#create.1 of an interrupted run");
    expect(refused.stderr).toContain("Settle it first: vmform apply, or vmform state resolve.");
    expect(await place.run("import", "daemon_vm.db", "db")).toMatchObject({ code: 0 });
    const { addresses } = await place.json("state", "list");
    expect(JSON.stringify(addresses)).not.toContain("daemon_vm.web");
  });

  test("records what was read, and the next plan has nothing to do with it", async () => {
    const place = await started();
    const imported = await place.run("import", "daemon_vm.web", "web");
    expect(imported).toMatchObject({ code: 0, stderr: "" });
    expect(imported.stdout).toContain("Imported web as daemon_vm.web");
    expect(imported.stdout).toContain("vmform plan");
    const { objects } = await place.json("state", "show", "daemon_vm.web");
    expect(objects).toMatchObject([
      {
        identity: "web",
        status: "ready",
        applied: null,
        attributes: { id: "web", name: "Web", tag: "t", power_state: "on" },
      },
    ]);
    await place.run("import", "daemon_vm.db", "db");
    const plan = await place.run("plan", "--detailed-exitcode");
    expect(plan).toMatchObject({ code: 0 });
    expect(plan.stdout).toContain("No changes.");
    expect(mutations(place)).toEqual([]);
  });

  test("content of a container is imported by vm/share", async () => {
    const place = await started(folderOf("web"));
    const result = await place.json("import", "daemon_shared_folder.src", "web/src");
    expect(result).toEqual({
      format_version: "1.0",
      imported: {
        address: "daemon_shared_folder.src",
        id: "web/src",
        attributes: { vm_id: "web", guest_path: "src", host_path: "/s", writable: true },
      },
    });
    const { objects } = await place.json("state", "show", "daemon_shared_folder.src");
    expect(objects).toMatchObject([{ container: { type: "daemon_vm", identity: "web" } }]);
  });

  test("the provider's settings are recorded, so deleting needs no configuration", async () => {
    const place = await started();
    await place.run("import", "daemon_vm.db", "db");
    place.write({ "main.vmform.yaml": "resources: {}\nproviders: {}\n" });
    const plan = await place.run("plan", "--destroy");
    expect(plan.stdout).toContain("daemon_vm.db will be destroyed");
  });

  test.each([
    ["nonsense", "web", "is not an address"],
    ["daemon_vm.wep", "web", "Did you mean daemon_vm.web?"],
    ["daemon_vm.web", "other", "says that daemon_vm.web is web, not other"],
    ["daemon_vm.missing", "nowhere", "There is no nowhere: absent from the complete list of 3 VMs"],
    ["daemon_shared_folder.src", "db/src", "db/src could not be read, so nothing was recorded"],
  ])("%s with id %s is refused", async (address, id, why) => {
    const place = await started(`  daemon_vm.missing: { id: nowhere }\n${folderOf("db")}`);
    const { code, stderr } = await place.run("import", address, id);
    expect(stderr).toContain(why);
    expect(code).toBe(1);
    expect(await place.json("state", "list")).toEqual({ format_version: "1.0", addresses: [] });
    // The lock is given back.
    expect(await place.run("import", "daemon_vm.web", "web")).toMatchObject({ code: 0 });
  });

  test("what is recorded already is refused, at its address and at another", async () => {
    const place = await started();
    await place.run("import", "daemon_vm.web", "web");
    const again = await place.run("import", "daemon_vm.web", "web");
    expect(again).toMatchObject({ code: 1 });
    expect(again.stderr).toContain("recorded already, as web");
    place.write({ "main.vmform.yaml": `${provider}resources: { daemon_vm.x: { id: web } }\n` });
    const twice = await place.run("import", "daemon_vm.x", "web");
    expect(twice).toMatchObject({ code: 1 });
    expect(twice.stderr).toContain("vmform state mv 'daemon_vm.web' 'daemon_vm.x'");
  });

  test("an endpoint that does not answer is an error, not a fault", async () => {
    const place = await workplace(world);
    const closed = 'providers: { daemon: { url: "http://127.0.0.1:1", connect_timeout: 1s } }';
    place.write({ "main.vmform.yaml": `${closed}\n${resources}` });
    const { code, stderr } = await place.run("import", "daemon_vm.web", "web");
    expect(code).toBe(1);
    expect(stderr).toContain("nothing was recorded");
  });

  test.each([
    [["import"], "What is to be imported"],
    [["import", "daemon_vm.web"], "What is to be imported"],
    [["import", "daemon_vm.web", "web", "--out", "x"], "--out belongs to --all"],
    [["import", "daemon_vm.web", "--all", "daemon_vm"], "no address"],
  ])("%j is not understood", async (words, why) => {
    const place = await started();
    const { code, stderr } = await place.run(...words);
    expect(stderr).toContain(why);
    expect(code).toBe(1);
  });
});

describe("imports in the configuration", () => {
  const entry = "imports: [{ to: daemon_vm.web, id: web }]\n";

  test("are shown, applied once, and stay without effect afterwards", async () => {
    const place = await workplace(world);
    const web = "resources: { daemon_vm.web: { id: web, power: on } }\n";
    place.write({ "main.vmform.yaml": provider + web + entry });
    const plan = await place.run("plan", "--detailed-exitcode");
    expect(plan.code).toBe(2);
    expect(plan.stdout).toContain("daemon_vm.web will be imported");
    expect(plan.stdout).toContain("Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.");
    const apply = await place.run("apply", "--auto-approve");
    expect(apply.stdout).toContain("Resources: 1 imported, 0 added, 0 changed, 0 destroyed.");
    expect((await place.run("plan")).stdout).toContain("No changes.");
    expect(mutations(place)).toEqual([]);
  });

  test("an object under another key, or none, is an error and records nothing", async () => {
    const place = await started("imports: [{ to: daemon_vm.web, id: other }]\n");
    expect((await place.run("plan")).stdout).toContain("PLN018");
    await place.run("apply", "--auto-approve", "--allow-partial");
    const { addresses } = await place.json("state", "list");
    expect(addresses).not.toContain("daemon_vm.web");
  });

  test("an object that is recorded elsewhere is not recorded twice", async () => {
    const place = await started();
    await place.run("import", "daemon_vm.web", "web");
    const other = "resources: { daemon_vm.x: { id: web } }\n";
    const second = "imports: [{ to: daemon_vm.x, id: web }]\n";
    place.write({ "main.vmform.yaml": provider + other + second });
    const plan = await place.run("plan");
    expect(plan).toMatchObject({ code: 1 });
    expect(plan.stdout).toContain("PLN022");
  });

  test("a target that leaves the import out leaves it for later", async () => {
    const place = await started(`  daemon_vm.new: { id: new }\n${entry}`);
    const target = ["--target", "daemon_vm.new", "--auto-approve"];
    expect(await place.run("apply", ...target)).toMatchObject({ code: 0 });
    expect(await place.json("state", "list")).toEqual({
      format_version: "1.0",
      addresses: ["daemon_vm.new"],
    });
  });

  test("a refresh imports nothing", async () => {
    const place = await started(entry);
    const refresh = await place.run("apply", "--refresh-only", "--auto-approve");
    expect(refresh).toMatchObject({ code: 0 });
    expect(await place.json("state", "list")).toEqual({ format_version: "1.0", addresses: [] });
  });
});

/**
 * The simulated host manager under clients that nobody here wrote, over real HTTP: pyVmomi, which
 * reads each property by a call of its own, and govc, which finds everything by inventory paths.
 */

import { afterEach, describe, expect, test } from "vitest";
import type { ManagerDocument } from "../../src/simulators/manager/world/world-document.ts";
import type { RunningSimulators } from "../../src/simulators/start.ts";
import { startSimulators } from "../../src/simulators/start.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { govc, lacksGovc, lacksPython, script } from "./clients.ts";

const running: RunningSimulators[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
});

async function managerOf(rules: ManagerDocument["rules"] = {}): Promise<RunningSimulators> {
  const simulators = await startSimulators({
    world: {
      manager: {
        rules,
        users: [{ name: "admin", password: "secret" }],
        hosts: { "esx-01": {} },
        datastores: { ds1: { capacity_gb: 500 }, ds2: { capacity_gb: 500 } },
        vms: {
          web: { power: "on", folder: "shop/front", disks: [{ size_gb: 16 }] },
          db: { disks: [{ size_gb: 20, format: "thin" }] },
        },
      },
    },
  });
  running.push(simulators);
  return simulators;
}

/** Nothing that a client sends may be what no client should send, but what it was told to try. */
function violationsOf(simulators: RunningSimulators): readonly (string | undefined)[] {
  return simulators.log().flatMap(({ violation }) => (violation === undefined ? [] : [violation]));
}

function leftOpen(simulators: RunningSimulators): number {
  return simulators.managerSessions().open.length;
}

describe.skipIf(lacksPython)("pyVmomi", () => {
  test.each(["6.5", "6.7.3", "8.0.3.0"])("reads properties at version %s", async (version) => {
    const simulators = await managerOf({ api_version: version });
    expect(await script("manager.py", simulators.origins.manager, "read")).toEqual({
      version: `"urn:vim25/${version}"`,
      api: version,
      path: ["Datacenters", "dc", "vm", "shop", "front", "web"],
      vApp: null,
      power: "poweredOn",
      host: "esx-01.example",
      datastores: ["ds1"],
      nested: null,
      disks: [["Hard disk 1", 16_777_216, false]],
      canNest: [true],
      folders: ["db", "shop"],
      pages: [["db"], ["web"]],
      byUuid: "web",
      unknown: "vmodl.query.InvalidProperty",
    });
    expect(violationsOf(simulators)).toEqual(["There is no property resourceConfig."]);
    expect(leftOpen(simulators)).toBe(0);
  });

  test("changes a VM, and follows every task by a filter", async () => {
    const simulators = await managerOf();
    expect(await script("manager.py", simulators.origins.manager, "change")).toEqual({
      off: "vim.fault.InvalidPowerState",
      nested: true,
      shrink: "vim.fault.InvalidDeviceOperation",
      grownKb: 41_943_040,
      datastores: ["ds2"],
      on: "poweredOn",
      power: "poweredOff",
      tasks: [
        "VirtualMachine.powerOff",
        "VirtualMachine.powerOn",
        "VirtualMachine.relocate",
        "VirtualMachine.reconfigure",
        "VirtualMachine.reconfigure",
        "VirtualMachine.reconfigure",
        "VirtualMachine.powerOff",
      ],
    });
    const [, db] = simulators.world().manager.vms;
    expect(db).toMatchObject({ power: "poweredOff", nested: true });
    expect(leftOpen(simulators)).toBe(0);
  });

  test("makes an alarm, sets it off, sees it, reads the events", async () => {
    const simulators = await managerOf();
    const login = ["vim.event.UserLoginSessionEvent", "LAB.LOCAL\\admin"];
    expect(await script("manager.py", simulators.origins.manager, "alarms")).toEqual({
      name: "a",
      before: "gray",
      again: "vim.fault.DuplicateName",
      after: "red",
      triggered: ["a"],
      events: [login, login],
      removed: "vmodl.fault.ManagedObjectNotFound",
    });
  });

  test("watches through a view of its own", onlyInLongRun, async () => {
    const simulators = await managerOf();
    expect(await script("manager.py", simulators.origins.manager, "watch")).toEqual([
      [["enter", "web", [["runtime.powerState", "poweredOn"]]]],
      null,
      [["modify", "web", [["runtime.powerState", "suspended"]]]],
      [["leave", "web", []]],
      "vmodl.query.InvalidCollectorVersion",
      "vmodl.fault.ManagedObjectNotFound",
      ["Datacenters", "dc"],
      ["Datacenters", "datastore", "dc", "host", "network", "vm"],
    ]);
  });
});

describe.skipIf(lacksGovc)("govc", () => {
  const reads: readonly (readonly [words: string, says: string | RegExp])[] = [
    ["about", /^API version: +6\.5$/m],
    ["ls", "/dc/vm\n/dc/host\n/dc/datastore\n/dc/network\n"],
    ["ls /dc/vm", "/dc/vm/shop\n/dc/vm/db\n"],
    ["find / -type m", "/dc/vm/shop/front/web\n/dc/vm/db\n"],
    ["find -type h", "/dc/host/cluster/esx-01.example\n"],
    ["find /dc -type s", "/dc/datastore/ds1\n/dc/datastore/ds2\n"],
    ["vm.info web", /^ {2}Path: +\/dc\/vm\/shop\/front\/web$/m],
    ["vm.info -r -vm.ipath /dc/vm/db", /^ {2}Storage: +ds1$/m],
    ["datastore.info ds1", /^ {2}Capacity: +500\.0 GB$/m],
    ["host.info", /^ {2}State: +connected$/m],
    ["folder.info /dc/vm/shop", /^ {2}Path: +\/dc\/vm\/shop$/m],
    ["datacenter.info", /^ {2}Virtual Machines: +2$/m],
    ["object.collect -s vm/db runtime.powerState", "poweredOff\n"],
    ["object.collect -s -type m / name", "web\ndb\n"],
    ["device.ls -vm web", /^disk-1000-0 +VirtualDisk +16,777,216 KB$/m],
    ["alarm.info", /^Name: +Host connection and power state$/m],
    ["session.ls", /^\w+ +LAB\.LOCAL\\admin /m],
  ];

  test("lists, finds by paths, reads", onlyInLongRun, async () => {
    const simulators = await managerOf();
    for (const [words, says] of reads) {
      const said = await govc(simulators.origins.manager, words.split(" "));
      expect({ words, ...said }).toMatchObject({
        words,
        code: 0,
        stderr: "",
        stdout: typeof says === "string" ? says : expect.stringMatching(says),
      });
    }
    expect(violationsOf(simulators)).toEqual([]);
    expect(leftOpen(simulators)).toBe(0);
  });

  test.each([
    ["its own version at an older server", "6.5", {}],
    ["the version that the server tells", "8.0.3.0", { GOVC_VIM_VERSION: "-" }],
    ["a version of three parts", "6.7.3", { GOVC_VIM_VERSION: "6.7.3" }],
  ])("speaks %s", async (_name, version, environment) => {
    const simulators = await managerOf({ api_version: version });
    const said = await govc(simulators.origins.manager, ["about"], environment);
    expect(said).toMatchObject({ code: 0, stderr: "" });
    expect(said.stdout).toMatch(
      new RegExp(`^API version: +${version.replaceAll(".", "\\.")}$`, "m"),
    );
  });

  test("is refused a later version where the server refuses them", async () => {
    const simulators = await managerOf({ later_version: "refused" });
    const said = await govc(simulators.origins.manager, ["about"]);
    expect(said.code).toBe(1);
    expect(said.stderr).toContain('Unsupported version URI "urn:vim25/');
  });

  test("changes power, nesting, size and datastore", onlyInLongRun, async () => {
    const simulators = await managerOf();
    for (const words of [
      "vm.power -on db",
      "vm.power -off db",
      "vm.change -vm db -nested-hv-enabled=true",
      "vm.disk.change -vm db -disk.key 2000 -size 30G",
      "vm.migrate -ds ds2 db",
      "vm.power -suspend web",
    ]) {
      const said = await govc(simulators.origins.manager, words.split(" "));
      expect({ words, ...said }).toMatchObject({ words, code: 0, stderr: "" });
    }
    const { vms, datastores } = simulators.world().manager;
    const [web, db] = vms;
    const ds2 = datastores.find(({ key }) => key === "ds2")?.id;
    expect(web).toMatchObject({ power: "suspended" });
    expect(db).toMatchObject({ power: "poweredOff", nested: true, datastoreId: ds2 });
    expect(db?.disks[0]).toMatchObject({ capacityKb: 30 * 2 ** 20, datastoreId: ds2 });
    // Moving is the one command whose session it leaves: it logs out of neither of its two parts.
    expect(leftOpen(simulators)).toBe(1);
    expect(violationsOf(simulators)).toEqual([]);
    const wrong = await govc(simulators.origins.manager, ["vm.power", "-suspend", "db"]);
    expect(wrong.code).toBe(1);
    expect(wrong.stdout + wrong.stderr).toContain("cannot be performed");
    const tasks = await govc(simulators.origins.manager, ["tasks"]);
    expect(tasks.stdout).toMatch(/^SuspendVM +db .* error /m);
  });
});

/**
 * The provider of host management against vcsim, a host manager that others have written: sessions
 * and reading. What vcsim cannot do has no test in this folder, and is covered by the simulator of
 * this project: the object browser (404), wiping and shrinking disks (no such methods), sparse disks
 * (it dies of them), formats of delta disks (ignored), whether a host can nest (not told), a nested
 * flag that is refused, tasks that take their time, alarms that go off, and the appliance.
 *
 * What only some of its versions can do is found out by asking; where this one cannot, the test says
 * so loudly and is skipped.
 */

import { connect } from "node:tls";
import { describe, expect, test } from "vitest";
import { textOf } from "../../src/lib/xml/xml.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { openDriver } from "./drive.ts";
import { findAll, textAt } from "./soap-peer.ts";
import { failure, idOf, isAbsent, lacks, useVcsim, vmCount, vmName } from "./suite.ts";
import { flagsOf, startVcsim, vcsimPath } from "./vcsim.ts";

describe.skipIf(isAbsent)("sessions at vcsim", () => {
  const { open, peer, restart, vcsim } = useVcsim();

  test("a wrong password is refused as one, and is not tried again", async (context) => {
    if (!flagsOf(vcsimPath).has("password")) lacks(context, "takes any password");
    const driver = await open({ password: "wrong" });
    const error = await failure(driver.session.serverTime?.());
    expect(error).toMatchObject({ kind: "unauthorized", effect: "none" });
    expect(driver.methods()).toEqual(["RetrieveServiceContent", "Login"]);
  });

  test("a session that somebody ends is opened again, and the read is done again", async () => {
    const driver = await open();
    const id = await idOf(driver, 0);
    const other = await peer();
    const manager = ["SessionManager", "SessionManager"] as const;
    const own = textAt(await other.property(...manager, "currentSession"), "key");
    const keys = findAll(await other.property(...manager, "sessionList"), "key").map(textOf);
    const foreign = keys.filter((key) => key !== own);
    expect(foreign).not.toEqual([]);
    const ended = foreign.map((key) => `<sessionId>${key}</sessionId>`).join("");
    await other.call("TerminateSession", ...manager, ended);
    driver.methods();
    expect(await driver.find("manager_vm", id)).toMatchObject({ identity: id });
    expect(driver.methods()).toEqual(["RetrievePropertiesEx", "Login", "RetrievePropertiesEx"]);
  });

  test("a host manager that was started anew is logged in to again", onlyInLongRun, async () => {
    const driver = await open();
    await idOf(driver, 0);
    await restart();
    driver.methods();
    const again = await driver.find("manager_vm", { name: vmName(0) });
    expect(again).toMatchObject({ attributes: { name: vmName(0), power_state: "on" } });
    expect(driver.methods().filter((method) => method === "Login")).toHaveLength(1);
  });

  test("a session ends at the server when it is closed", onlyInLongRun, async () => {
    const driver = await openDriver(vcsim().origin);
    const other = await peer();
    const sessions = async () =>
      findAll(await other.property("SessionManager", "SessionManager", "sessionList"), "key");
    const before = await sessions();
    await driver.session.serverTime?.();
    expect(await sessions()).toHaveLength(before.length + 1);
    await driver.session.close();
    expect(await sessions()).toHaveLength(before.length);
  });

  test("the clock of the server is read", async () => {
    const { session } = await open();
    // Vaguely: the same computer, in the same year.
    const ms = (await session.serverTime?.()) ?? 0;
    expect(new Date(ms).getUTCFullYear()).toBe(new Date().getUTCFullYear());
  });
});

describe.skipIf(isAbsent)("TLS to vcsim", () => {
  test("a certificate is trusted by its thumbprint, and by nothing else", async () => {
    const vcsim = await startVcsim(["-vm", "1"], true);
    try {
      const thumbprint = await thumbprintOf(vcsim.origin);
      const trusted = await openDriver(vcsim.origin, { thumbprint });
      expect(await trusted.find("manager_vm", { name: vmName(0) })).toMatchObject({
        status: "found",
      });
      await trusted.session.close();
      const other = `${thumbprint.startsWith("00") ? "11" : "00"}${thumbprint.slice(2)}`;
      for (const settings of [{}, { thumbprint: other }]) {
        const driver = await openDriver(vcsim.origin, settings);
        const error = await failure(driver.session.serverTime?.());
        expect(error).toMatchObject({ kind: "invalid", effect: "none" });
        expect(error.message).toContain(thumbprint);
        expect(driver.methods()).not.toContain("Login");
        await driver.session.close();
      }
    } finally {
      await vcsim.stop();
    }
  });
});

describe.skipIf(isAbsent)("a single host at vcsim", () => {
  test("has ids of its own", async () => {
    const vcsim = await startVcsim(["-esx", "-vm", "2"]);
    const driver = await openDriver(vcsim.origin);
    try {
      const vms = (await driver.session.list?.("manager_vm")) ?? [];
      expect(vms.length).toBeGreaterThanOrEqual(2);
      const vm = await driver.find("manager_vm", vms[0]?.identity ?? "");
      expect(vm.attributes).toMatchObject({ power_state: "on", datastore: "LocalDS_0" });
      await driver.send("manager_vm", "power-off", vm.identity);
      expect((await driver.find("manager_vm", vm.identity)).attributes.power_state).toBe("off");
    } finally {
      await driver.session.close();
      await vcsim.stop();
    }
  });
});

describe.skipIf(isAbsent)("reading from vcsim", () => {
  const { open, peer } = useVcsim();

  test("many VMs are one read", onlyInLongRun, async () => {
    const driver = await open();
    const seen = await driver.session.read(
      Array.from({ length: vmCount }, (_, index) => driver.wanted("manager_vm", vmName(index))),
    );
    expect(seen.map((each) => each.status === "found" && each.attributes.name)).toEqual(
      Array.from({ length: vmCount }, (_, index) => vmName(index)),
    );
    const bulk = ["CreateContainerView", "RetrievePropertiesEx", "DestroyView"];
    expect(driver.methods()).toEqual(["RetrieveServiceContent", "Login", ...bulk]);
    const ids = seen.flatMap((each) => (each.status === "found" ? each.identity : []));
    expect(new Set(ids).size).toBe(vmCount);
    const again = await driver.session.read(
      ids.map((id) => driver.wanted("manager_vm", undefined, id)),
    );
    expect(again.map((each) => each.status === "found" && each.identity)).toEqual(ids);
    expect(driver.methods()).toEqual(bulk);
  });

  test("a list that comes in pages is read to its end", async (context) => {
    const driver = await open({ page_size: 7 });
    const vms = await driver.session.list?.("manager_vm");
    expect(vms).toHaveLength(vmCount);
    const pages = driver.methods().filter((method) => method.endsWith("RetrievePropertiesEx"));
    if (pages.length === 1) lacks(context, "sends everything at once, whatever is asked for");
    expect(pages).toEqual([
      "RetrievePropertiesEx",
      ...Array(Math.ceil(vmCount / 7) - 1).fill("ContinueRetrievePropertiesEx"),
    ]);
  });

  test("a VM is told as it is, and found by all that it is called", async () => {
    const driver = await open();
    const vm = await driver.find("manager_vm", { name: vmName(0) }, ["nested_hv_enabled"]);
    const other = await peer();
    const property = async (path: string) => other.property("VirtualMachine", vm.identity, path);
    const text = async (path: string) => textOf((await property(path)) ?? missing(path));
    expect(vm.attributes).toMatchObject({
      moref: vm.identity,
      name: vmName(0),
      power_state: "on",
      instance_uuid: await text("config.instanceUuid"),
      hardware_version: Number((await text("config.version")).replace("vmx-", "")),
      datastore: "LocalDS_0",
      nested_hv_enabled: false,
    });
    const uuid = vm.attributes.instance_uuid ?? "";
    for (const lookup of [{ path: `DC0/vm/${vmName(0)}` }, { instance_uuid: uuid }]) {
      expect(await driver.find("manager_vm", lookup)).toMatchObject({ identity: vm.identity });
    }
  });

  test("a VM that was deleted is missing, with a proof", async () => {
    const driver = await open();
    const id = await idOf(driver, 29);
    const other = await peer();
    await other.task("PowerOffVM_Task", "VirtualMachine", id);
    await other.task("Destroy_Task", "VirtualMachine", id);
    expect(await driver.observe("manager_vm", id)).toEqual({
      status: "missing",
      proof: expect.stringContaining(`complete list of ${vmCount - 1} VMs`),
    });
  });

  test("hosts, disks and VMs as data", async () => {
    const driver = await open();
    const { session } = driver;
    const vm = await idOf(driver, 1);
    const { host = null } = (await driver.find("manager_vm", vm)).attributes;
    expect(await session.readData?.("manager_host", { name: host })).toMatchObject({
      name: host,
      connection_state: "connected",
    });
    expect(await session.readData?.("manager_vm", { name: vmName(1) })).toMatchObject({
      moref: vm,
    });
    const { disks } = (await session.readData?.("manager_disks", { vm })) ?? {};
    expect(disks).toEqual([
      expect.objectContaining({
        format: "thin",
        datastore: "LocalDS_0",
        file_name: `[LocalDS_0] ${vmName(1)}/disk1.vmdk`,
      }),
    ]);
  });
});

function missing(path: string): never {
  throw new Error(`${path} is not set`);
}

/** SHA-256, as the server shows it to whoever asks. */
function thumbprintOf(origin: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  const options = { host: hostname, port: Number(port), rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const socket = connect(options, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

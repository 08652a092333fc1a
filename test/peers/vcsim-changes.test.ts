/** Changes through the provider of host management against vcsim, read back by another client. */

import { describe, expect, test } from "vitest";
import { textOf } from "../../src/lib/xml/xml.ts";
import type { Attributes } from "../../src/model/value/value.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { beginEntry } from "../helpers/recorded-builder.ts";
import { follow, operation } from "./drive.ts";
import { find, findAll, textAt } from "./soap-peer.ts";
import { failure, hasAlarms, idOf, isAbsent, lacks, useVcsim } from "./suite.ts";
import { user } from "./vcsim.ts";

const vmType = "manager_vm";
const diskType = "manager_disk";
const alarmType = "manager_login_alarm";
const gbKb = 1024 ** 2;

describe.skipIf(isAbsent)("VMs at vcsim", () => {
  const { open, peer } = useVcsim();
  const machine = ["VirtualMachine"] as const;

  test("the nested flag is set, and cleared", async () => {
    const driver = await open();
    const id = await idOf(driver, 0);
    const other = await peer();
    const flag = async () => {
      const value = await other.property(...machine, id, "config.nestedHVEnabled");
      return value && textOf(value);
    };
    expect(await flag()).toBeUndefined();
    await driver.send(vmType, "power-off", id);
    for (const wanted of [true, false]) {
      const changed = await driver.change(vmType, id, { nested_hv_enabled: wanted });
      expect(changed.attributes.nested_hv_enabled).toBe(wanted);
      expect(await flag()).toBe(String(wanted));
    }
  });

  test("a disk grows, in both of its sizes, and stays what it is", onlyInLongRun, async () => {
    const driver = await open();
    const vm = await idOf(driver, 1);
    const other = await peer();
    const disk = async () => {
      const devices = await other.property(...machine, vm, "config.hardware.device");
      const all = devices?.children.filter((child) => typeof child !== "string") ?? [];
      return all.find((device) => find(device, "capacityInKB") !== undefined);
    };
    const before = await disk();
    const label = textAt(before, "label");
    const { identity } = await driver.find(diskType, { vm, label });
    expect(identity).toBe(`${vm}/${textAt(before, "key")}`);
    const size = 1.5 + Math.ceil(Number(textAt(before, "capacityInKB")) / gbKb);
    const grown = await driver.change(diskType, identity, { size_gb: size });
    expect(grown.attributes).toMatchObject({
      size_gb: size,
      capacity_bytes: size * gbKb * 1024,
      label,
      format: "thin",
    });
    const after = await disk();
    expect(textAt(after, "capacityInKB")).toBe(String(size * gbKb));
    // A server that is older than the second size neither shows it nor takes it.
    const bytes = (element = before) => findAll(element, "capacityInBytes").map(textOf);
    expect(bytes(after)).toEqual(bytes().map(() => String(size * gbKb * 1024)));
    const kept = ["key", "fileName", "diskMode", "controllerKey", "unitNumber"];
    const texts = (element = before) => kept.map((name) => textAt(element, name));
    expect(texts(after)).toEqual(texts());
  });

  test("a VM moves to another datastore, while it runs", onlyInLongRun, async () => {
    const driver = await open();
    const id = await idOf(driver, 2);
    const moved = await driver.change(vmType, id, { datastore: "LocalDS_1" });
    expect(moved.attributes).toMatchObject({ datastore: "LocalDS_1", power_state: "on" });
    const other = await peer();
    const store = textOf((await other.property(...machine, id, "datastore"))?.children[0] as never);
    const name = await other.property("Datastore", store, "name");
    expect(name && textOf(name)).toBe("LocalDS_1");
  });

  test("power goes off and on, and the guest shuts down", async () => {
    const driver = await open();
    const id = await idOf(driver, 3);
    const other = await peer();
    const steps = [
      ["power-off", "poweredOff", "off"],
      ["power-on", "poweredOn", "on"],
      ["shutdown", "poweredOff", "off"],
    ] as const;
    const seen = [];
    for (const [verb] of steps) {
      await driver.send(vmType, verb, id);
      const power = await other.property(...machine, id, "runtime.powerState");
      const { attributes } = await driver.find(vmType, id);
      seen.push([verb, power && textOf(power), attributes.power_state]);
    }
    expect(seen).toEqual(steps);
  });

  test("a VM is suspended, and goes on", async (context) => {
    const driver = await open();
    const id = await idOf(driver, 5);
    const other = await peer();
    const fault = await other.faultOf("SuspendVM_Task", ...machine, await idOf(driver, 6));
    if (fault === "MethodNotFound") lacks(context, "suspends nothing");
    for (const [verb, state] of [
      ["suspend", "suspended"],
      ["power-on", "on"],
    ] as const) {
      await driver.send(vmType, verb, id);
      expect((await driver.find(vmType, id)).attributes.power_state).toBe(state);
    }
  });

  test("a reset leaves a VM on", async (context) => {
    const driver = await open();
    const id = await idOf(driver, 4);
    const other = await peer();
    const fault = await other.faultOf("ResetVM_Task", ...machine, id);
    if (fault === "MethodNotFound") lacks(context, "resets nothing");
    const sent = (await driver.session.act?.("reset", vmType, id)) ?? {};
    expect(await follow(driver.session, sent.handle ?? null)).toEqual({ status: "success" });
    expect((await driver.find(vmType, id)).attributes.power_state).toBe("on");
  });
});

describe.skipIf(isAbsent)("tasks at vcsim", () => {
  const { open, peer } = useVcsim();

  test("a word that the power of the VM does not allow fails in its task", async () => {
    const { session, ...driver } = await open();
    const id = await idOf({ session, ...driver }, 0);
    const sent = await session.send(operation(vmType, "power-on", id), Date.now() + 60_000);
    expect(await follow(session, sent.handle ?? null)).toEqual({
      status: "failed",
      message: expect.stringMatching(/InvalidPowerState.*requestedState poweredOn/),
    });
  });

  test(
    "the task of an interrupted operation is found again, and that of another one is not",
    onlyInLongRun,
    async () => {
      const driver = await open();
      const { session } = driver;
      const id = await idOf(driver, 1);
      const begin = (verb: string, of: string, serverTimeMs: number) =>
        beginEntry({
          subject: { type: vmType, identity: of },
          verb,
          serverTimeMs,
          atMs: Date.now(),
        });
      const beforeMs = (await session.serverTime?.()) ?? 0;
      const { handle } = await session.send(
        operation(vmType, "power-off", id),
        Date.now() + 60_000,
      );
      expect(handle).toEqual({ task: expect.stringMatching(/^task-\d+$/) });
      expect(await session.findTask?.(begin("power-off", id, beforeMs))).toEqual(handle);
      await follow(session, handle ?? null);
      expect(await session.findTask?.(begin("power-on", id, beforeMs))).toBeUndefined();
      const neighbour = await idOf(driver, 2);
      expect(await session.findTask?.(begin("power-off", neighbour, beforeMs))).toBeUndefined();
      const laterMs = beforeMs + 3_600_000;
      expect(await session.findTask?.(begin("power-off", id, laterMs))).toBeUndefined();
    },
  );

  test("a task that nobody knows has vanished; one that has ended is not cancelled", async () => {
    const { session, ...driver } = await open();
    expect(await session.poll?.({ task: "task-999999" })).toEqual({ status: "vanished" });
    const id = await idOf({ session, ...driver }, 3);
    const { handle = null } = await session.send(
      operation(vmType, "power-off", id),
      Date.now() + 60_000,
    );
    await follow(session, handle);
    await session.cancel?.(handle);
    expect(await follow(session, handle)).toEqual({ status: "success" });
  });

  test("a VM that is gone takes no change", async () => {
    const { session, ...driver } = await open();
    const id = await idOf({ session, ...driver }, 29);
    const other = await peer();
    await other.task("PowerOffVM_Task", "VirtualMachine", id);
    await other.task("Destroy_Task", "VirtualMachine", id);
    const work = session.send(operation(vmType, "power-on", id), Date.now() + 60_000);
    expect(await failure(work)).toMatchObject({ kind: "not-found", effect: "none" });
  });
});

describe.skipIf(isAbsent)("logins and alarms at vcsim", () => {
  const { open, peer } = useVcsim();

  test("logins are listed, the latest first, and filtered by us", async () => {
    const { session } = await open();
    await peer();
    const events = async (query: object) =>
      (await session.readData?.("manager_login_events", { ...query })) ?? {};
    const all = await events({ user_name: user });
    const list = (all.events ?? []) as readonly Attributes[];
    expect(list.length).toBeGreaterThanOrEqual(2);
    expect(list[0]).toMatchObject({ user_name: user, ip_address: "127.0.0.1" });
    expect(all.truncated).toBe(false);
    expect(await events({ user_name: user.toUpperCase(), limit: 1 })).toEqual({
      events: [list[0]],
      truncated: true,
    });
    expect(await events({ user_name: "nobody" })).toEqual({ events: [], truncated: false });
    expect(await events({ since: "24h" })).toEqual(all);
    const since = new Date(Date.now() + 3_600_000).toISOString();
    expect(await events({ since })).toEqual({ events: [], truncated: false });
  });

  test("an alarm is made, once, changed, and removed", onlyInLongRun, async (context) => {
    const driver = await open();
    const other = await peer();
    if (!(await hasAlarms(other))) lacks(context, "has no alarms");
    const name = 'watch <a> & "b"';
    const inputs = { name, user_name: "DOMAIN\\alice", enabled: true };
    expect(await driver.observe(alarmType, name)).toMatchObject({ status: "missing" });
    await driver.send(alarmType, "create", name, inputs);
    const made = await driver.find(alarmType, name);
    expect(made.attributes).toMatchObject({
      ...inputs,
      description: "Alarm to track DOMAIN\\alice login",
    });
    expect(await driver.session.list?.(alarmType)).toContainEqual({
      type: alarmType,
      identity: made.attributes.moref,
      name,
    });
    const again = await failure(driver.send(alarmType, "create", name, inputs));
    expect(again).toMatchObject({ kind: "conflict", effect: "none" });

    const changed = await driver.change(alarmType, name, { ...inputs, enabled: false });
    expect(changed.attributes).toMatchObject({ enabled: false, moref: made.attributes.moref });
    const { moref } = made.attributes;
    const info = await other.property("Alarm", typeof moref === "string" ? moref : "", "info");
    expect(textAt(info, "enabled")).toBe("false");
    expect(textAt(info, "value")).toBe("DOMAIN\\alice");

    await driver.send(alarmType, "remove", name, { moref: moref ?? null });
    expect(await driver.observe(alarmType, name)).toMatchObject({ status: "missing" });
    const gone = await failure(driver.send(alarmType, "remove", name));
    expect(gone).toMatchObject({ kind: "not-found", effect: "none" });
  });
});

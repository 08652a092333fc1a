/** What is read with which requests, and what each reply proves. */

import { afterEach, describe, expect, test } from "vitest";
import type { Observation, Wanted } from "../../../../src/model/provider/observation.ts";
import {
  type Daemon,
  folder,
  html,
  missingFile,
  ok,
  type Script,
  type Scripted,
  startDaemon,
  vix,
  vm,
} from "./daemon-server.ts";

let daemon: Daemon | undefined;
afterEach(async () => {
  await daemon?.close();
  daemon = undefined;
});

async function read(script: Script, ...wanted: readonly Wanted[]): Promise<readonly Observation[]> {
  daemon = await startDaemon(script);
  return daemon.session.read(wanted);
}

const list = (...ids: readonly string[]): Script => ({ "GET /api/vms": { json: ids } });
const power = (id: string, reply: Scripted | readonly Scripted[]): Script => ({
  [`GET /api/vms/power/${id}`]: reply,
});
const details = (id: string, name: string, tag: string): Script => ({
  [`GET /api/vms/${id}`]: { json: { id, name, tag, sourceReference: "" } },
});
const toolsMissing = vix("Tools are not running", 3016, "vm.ReadVariable");
const notOn = vix("The virtual machine needs to be powered on", 3006, "vm.ReadVariable");

describe("a VM", () => {
  test("that is on: name and tag, and an address only when wanted", async () => {
    const script = {
      ...list("a", "b"),
      ...power("a", ok("powered on")),
      ...details("a", "A", "t"),
    };
    expect(await read(script, vm("a"))).toEqual([
      {
        status: "found",
        identity: "a",
        attributes: { id: "a", power_state: "on", name: "A", tag: "t" },
        unreadable: {},
      },
    ]);
    expect(daemon?.requests()).toEqual(["GET /api/vms", "GET /api/vms/power/a", "GET /api/vms/a"]);
  });

  test("that is off shows no name, by rule, and is never asked for it", async () => {
    expect(
      await read({ ...list("a"), ...power("a", ok("powered off")) }, vm("a", "ip_address")),
    ).toEqual([
      {
        status: "found",
        identity: "a",
        attributes: { id: "a", power_state: "off", ip_address: null },
        unreadable: { name: "by rule", tag: "by rule" },
      },
    ]);
    expect(daemon?.requests()).toEqual(["GET /api/vms", "GET /api/vms/power/a"]);
  });

  test("with empty name and tag has none", async () => {
    const script = { ...list("a"), ...power("a", ok("powered on")), ...details("a", "", "") };
    expect(await read(script, vm("a"))).toMatchObject([{ attributes: { name: null, tag: null } }]);
  });

  test("absent from the list is missing, with proof, and is asked nothing else", async () => {
    expect(await read(list("b", "c"), vm("a"))).toEqual([
      { status: "missing", proof: "absent from the complete list of 2 VMs" },
    ]);
    expect(daemon?.requests()).toEqual(["GET /api/vms"]);
  });

  test("absent from an empty list is missing", async () => {
    expect(await read(list(), vm("a"))).toEqual([
      { status: "missing", proof: "absent from the complete list of 0 VMs" },
    ]);
  });

  test.each([missingFile, { status: 404, body: "" }] as const)(
    "that vanishes after the list is decided by a second list",
    async (gone) => {
      const script = {
        "GET /api/vms": [{ json: ["a", "b", "c"] }, { json: ["c"] }],
        ...power("a", gone),
        ...power("b", gone),
        ...power("c", ok("powered off")),
      };
      const proof = "absent from the complete list of 1 VM";
      expect(await read(script, vm("a"), vm("b"), vm("c"))).toMatchObject([
        { status: "missing", proof },
        { status: "missing", proof },
        { status: "found" },
      ]);
      expect(daemon?.requests().filter((request) => request === "GET /api/vms")).toHaveLength(2);
    },
  );

  test("still listed, whose power is not found, is unreadable and not missing", async () => {
    const [observation] = await read({ ...list("a"), ...power("a", missingFile) }, vm("a"));
    expect(observation).toMatchObject({ status: "unreadable", rule: "failed" });
  });

  test("turned off between two requests shows no name, by rule", async () => {
    const script = { ...list("a"), ...power("a", ok("powered on")), "GET /api/vms/a": notOn };
    expect(await read(script, vm("a"))).toMatchObject([
      { status: "found", unreadable: { name: "by rule", tag: "by rule" } },
    ]);
  });

  test.each([html, { body: "" }, { json: { id: "other", name: "x" } }, { json: [] }] as const)(
    "whose details cannot be read has failed attributes: %j",
    async (reply) => {
      const script = { ...list("a"), ...power("a", ok("powered on")), "GET /api/vms/a": reply };
      expect(await read(script, vm("a"))).toEqual([
        {
          status: "found",
          identity: "a",
          attributes: { id: "a", power_state: "on" },
          unreadable: { name: "failed", tag: "failed" },
        },
      ]);
    },
  );

  test("with a name that must be encoded", async () => {
    const id = "a b/ü%";
    const script = { ...list(id), ...power("a%20b%2F%C3%BC%25", ok("suspended")) };
    expect(await read(script, vm(id))).toMatchObject([
      { identity: id, attributes: { power_state: "suspended" } },
    ]);
  });
});

describe("power", () => {
  test.each([
    ["powered on", "on"],
    ["tools_running", "on"],
    ["Powered Off", "off"],
    ["suspended", "suspended"],
    ["paused", "paused"],
    ["powering on", "changing"],
    ["powering off", "changing"],
    ["suspending", "changing"],
    ["resuming", "changing"],
    ["reseting", "changing"],
  ])("%s is %s", async (text, state) => {
    const script = { ...list("a"), ...power("a", ok(text)), ...details("a", "A", "") };
    expect(await read(script, vm("a"))).toMatchObject([
      { status: "found", attributes: { power_state: state } },
    ]);
  });

  test.each(["blocked on msg", "", "off-ish", "constructor"])(
    "%j is unreadable, in the daemon's words, and never off",
    async (text) => {
      const [observation] = await read({ ...list("a"), ...power("a", ok(text)) }, vm("a"));
      expect(observation).toMatchObject({ status: "unreadable", rule: "failed" });
      expect(observation).toHaveProperty("reason", expect.stringContaining("power of VM a"));
      expect(observation).toHaveProperty("reason", expect.stringContaining(text));
    },
  );

  test.each([html, { body: "" }, { json: { code: 200 } }, { json: "powered off" }] as const)(
    "a reply that cannot be read is unreadable: %j",
    async (reply) => {
      expect(await read({ ...list("a"), ...power("a", reply) }, vm("a"))).toMatchObject([
        { status: "unreadable", rule: "failed" },
      ]);
    },
  );

  test("of a busy VM is asked again", async () => {
    const busy = vix("The object is in use", 5, "vm.PowerState");
    const script = { ...list("a"), ...power("a", [busy, busy, ok("powered off")]) };
    expect(await read(script, vm("a"))).toMatchObject([{ attributes: { power_state: "off" } }]);
    expect(daemon?.ports.retries).toHaveLength(2);
  });
});

describe("an address", () => {
  const withAddress = (reply: Scripted): Script => ({
    ...list("a"),
    ...power("a", ok("powered on")),
    ...details("a", "A", ""),
    "GET /api/vms/a/ipaddress": reply,
  });
  test.each([
    [ok("10.0.0.7"), "10.0.0.7"],
    [ok(""), null],
    [toolsMissing, null],
    [{ status: 408, json: { code: 408, message: "Request timeout" } }, null],
    [{ status: 408, body: "Request timeout" }, null],
  ] as const)("%j", async (reply, address) => {
    expect(await read(withAddress(reply), vm("a", "ip_address"))).toMatchObject([
      { attributes: { ip_address: address }, unreadable: {} },
    ]);
  });

  test.each<Scripted>([html, { status: 500, body: "<html>" }, "reset"])(
    "not read: %j",
    async (reply) => {
      const [observation] = await read(withAddress(reply), vm("a", "ip_address"));
      expect(observation).toMatchObject({ status: "found", unreadable: { ip_address: "failed" } });
      expect(observation).not.toHaveProperty("attributes.ip_address");
    },
  );
});

describe("a list of VMs that is none", () => {
  test.each([
    ["an HTML page", html],
    ["nothing", { body: "" }],
    ["an object", { json: { vms: [] } }],
    ["null", { json: null }],
    ["numbers", { json: ["a", 1] }],
    ["objects", { json: [{ id: "a" }] }],
    ["half a list", { body: '["a"' }],
    ["an envelope", { json: { code: 200, message: "[]" } }],
    ["404", { status: 404, body: "404 page not found" }],
    ["500", { status: 500, body: "" }],
    ["a refusal", vix("One of the parameters was invalid", 3, "vix.Connect")],
    ["a reset", "reset"],
    ["a redirect", { status: 302, headers: { location: "http://10.0.0.1/login" } }],
  ] as const)("%s proves nothing of any VM", async (_name, reply) => {
    const observations = await read({ "GET /api/vms": reply }, vm("a"), vm("b"), folder("a/src"));
    expect(observations).toHaveLength(3);
    for (const observation of observations) {
      expect(observation).toMatchObject({ status: "unreadable", rule: "failed" });
      expect(observation).toHaveProperty("reason", expect.stringContaining("/api/vms"));
    }
    expect(daemon?.requests().some((request) => request.includes("power"))).toBe(false);
  });
});

describe("a shared folder", () => {
  const folders: Script = {
    "GET /api/vms/a/folders": { json: ["src", "docs"] },
    "GET /api/vms/a/folders/src": { json: { guestPath: "src", hostPath: "/srv/src", flags: 4 } },
    "GET /api/vms/a/folders/docs": { json: { guestPath: "docs", hostPath: "/docs", flags: 0 } },
  };
  const on: Script = { ...list("a"), ...power("a", ok("powered on")), ...details("a", "A", "") };

  test("of a VM that is on; power and names are asked once", async () => {
    expect(
      await read({ ...on, ...folders }, folder("a/src"), vm("a"), folder("a/docs"), folder("a/x")),
    ).toMatchObject([
      {
        status: "found",
        identity: "a/src",
        attributes: { vm_id: "a", guest_path: "src", host_path: "/srv/src", writable: true },
      },
      { status: "found", identity: "a" },
      { status: "found", attributes: { host_path: "/docs", writable: false } },
      {
        status: "missing",
        proof: "absent from the complete list of 2 shared folders of VM a",
      },
    ]);
    const asked = daemon?.requests() ?? [];
    expect(new Set(asked).size).toBe(asked.length);
  });

  test.each(["powered off", "suspended", "powering on"])("of a VM that is %s", async (text) => {
    const script = { ...list("a"), ...power("a", ok(text)) };
    expect(await read(script, folder("a/src"))).toMatchObject([
      { status: "unreadable", rule: "by rule" },
    ]);
    expect(daemon?.requests()).toHaveLength(2);
  });

  test("of a VM that is missing", async () => {
    expect(await read(list("b"), folder("a/src"))).toEqual([
      { status: "missing", proof: "VM a is absent from the complete list of 1 VM" },
    ]);
  });

  const disabled = vix("Shared folders are disabled", 6, "vm.TotalSharedFolders");
  test.each([
    [notOn, false],
    [toolsMissing, false],
    [disabled, true],
  ])("of a VM that shares none: %j", async (reply, isUnset) => {
    const seen = await read({ ...on, "GET /api/vms/a/folders": reply }, folder("a/src"));
    expect(seen).toMatchObject([{ status: "unreadable", rule: "by rule" }]);
    expect("unset" in (seen[0] ?? {})).toBe(isUnset);
  });

  test.each([html, { json: [1] }, { json: {} }, { status: 500, body: "" }] as const)(
    "names that cannot be read prove nothing: %j",
    async (reply) => {
      expect(await read({ ...on, "GET /api/vms/a/folders": reply }, folder("a/src"))).toMatchObject(
        [{ status: "unreadable", rule: "failed" }],
      );
    },
  );

  test("that is listed and cannot be read is unreadable", async () => {
    const script = { ...on, ...folders, "GET /api/vms/a/folders/src": { json: { flags: 4 } } };
    expect(await read(script, folder("a/src"))).toMatchObject([
      { status: "unreadable", rule: "failed" },
    ]);
  });
});

test("one failing VM hides no other, and the order is that of the question", async () => {
  const script = {
    ...list("a", "b", "c"),
    ...power("a", html),
    ...power("b", ok("powered off")),
    ...power("c", ok("paused")),
  };
  expect(await read(script, vm("c"), vm("a"), vm("x"), vm("b"))).toMatchObject([
    { status: "found", identity: "c" },
    { status: "unreadable" },
    { status: "missing" },
    { status: "found", identity: "b" },
  ]);
});

test("reading nothing asks nothing", async () => {
  expect(await read({})).toEqual([]);
  expect(daemon?.requests()).toEqual([]);
});

test("every read is a read", async () => {
  await read({ ...list("a"), ...power("a", ok("powered on")) }, vm("a", "ip_address"));
  expect(daemon?.ports.records.length).toBeGreaterThan(3);
  for (const record of daemon?.ports.records ?? []) expect(record.class).toBe("read");
});

test("a name that no path can hold is nobody's", async () => {
  const seen = await read({ ...list("a\ud800"), ...details("a", "A", "") }, vm("b\udc00"));
  expect(seen).toMatchObject([{ status: "missing" }]);
});

test("all VMs can be listed, and only VMs", async () => {
  daemon = await startDaemon(list("a", "b"));
  expect(await daemon.session.list?.("daemon_vm")).toEqual([
    { type: "daemon_vm", identity: "a" },
    { type: "daemon_vm", identity: "b" },
  ]);
  await expect(daemon.session.list?.("daemon_shared_folder")).rejects.toMatchObject({
    kind: "invalid",
  });
});

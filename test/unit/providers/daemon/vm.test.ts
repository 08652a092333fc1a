/** The pure half of the daemon's types: lowering, power, limits, checks, keys. */

import { describe, expect, test } from "vitest";
import {
  type PowerState,
  type PowerWord,
  powerStates,
} from "../../../../src/model/operation/power.ts";
import type { LowerRequest } from "../../../../src/model/provider/provider.ts";
import type { RecordedObject } from "../../../../src/model/recorded/recorded.ts";
import type { Address } from "../../../../src/model/value/address.ts";
import { unknown } from "../../../../src/model/value/value.ts";
import { readSettings, urlEnding } from "../../../../src/providers/daemon/settings.ts";
import {
  folderParts,
  folderType,
  folderTypeName,
} from "../../../../src/providers/daemon/shared-folder.ts";
import { vmType } from "../../../../src/providers/daemon/vm.ts";
import { endpointOf } from "../../../../src/providers/kit/endpoint.ts";

const address = "daemon_vm.x" as Address;

const prior: RecordedObject = {
  address,
  objectKey: "current",
  type: vmType.name,
  provider: "daemon",
  identity: "a",
  status: "ready",
  applied: {},
  attributes: {},
  dependencies: [],
  timeoutsMs: {},
};

const create = (inputs: Extract<LowerRequest, { action: "create" }>["inputs"]) =>
  vmType.lower({ action: "create", identity: "a", inputs });

describe("lowering a VM", () => {
  test("create records what was given, and not the power", () => {
    const steps = create({ id: "a", name: "A", tag: null, power: "on", shutdown_timeout: "5s" });
    expect(steps).toEqual([
      {
        verb: "create",
        effect: "create",
        summary: "create VM a",
        request: { inputs: { id: "a", name: "A" }, repeat: "unsafe" },
        order: { long: false },
        applied: { id: "a", name: "A" },
        proof: { expect: [{ existence: "found" }] },
      },
    ]);
  });

  test("clone is one long request", () => {
    expect(create({ id: "a", parent_id: "base", tag: "t" })).toMatchObject([
      {
        verb: "clone",
        summary: "clone VM a from base",
        request: { inputs: { id: "a", parent_id: "base", tag: "t" } },
        order: { long: true },
      },
    ]);
  });

  test("unknown texts stay unknown, into the request", () => {
    const [step] = create({ id: "a", name: unknown });
    expect(step?.request.inputs.name).toBe(unknown);
    expect(vmType.request("create", "a", step?.request.inputs ?? {})).toMatchObject({
      body: { id: "a", name: unknown },
    });
  });

  test.each([
    [{ folder_sharing: true }, ["create", "share"]],
    [{ folder_sharing: true, parent_id: "p" }, ["clone", "share"]],
    [{ folder_sharing: false }, ["create"]],
    [{ folder_sharing: false, parent_id: "p" }, ["clone", "unshare"]],
    [{ folder_sharing: null }, ["create"]],
    [{}, ["create"]],
  ])("sharing of a new VM: %j", (inputs, verbs) => {
    const steps = create({ id: "a", ...inputs });
    expect(steps.map((step) => step.verb)).toEqual(verbs);
    // One of the steps records the wanted value, or the next plan would change it again.
    const recorded = Object.assign({}, ...steps.map((step) => step.applied)) as object;
    expect(recorded).toMatchObject(
      "folder_sharing" in inputs && inputs.folder_sharing !== null
        ? { folder_sharing: inputs.folder_sharing }
        : {},
    );
  });

  test.each([
    [["folder_sharing"], true, ["share"]],
    [["folder_sharing"], false, ["unshare"]],
    [["folder_sharing"], null, []],
    [["power"], true, []],
    [[], true, []],
  ] as const)("update of %j to %s", (changed, sharing, verbs) => {
    const inputs = { id: "a", folder_sharing: sharing };
    const steps = vmType.lower({ action: "update", identity: "a", inputs, changed, prior });
    expect(steps.map((step) => step.verb)).toEqual(verbs);
    for (const step of steps) {
      expect(step).toMatchObject({
        order: { needs: "on" },
        proof: { unobservable: true, expect: [] },
        request: { repeat: "safe" },
      });
      expect(step.applied).toEqual({ folder_sharing: sharing });
    }
  });

  test("delete", () => {
    expect(vmType.lower({ action: "delete", identity: "a", prior })).toMatchObject([
      {
        verb: "delete",
        effect: "delete",
        disrupts: ["destroy"],
        proof: { expect: [{ existence: "missing" }] },
      },
    ]);
  });
});

describe("power", () => {
  const model = vmType.power;
  if (model === undefined) throw new Error("a VM has power");
  const states = powerStates.filter((state) => state !== "off-deployed");
  const pairs = states.flatMap((from) =>
    states.flatMap((to): readonly (readonly [PowerState, PowerState])[] =>
      from === to ? [] : [[from, to]],
    ),
  );

  test.each(pairs)("%s to %s is reached by words of the interface", (from, to) => {
    const words = model.table[from]?.[to] ?? [];
    expect(words.at(-1)?.reaches).toBe(to);
    for (const word of words.flatMap((item): readonly PowerWord[] =>
      item.fallback === undefined ? [item] : [item, item.fallback],
    )) {
      expect(vmType.request(word.verb, "a", {})).toMatchObject({
        method: "PATCH",
        path: "/api/vms/power/a",
        body: word.verb,
      });
    }
  });

  const texts = pairs.map(([from, to]): readonly [string, string] => [
    `${from} to ${to}`,
    (model.table[from]?.[to] ?? [])
      .map(({ verb, disrupts }) => [verb, ...(disrupts ?? [])].join(":"))
      .join(" "),
  ]);

  test("the whole table", () => {
    expect(Object.fromEntries(texts)).toEqual({
      "on to off": "shutdown:power-off",
      "on to suspended": "suspend:power-off",
      "on to paused": "pause:power-off",
      "off to on": "on",
      "off to suspended": "on suspend",
      "off to paused": "on pause",
      "suspended to on": "on",
      "suspended to off": "on shutdown:discard-state",
      "suspended to paused": "on pause",
      "paused to on": "unpause",
      "paused to off": "unpause shutdown:power-off",
      "paused to suspended": "unpause suspend",
    });
  });

  test("a shutdown needs tools, and falls back to a hard off with the same consent", () => {
    for (const from of ["on", "suspended", "paused"] as const) {
      const word = model.table[from]?.off?.at(-1);
      expect(word?.needsTools).toBe(true);
      expect(word?.fallback).toMatchObject({ verb: "off", reaches: "off" });
      expect(word?.fallback?.disrupts).toEqual(word?.disrupts);
    }
  });

  test("a delete is preceded by a hard off where the hypervisor would refuse it", () => {
    const verbs = states.map((state) => model.beforeDelete[state]?.map((word) => word.verb));
    expect(Object.fromEntries(states.map((state, index) => [state, verbs[index]]))).toEqual({
      on: ["off"],
      off: [],
      suspended: [],
      paused: ["off"],
    });
  });
});

test("what can be written in no path has no request, and another object is not meant", () => {
  expect(vmType.request("delete", "a\ud800", {})).toBeUndefined();
  expect(folderType.request("remove", "a/b\ud800", {})).toBeUndefined();
  expect(folderType.request("add", "a\ud800/b", { host_path: "/srv" })).toBeUndefined();
});

test("waits have no request", () => {
  for (const verb of ["wait-tools", "wait-ip_address", "revert", "constructor"]) {
    expect(vmType.request(verb, "a", {})).toBeUndefined();
    expect(folderType.request(verb, "a/b", {})).toBeUndefined();
  }
});

test.each([
  ["create", {}, 3_600_000],
  ["clone", {}, 3_600_000],
  ["delete", {}, 600_000],
  ["wait-tools", {}, 300_000],
  ["wait-ip_address", {}, 300_000],
  ["off", {}, 60_000],
  ["on", {}, 120_000],
  ["shutdown", {}, 120_000],
  ["shutdown", { shutdown_timeout: "5m" }, 300_000],
  ["off", { shutdown_timeout: "5m" }, 60_000],
] as const)("limit of %s with %j", (verb, attributes, ms) => {
  expect(vmType.limitMs(verb, attributes)).toBe(ms);
});

describe("checks", () => {
  test.each([
    [{ id: "web-a" }, []],
    [{ id: "a b.ü" }, []],
    [{ id: unknown }, []],
    [{ id: "a/b" }, ["DMN001"]],
    [{ id: "a\\b" }, ["DMN001"]],
    [{ id: ".." }, ["DMN001"]],
    [{ id: "a\n" }, ["DMN001"]],
    [{ id: "a\ud800" }, ["DMN001"]],
    [{ id: "power" }, ["DMN001"]],
    [{ id: "a", parent_id: "a" }, ["DMN002"]],
    [{ id: "a", parent_id: "b" }, []],
    [{ id: "a", name: "", tag: "" }, ["DMN003", "DMN003"]],
  ])("%j", (attributes, codes) => {
    expect(vmType.check?.(attributes, address).map((item) => item.code)).toEqual(codes);
  });

  test.each([
    ["src", []],
    [".", ["DMN004"]],
    ["..", ["DMN004"]],
    ["a\udc00", ["DMN004"]],
  ])("share %s", (name, codes) => {
    const found = folderType.check?.({ guest_path: name }, address);
    expect(found?.map((item) => item.code)).toEqual(codes);
  });
});

describe("identity and keys", () => {
  test("of VMs and folders", () => {
    expect(vmType.identityOf({ id: "a" })).toBe("a");
    expect(vmType.identityOf({ id: unknown })).toBeUndefined();
    expect(vmType.identityOf({})).toBeUndefined();
    expect(folderType.identityOf({ vm_id: "a", guest_path: "src" })).toBe("a/src");
    expect(folderType.identityOf({ vm_id: "a" })).toBeUndefined();
    expect(folderParts("a/b/src")).toEqual({ vm: "a/b", name: "src" });
  });

  test("one VM is one lock key, however its daemon is written", () => {
    const urls = [
      {},
      null,
      { url: "http://127.0.0.1:8080" },
      { url: "http://127.0.0.1:8080/api/" },
      { url: "HTTP://127.0.0.1:8080/" },
    ];
    expect(new Set(urls.map((settings) => vmType.entity("a", settings))).size).toBe(1);
    const others = [{ url: "http://127.0.0.1:8081" }, { url: "not a url" }];
    expect(new Set([{}, ...others].map((settings) => vmType.entity("a", settings))).size).toBe(3);
    expect(folderType.entity("a/src", {})).not.toBe(vmType.entity("a", {}));
  });
});

describe("settings", () => {
  test.each([
    ["http://h:1", { origin: "http://h:1", basePath: "" }],
    ["http://h:1/api", { origin: "http://h:1", basePath: "" }],
    ["http://h:1/api/", { origin: "http://h:1", basePath: "" }],
    ["https://h/lab/api//", { origin: "https://h", basePath: "/lab" }],
    ["http://h/myapi", { origin: "http://h", basePath: "/myapi" }],
    ["h:8080", undefined],
    ["ftp://h", undefined],
    ["http://user:secret@h", undefined],
    ["http://h/?x=1", undefined],
    ["", undefined],
  ])("url %j", (url, endpoint) => {
    expect(endpointOf(url, urlEnding)).toEqual(endpoint);
  });

  test("have defaults, the local address in numbers", () => {
    expect(readSettings({})).toEqual({
      origin: "http://127.0.0.1:8080",
      basePath: "",
      allowUnverified: false,
      requestTimeoutMs: 30_000,
      connectTimeoutMs: 10_000,
      parallelReads: 8,
    });
    expect(readSettings(null)).toEqual(readSettings({}));
    expect(
      readSettings({ request_timeout: "2m", connect_timeout: "500ms", parallel_reads: 2 }),
    ).toMatchObject({ requestTimeoutMs: 120_000, connectTimeoutMs: 500, parallelReads: 2 });
  });

  test.each([
    { url: "h" },
    { request_timeout: "soon" },
    { connect_timeout: "0s" },
    { parallel_reads: 0 },
    { parallel_reads: 1.5 },
  ])("that are wrong: %j", (settings) => {
    expect(() => readSettings(settings)).toThrow(
      expect.objectContaining({ kind: "invalid", effect: "none" }),
    );
  });
});

describe("lowering a shared folder", () => {
  test("create fills the default, and is a content operation", () => {
    const inputs = { vm_id: "a", guest_path: "src", host_path: "/srv" };
    expect(folderType.lower({ action: "create", identity: "a/src", inputs })).toEqual([
      {
        verb: "add",
        effect: "create",
        summary: "add shared folder src to VM a",
        request: { inputs: { ...inputs, writable: true }, repeat: "unsafe" },
        applied: { ...inputs, writable: true },
        order: { needs: "on" },
        proof: { expect: [{ existence: "found" }] },
      },
    ]);
  });

  test("delete needs the VM on; there is no update", () => {
    const object = { ...prior, type: folderTypeName, identity: "a/src" };
    expect(folderType.lower({ action: "delete", identity: "a/src", prior: object })).toMatchObject([
      { verb: "remove", order: { needs: "on" }, proof: { expect: [{ existence: "missing" }] } },
    ]);
    const inputs = { vm_id: "a", guest_path: "src" };
    const changed = ["host_path"];
    expect(
      folderType.lower({ action: "update", identity: "a/src", inputs, changed, prior: object }),
    ).toEqual([]);
  });
});

/** Plans that stand for what people will see; the golden test renders each in every form. */

import type { Plan } from "../../../src/model/plan/plan.ts";
import { unknown } from "../../../src/model/value/value.ts";
import {
  buildChange,
  buildOperation,
  buildPlan,
  deferredValue,
} from "../../helpers/plan-builder.ts";
import { address, recordedObject } from "../../helpers/recorded-builder.ts";

const web = "daemon_vm.web";
const folder = "daemon_shared_folder.src";

function powerCycle(): Plan {
  const [off, hard] = [`${web}#shutdown.1`, `${web}#off.1`];
  const member = `${folder}#add.1`;
  const tag = `${web}#set-tag.1`;
  const word = { effect: { kind: "power" } } as const;
  return buildPlan({
    changes: [
      buildChange(web, {
        before: { id: "web", tag: "old", power: "on", power_state: "on" },
        after: { id: "web", tag: "new", power: "on", power_state: "on" },
      }),
    ],
    // Not in a permitted order on purpose: rendering has to find one.
    operations: [
      buildOperation(web, "on", {
        ...word,
        order: {
          after: [
            { id: tag, on: "settled" },
            { id: member, on: "settled" },
            { id: off, on: "success" },
          ],
          window: { id: "w1", role: "close" },
        },
        proof: { expect: [{ attribute: "power_state", equals: "on" }] },
        request: {
          preview: {
            method: "PATCH",
            path: "/api/vms/power/web",
            contentType: "text/plain",
            body: "on",
          },
        },
        record: { settlesRestore: true },
      }),
      buildOperation(web, "shutdown", {
        ...word,
        order: { window: { id: "w1", role: "open" } },
        disrupts: ["power-cycle"],
        request: {
          preview: {
            method: "PATCH",
            path: "/api/vms/power/web",
            contentType: "text/plain",
            body: "shutdown",
          },
        },
        proof: { expect: [{ attribute: "power_state", equals: "off" }] },
        record: { restore: "on" },
      }),
      buildOperation(web, "off", {
        ...word,
        order: {
          fallbackFor: off,
          after: [{ id: off, on: "settled" }],
          window: { id: "w1", role: "open" },
        },
        disrupts: ["power-cycle"],
        request: {
          preview: {
            method: "PATCH",
            path: "/api/vms/power/web",
            contentType: "text/plain",
            body: "off",
          },
        },
        proof: { expect: [{ attribute: "power_state", equals: "off" }] },
      }),
      buildOperation(web, "set-tag", {
        order: { after: [{ id: off, on: "success" }], window: { id: "w1", role: "member" } },
        request: {
          inputs: { id: "web", tag: "new" },
          preview: { method: "PUT", path: "/api/vms/web", body: { tag: "new" } },
        },
        proof: { expect: [{ attribute: "tag", equals: "new" }] },
      }),
      buildOperation(folder, "add", {
        order: { after: [{ id: hard, on: "success" }], window: { id: "w1", role: "member" } },
        proof: { unobservable: true },
        request: { repeat: "unsafe" },
      }),
    ],
    consent: [
      { address: address(web), disruption: "power-cycle" },
      { address: address("daemon_vm.db"), disruption: "power-cycle" },
      { address: address(web), disruption: "replace" },
    ],
    allowed: ["replace"],
  });
}

function everyAction(): Plan {
  const lines = Array.from({ length: 4 }, (_, index) => `line ${index}`);
  return buildPlan({
    changes: [
      buildChange("daemon_vm.same", { action: "no-op", reason: { kind: "no-change" } }),
      buildChange(`daemon_vm.made["a"]`, {
        action: "create",
        reason: { kind: "not-recorded" },
        after: { id: "made", name: null, power: "on", power_state: "on", ip_address: unknown },
      }),
      buildChange("test_vault.v", {
        before: {
          id: "v",
          note: `${lines.join("\n")}\n`,
          sizes: [1, 2, 3, 9007199254740993n],
          labels: { team: "a", kept: "k", nested: { x: true } },
          bytes: 1,
          password: "s3cr&t-old",
        },
        after: {
          id: "v",
          note: `${lines.with(1, "changed ").join("\n")}\nmore`,
          sizes: [1, 5, 9007199254740993n],
          labels: { team: "b", kept: "k", nested: { x: true, y: unknown } },
          bytes: null,
          password: "s3cr&t-new",
        },
        sensitive: ["password"],
      }),
      buildChange("daemon_vm.again", {
        action: "replace",
        reason: { kind: "force-new", attributes: ["name"] },
        before: { id: "again", name: "old", tag: "t", power_state: "on" },
        after: { id: "again", name: "new", tag: "t", power_state: unknown },
        forcing: ["name"],
      }),
      buildChange("daemon_shared_folder.inner", {
        action: "replace",
        reason: { kind: "container-replaced", container: address("daemon_vm.again") },
        before: { vm_id: "again", guest_path: "src", host_path: "/a" },
        after: { vm_id: "again", guest_path: "src", host_path: "/a" },
      }),
      buildChange("daemon_vm.gone", {
        action: "delete",
        reason: { kind: "not-in-configuration" },
        before: { id: "gone", name: null, tag: "multi\nline\n" },
      }),
      buildChange("daemon_shared_folder.gone", {
        action: "delete",
        reason: { kind: "container-deleted", container: "gone" },
        before: { vm_id: "gone", guest_path: "x", host_path: "/x" },
      }),
      buildChange("daemon_vm.left", {
        action: "forget",
        reason: { kind: "not-in-configuration" },
        before: { id: "left" },
      }),
      buildChange("daemon_vm.gone", {
        action: "delete",
        objectKey: "deposed-1",
        reason: { kind: "destroy" },
        before: { id: "gone-before" },
      }),
    ],
    operations: [
      buildOperation("daemon_vm.again", "off", {
        effect: { kind: "power" },
        disrupts: ["replace"],
        id: "daemon_vm.again#off.1",
      }),
      buildOperation("daemon_vm.again", "delete", {
        effect: { kind: "delete" },
        order: { after: [{ id: "daemon_vm.again#off.1", on: "success" }] },
      }),
      buildOperation("daemon_vm.again", "create", {
        effect: { kind: "create" },
        order: { after: [{ id: "daemon_vm.again#delete.1", on: "success" }] },
      }),
      buildOperation("daemon_vm.again", "on", {
        effect: { kind: "power" },
        order: { after: [{ id: "daemon_vm.again#create.1", on: "success" }] },
      }),
    ],
    notes: [
      {
        kind: "note",
        note: {
          what: "move",
          moves: [{ from: address("daemon_vm.old"), to: address("daemon_vm.new") }],
        },
      },
    ],
    outputs: [
      { name: "kept", sensitive: false, before: "k", after: "k" },
      {
        name: "ip",
        sensitive: false,
        before: null,
        after: unknown,
        deferred: deferredValue('${daemon_vm.made["a"].ip_address}'),
      },
      { name: "key", sensitive: true, before: "s3cr&t-out", after: "s3cr&t-out2" },
      { name: "old", sensitive: false, before: ["x"], after: null },
    ],
  });
}

/** Knowledge that was incomplete: drift, content that cannot be read, errors, an interrupted run. */
function troubled(): Plan {
  return buildPlan({
    changes: [
      buildChange(web, {
        action: "create",
        reason: { kind: "missing", proof: "absent from the complete list of 2 VMs" },
        after: { id: "web", power_state: unknown },
      }),
      buildChange("daemon_vm.db", {
        reason: { kind: "restore", power: "on" },
        before: { id: "db", power_state: "off" },
        after: { id: "db", power_state: "on" },
      }),
      buildChange("daemon_vm.clone", {
        action: "create",
        reason: { kind: "tentative" },
        after: { id: "clone" },
      }),
    ],
    drift: [
      {
        address: address("daemon_vm.db"),
        status: "changed",
        attributes: [{ attribute: "power_state", recorded: "on", observed: "off" }],
      },
      {
        address: address("test_vault.v"),
        status: "changed",
        attributes: [
          { attribute: "password", recorded: "s3cr&t-a", observed: "s3cr&t-b" },
          { attribute: "bytes", recorded: null, observed: 9007199254740993n },
        ],
      },
      { address: address(web), status: "missing", attributes: [] },
    ],
    notChecked: [{ address: address(folder), reason: "its VM web is off" }],
    blocked: [address("daemon_vm.bad"), address("daemon_shared_folder.dependent")],
    diagnostics: [
      {
        severity: "error",
        code: "PLN007",
        summary: "The object exists already",
        detail: "The daemon has a VM with the id bad that is recorded nowhere.",
        fix: "Import it, or choose another id.",
        address: address("daemon_vm.bad"),
      },
    ],
    interrupted: ["daemon_vm.clone#clone.1"],
    outputs: [],
  });
}

/** Names and messages that would move the cursor, and values that only look alike. */
function hostile(): Plan {
  const escape = "\u001b[31mred\u001b[0m\u0007";
  return buildPlan({
    changes: [
      buildChange(`daemon_vm.web["\\u001b[2J"]`, {
        before: { id: "web", name: `a${escape}`, tag: "x\r\nforged line", "odd key": 1 },
        after: { id: "web", name: "a\u200bb\u202e\u00a0\u{e0001}", tag: "\ud800", "odd key": 2 },
        reason: { kind: "missing", proof: `gone${escape}\nPlan: 0 to add` },
      }),
    ],
    notChecked: [{ address: address(web), reason: `server said ${escape}` }],
    outputs: [{ name: "o", sensitive: false, before: null, after: `\u009b31m${escape}` }],
  });
}

/** Requests with secrets in every form, and with parts that are known after apply. */
function secretRequests(): Plan {
  const password = 's3cr&t/é "q"';
  const vault = "test_vault.v";
  return buildPlan({
    changes: [
      buildChange(vault, {
        action: "create",
        reason: { kind: "not-recorded" },
        after: { id: "v", password, note: unknown, labels: { a: unknown } },
        sensitive: ["password"],
      }),
    ],
    operations: [
      buildOperation(vault, "create", {
        effect: { kind: "create" },
        request: {
          inputs: { id: "v", password, note: unknown, labels: { a: unknown } },
          deferred: {
            note: deferredValue("at ${daemon_vm.web.ip_address}"),
            labels: deferredValue("${daemon_vm.web}"),
          },
          preview: {
            method: "POST",
            path: `/api/vaults/v?password=${encodeURIComponent(password)}`,
            contentType: "application/json",
            body: {
              id: "v",
              Note: unknown,
              secret: password,
              basic: Buffer.from(`user:${password}`).toString("base64"),
              empty: {},
              list: [1, { deep: unknown }],
            },
          },
          repeat: "unsafe",
        },
        record: { applied: { id: "v", password } },
        summary: `create v with ${password}`,
        proof: {
          expect: [
            { existence: "found" },
            { attribute: "password", equals: password },
            { attribute: "note", present: true },
          ],
          limitMs: 5_400_000,
        },
        order: { locks: [{ key: "vault/v", mode: "exclusive" }], pools: ["host"] },
      }),
      buildOperation(vault, "wait", {
        effect: { kind: "wait" },
        order: { after: [{ id: `${vault}#create.1`, on: "success" }] },
      }),
    ],
  });
}

/** One object as it is, one that changes, one that is secret in part. */
function imports(): Plan {
  const adopt = (text: string, identity: string): Plan["notes"][number] => ({
    kind: "note",
    note: { what: "adopt", object: recordedObject(text, { identity, applied: null }) },
  });
  return buildPlan({
    changes: [
      buildChange("daemon_vm.db", {
        action: "no-op",
        reason: { kind: "no-change" },
        before: { id: "db-1", tag: null, power: "on", power_state: "on" },
        after: { id: "db-1", tag: null, power: "on", power_state: "on" },
      }),
      buildChange("daemon_vm.same", { action: "no-op", reason: { kind: "no-change" } }),
      buildChange(web, {
        before: { id: "web", power: "off", power_state: "off" },
        after: { id: "web", power: "on", power_state: "on" },
      }),
      buildChange("test_vault.v", {
        action: "no-op",
        reason: { kind: "no-change" },
        before: { id: "v", password: "s3cr&t" },
        after: { id: "v", password: "s3cr&t" },
      }),
    ],
    notes: [
      adopt("daemon_vm.db", "db-1"),
      adopt(web, "web"),
      adopt("test_vault.v", 'v "quoted"\u001b[31m'),
    ],
  });
}

function lateData(): Plan {
  const list = { type: "daemon_vms", provider: "daemon", deferred: {}, query: {} };
  return buildPlan({
    changes: [
      buildChange(web, { action: "create", after: { id: "web", power_state: "off" } }),
      buildChange("daemon_vm.late", {
        action: "create",
        after: { id: "late", name: unknown, power_state: "off" },
      }),
    ],
    operations: [
      buildOperation(web, "create", {
        effect: { kind: "create" },
      }),
      buildOperation("daemon_vm.late", "create", {
        effect: { kind: "create" },
        order: { after: [{ id: `${web}#create.1`, on: "success" }] },
        request: {
          inputs: { id: "late", name: unknown },
          deferred: { name: deferredValue("${data.daemon_vms.all.ids[0]}") },
        },
      }),
    ],
    data: [
      { ...list, address: address("data.daemon_vms.all"), waitsFor: [address(web)] },
      {
        ...list,
        address: address('data.daemon_vms.tagged["blue"]'),
        query: { tags: ["a", unknown] },
        deferred: { tags: deferredValue("${data.daemon_vms.all.ids[0]}") },
        waitsFor: [address("data.daemon_vms.all"), address(web)],
      },
      {
        ...list,
        address: address("data.daemon_vms.known"),
        attributes: { ids: ["x"], vm_count: 1 },
        waitsFor: [],
      },
    ],
  });
}

/** More than can be read one by one: instances to which the same happens, and some that differ. */
function many(): Plan {
  const fleet = Array.from({ length: 100 }, (_, index) =>
    buildChange(`daemon_vm.fleet[${index}]`, {
      before: { id: `fleet-${index}`, tag: index % 30 === 7 ? "odd" : "old", power: "on" },
      after: { id: `fleet-${index}`, tag: "new", power: "on" },
    }),
  );
  const keys = ["north", "south", "east", "west", "a b", "c/d"];
  const made = keys.map((key, index) =>
    buildChange(`daemon_vm.made[${JSON.stringify(key)}]`, {
      action: "create",
      reason: { kind: "not-recorded" },
      after: { id: `made-${index}`, tag: "t", power: "on", ip_address: unknown },
    }),
  );
  const again = Array.from({ length: 12 }, (_, index) =>
    buildChange(`daemon_vm.again[${index}]`, {
      action: "replace",
      reason: { kind: "force-new", attributes: ["name"] },
      before: { id: `again-${index}`, name: `old-${index}`, tag: "t" },
      after: { id: `again-${index}`, name: `new-${index}`, tag: "t" },
      forcing: ["name"],
    }),
  );
  const inner = Array.from({ length: 12 }, (_, index) =>
    buildChange(`daemon_shared_folder.inner[${index}]`, {
      action: "replace",
      reason: { kind: "container-replaced", container: address(`daemon_vm.again[${index}]`) },
      before: { vm_id: `again-${index}`, guest_path: "src", host_path: "/a" },
      after: { vm_id: `again-${index}`, guest_path: "src", host_path: "/a" },
    }),
  );
  const same = buildChange("daemon_vm.fleet[100]", { action: "no-op", after: { id: "same" } });
  const gone = buildChange("daemon_vm.gone", {
    action: "delete",
    reason: { kind: "not-in-configuration" },
    before: { id: "gone" },
  });
  return buildPlan({
    changes: [...fleet, same, ...made, ...again, ...inner, gone],
    drift: [
      { address: address("daemon_vm.gone"), status: "missing", attributes: [] },
      {
        address: address("daemon_vm.fleet[3]"),
        status: "changed",
        attributes: [{ attribute: "tag", recorded: "older", observed: "old" }],
      },
    ],
    consent: again.map((change) => ({ address: change.address, disruption: "replace" })),
  });
}

/** Long texts, lists and maps of which little differs. */
function values(): Plan {
  const numbered = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const disk = (name: string, size: number) => ({ name, size_gb: size, thin: true });
  const ports = (...list: number[]) => list.map((port) => ({ port, open: true }));
  return buildPlan({
    changes: [
      buildChange("test_vault.v", {
        before: {
          id: "v",
          note: `${numbered.join("\n")}\n`,
          sizes: [1, 2, 3, 4, 5, 6],
          labels: {
            ...{ team: "a", gone: "g", kept: "k" },
            disks: [disk("root", 10), disk("data", 100), disk("log", 5)],
            rules: ports(80, 443),
          },
        },
        after: {
          id: "v",
          note: `${numbered.toSpliced(3, 1, "line three").toSpliced(30, 2).join("\n")}\n`,
          sizes: [6, 1, 2, 30, 4, 5],
          labels: {
            ...{ team: "b", kept: "k", come: "c" },
            disks: [disk("root", 10), disk("data", 200), disk("swap", 8)],
            rules: ports(443, 80, 22),
          },
        },
      }),
    ],
  });
}

/** VMs that move between datastores, one of which is not large enough. */
function relocations(): Plan {
  const moves = [
    { name: "a", from: "hdd", to: "ssd", ownMb: 40_960 },
    { name: "b", from: "hdd", to: "ssd", ownMb: 20_480 },
    { name: "c", from: "far", to: "hdd", ownMb: 1_536 },
  ];
  const free: { readonly [datastore: string]: number } = { ssd: 51_200, hdd: 2_048 };
  return buildPlan({
    changes: moves.map(({ name, from, to }) =>
      buildChange(`cloud_vm.${name}`, {
        provider: "cloud",
        before: { name, datastore: from },
        after: { name, datastore: to },
      }),
    ),
    facts: moves.map(({ name, from, to, ownMb }) => ({
      address: address(`cloud_vm.${name}`),
      facts: {
        space: {
          move: {
            ...{ to, to_free_mb: free[to] ?? 0, from, own_mb: ownMb },
            ...(free[from] === undefined ? {} : { from_free_mb: free[from] }),
          },
        },
      },
    })),
  });
}

export const planCases: { readonly [name: string]: Plan } = {
  "no-changes": buildPlan(),
  "no-changes-not-checked": buildPlan({
    notChecked: [{ address: address(folder), reason: "its VM web is off" }],
  }),
  "nothing-to-destroy": buildPlan({ mode: "destroy" }),
  destroy: buildPlan({
    mode: "destroy",
    changes: [
      buildChange(web, {
        action: "delete",
        reason: { kind: "destroy" },
        before: { id: "web", power_state: "on" },
      }),
    ],
    consent: [
      { address: address(web), disruption: "destroy" },
      { address: address(web), disruption: "power-off" },
    ],
  }),
  imports: imports(),
  many: many(),
  relocations: relocations(),
  values: values(),
  "late-data": lateData(),
  "outputs-only": buildPlan({
    outputs: [{ name: "size", sensitive: false, before: 3, after: { gb: 4 } }],
  }),
  "power-cycle": powerCycle(),
  "echo-window": { ...powerCycle(), changes: [] },
  "every-action": everyAction(),
  troubled: troubled(),
  hostile: hostile(),
  "secret-requests": secretRequests(),
};

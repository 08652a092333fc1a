/** Data sources in a plan: known, awaited or blocked, and what becomes of those that use them. */

import { describe, expect, test } from "vitest";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import type { RecordedObject } from "../../../../src/model/recorded/recorded.ts";
import type { DataAnswer } from "../../../../src/plan/input.ts";
import { plan } from "../../../../src/plan/plan.ts";
import { dataRegistry, settingsSchemas, typeRegistry } from "../../../../src/providers/registry.ts";
import { loadSound } from "../../../helpers/load-config.ts";
import { address } from "../../../helpers/recorded-builder.ts";
import { type Existing, existingVm, inputOf, type Scene, vm } from "../planning.ts";

const types = typeRegistry();
const registries = {
  types,
  dataTypes: dataRegistry(),
  providerSettings: settingsSchemas(),
};

type DataScene = {
  readonly yaml: string;
  readonly exists?: readonly Existing[];
  readonly answers?: { readonly [address: string]: DataAnswer };
  readonly input?: Scene["input"];
};

function planYaml({ yaml, exists = [], answers = {}, input = {} }: DataScene): Plan {
  const desired = loadSound(yaml, registries);
  const data = new Map(Object.entries(answers).map(([text, answer]) => [address(text), answer]));
  const settings = new Map(desired.providers.map((one) => [one.name, one.settings]));
  return plan(inputOf({ exists, desired, input: { types, settings, data, ...input } }));
}

/** A VM that is recorded and off, as this configuration would have made it. */
function recordedVm(name: string, parts: Partial<RecordedObject> = {}): Existing {
  const at = { address: address(`daemon_vm.${name}`), type: "daemon_vm", provider: "daemon" };
  const made = existingVm(vm(name), "off", { ...at, ...parts });
  return { ...made, record: { ...made.record, attributes: { id: name, power_state: "off" } } };
}

const answer = (...ids: readonly string[]): DataAnswer => ({
  status: "read",
  attributes: { ids, vm_count: ids.length },
});
const failure: DataAnswer = { status: "failed", reason: "list of VMs: no reply" };

/** `data.daemon_vms.x`: how it stands, and what it waits for. */
function dataOf({ data }: Plan): { readonly [address: string]: string } {
  return Object.fromEntries(
    data.map(({ address: at, attributes, waitsFor }) => {
      if (attributes !== undefined) return [at, "known"];
      return [at, waitsFor.length === 0 ? "ready" : `after ${waitsFor.toSorted().join(", ")}`];
    }),
  );
}

function actionsOf({ changes }: Plan): { readonly [address: string]: string } {
  return Object.fromEntries(changes.map((change) => [change.address, change.action]));
}

describe("how a data source stands", () => {
  const behindB = `
    data: { daemon_vms.x: { depends_on: [daemon_vm.b] } }
    resources:
      daemon_vm.a: { id: a }
      daemon_vm.b: { id: b, depends_on: [daemon_vm.a] }
  `;
  const chain = `
    data:
      daemon_vms.x: {}
      daemon_vms.y: { tags: "\${data.daemon_vms.x.ids}" }
      daemon_vms.z: { tags: "\${data.daemon_vms.y.ids}" }
  `;
  const cases: readonly (DataScene & {
    readonly name: string;
    readonly data: { readonly [address: string]: string };
  })[] = [
    {
      name: "one that depends on nothing can be read",
      yaml: "data: { daemon_vms.x: {} }",
      data: { "data.daemon_vms.x": "ready" },
    },
    {
      name: "one whose answer came is known",
      yaml: "data: { daemon_vms.x: {} }",
      answers: { "data.daemon_vms.x": answer("v") },
      data: { "data.daemon_vms.x": "known" },
    },
    {
      name: "one behind objects that do not change can be read",
      yaml: behindB,
      exists: [recordedVm("a"), recordedVm("b", { dependencies: [address("daemon_vm.a")] })],
      data: { "data.daemon_vms.x": "ready" },
    },
    {
      name: "one behind an object that changes waits for it",
      yaml: behindB,
      exists: [recordedVm("a")],
      data: { "data.daemon_vms.x": "after daemon_vm.b" },
    },
    {
      name: "a change further back counts, too",
      yaml: behindB,
      exists: [recordedVm("b", { dependencies: [address("daemon_vm.a")] })],
      data: { "data.daemon_vms.x": "after daemon_vm.a" },
    },
    {
      name: "an answer that came before a change does not count",
      yaml: behindB,
      exists: [recordedVm("a")],
      answers: { "data.daemon_vms.x": answer("v") },
      data: { "data.daemon_vms.x": "after daemon_vm.b" },
    },
    {
      name: "of a chain the first can be read",
      yaml: chain,
      data: {
        "data.daemon_vms.x": "ready",
        "data.daemon_vms.y": "after data.daemon_vms.x",
        "data.daemon_vms.z": "after data.daemon_vms.x, data.daemon_vms.y",
      },
    },
    {
      name: "then the second",
      yaml: chain,
      answers: { "data.daemon_vms.x": answer("v") },
      data: {
        "data.daemon_vms.x": "known",
        "data.daemon_vms.y": "ready",
        "data.daemon_vms.z": "after data.daemon_vms.y",
      },
    },
    {
      name: "one that needs the address of a VM about to start waits for it",
      yaml: `
        data: { daemon_vms.x: { tags: ["\${daemon_vm.a.ip_address}"] } }
        resources: { daemon_vm.a: { id: a, power: on } }
      `,
      exists: [recordedVm("a")],
      data: { "data.daemon_vms.x": "after daemon_vm.a" },
    },
    {
      name: "what only a part uses that is left out is not read",
      yaml: `
        data: { daemon_vms.x: {}, daemon_vms.y: {} }
        resources:
          daemon_vm.a: { id: a, name: "\${data.daemon_vms.x.ids[0]}" }
          daemon_vm.b: { id: b, name: "\${data.daemon_vms.y.ids[0]}" }
      `,
      input: { select: { targets: [address("daemon_vm.b")], excludes: [], replace: [] } },
      data: { "data.daemon_vms.y": "ready" },
    },
    { name: "destroying reads none", yaml: behindB, input: { mode: "destroy" }, data: {} },
    { name: "accepting drift reads none", yaml: behindB, input: { mode: "refresh" }, data: {} },
  ];
  test.each(cases)("$name", (scene) => {
    const made = planYaml(scene);
    expect(made.diagnostics).toEqual([]);
    expect(dataOf(made)).toEqual(scene.data);
  });
});

describe("what uses a data source", () => {
  const yaml = `
    data: { daemon_vms.x: { depends_on: [daemon_vm.first] } }
    resources:
      daemon_vm.first: { id: first }
      daemon_vm.named: { id: named, name: "\${data.daemon_vms.x.ids[0]}" }
    outputs: { all: { value: "\${data.daemon_vms.x.ids}" } }
  `;

  test("has its answer, also in a key", () => {
    const made = planYaml({
      yaml: `
        data: { daemon_vms.x: {} }
        resources: { daemon_vm.a: { id: "\${data.daemon_vms.x.ids[0]}-copy", power: on } }
        outputs: { all: { value: "\${data.daemon_vms.x.ids}" } }
      `,
      answers: { "data.daemon_vms.x": answer("v", "w") },
    });
    expect(made.diagnostics).toEqual([]);
    expect(made.operations.map(({ subject: { identity }, verb }) => `${verb} ${identity}`)).toEqual(
      ["create v-copy", "on v-copy"],
    );
    expect(made.outputs).toMatchObject([{ name: "all", after: ["v", "w"] }]);
  });

  test("waits with it: its value is known after apply, and it comes after the same objects", () => {
    const made = planYaml({ yaml });
    const [first, named] = ["daemon_vm.first#create.1", "daemon_vm.named#create.1"];
    const operation = made.operations.find(({ id }) => id === named);
    expect(operation?.order.after).toEqual([{ id: first, on: "success" }]);
    expect(Object.keys(operation?.request.deferred ?? {})).toEqual(["name"]);
    // Recorded, so that a later delete knows the order.
    expect(operation?.record.dependencies).toEqual(["daemon_vm.first"]);
    expect(made.outputs.map(({ deferred }) => deferred?.template)).toEqual([
      "${data.daemon_vms.x.ids}",
    ]);
  });

  test("waits for an address that its arguments need", () => {
    const made = planYaml({
      yaml: `
        data: { daemon_vms.x: { tags: ["\${daemon_vm.first.ip_address}"] } }
        resources:
          daemon_vm.first: { id: first, power: on }
          daemon_vm.named: { id: named, name: "\${data.daemon_vms.x.ids[0]}" }
      `,
    });
    const create = made.operations.find(({ subject: { address: at } }) => at === "daemon_vm.named");
    expect(create?.order.after.map(({ id }) => id)).toContain("daemon_vm.first#wait-ip_address.1");
  });

  test("cannot have a key that is known only after apply", () => {
    const made = planYaml({
      yaml: `
        data: { daemon_vms.x: { depends_on: [daemon_vm.first] } }
        resources:
          daemon_vm.first: { id: first }
          daemon_vm.named: { id: "\${data.daemon_vms.x.ids[0]}" }
      `,
    });
    expect(made.diagnostics).toMatchObject([{ code: "PLN001", address: "daemon_vm.named" }]);
    expect(made.blocked).toEqual(["daemon_vm.named"]);
  });

  test("is blocked when it cannot be read, and nothing else is", () => {
    const made = planYaml({
      yaml: `
        data:
          daemon_vms.x: {}
          daemon_vms.y: { tags: "\${data.daemon_vms.x.ids}" }
        resources:
          daemon_vm.direct: { id: a, name: "\${data.daemon_vms.x.ids[0]}" }
          daemon_vm.later: { id: b, depends_on: [daemon_vm.direct] }
          daemon_vm.through: { id: c, depends_on: [data.daemon_vms.y] }
          daemon_vm.other: { id: d }
      `,
      answers: { "data.daemon_vms.x": failure },
    });
    expect(made.diagnostics).toMatchObject([
      { code: "PLN021", address: "data.daemon_vms.x", source: { line: 3 } },
    ]);
    expect(made.diagnostics[0]?.detail).toContain("list of VMs: no reply");
    expect(made.blocked).toEqual([
      "daemon_vm.direct",
      "daemon_vm.later",
      "daemon_vm.through",
      "data.daemon_vms.x",
      "data.daemon_vms.y",
    ]);
    expect(actionsOf(made)).toEqual({ "daemon_vm.other": "create" });
    expect(made.data).toEqual([]);
  });

  test("is blocked when an argument has no value, and the place is told", () => {
    const made = planYaml({
      yaml: `
        data:
          daemon_vms.x: {}
          daemon_vms.y: { tags: ["\${data.daemon_vms.x.ids[7]}"] }
        resources: { daemon_vm.a: { id: a, name: "\${data.daemon_vms.y.ids[0]}" } }
      `,
      answers: { "data.daemon_vms.x": answer("v") },
    });
    expect(made.diagnostics).toMatchObject([{ code: "CFG025", source: { line: 4 } }]);
    expect(made.blocked).toEqual(["daemon_vm.a", "data.daemon_vms.y"]);
  });

  test("is blocked with what it waits for", () => {
    const taken = { status: "found", identity: "first", attributes: {}, unreadable: {} } as const;
    const made = planYaml({
      yaml,
      input: { lookups: new Map([[address("daemon_vm.first"), taken]]) },
    });
    expect(made.diagnostics.map(({ code }) => code)).toEqual(["PLN002"]);
    expect(made.blocked).toEqual(["daemon_vm.first", "daemon_vm.named", "data.daemon_vms.x"]);
  });
});

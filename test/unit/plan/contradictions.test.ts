/** One machine that is reached through two interfaces, and what two addresses want of it. */

import { describe, expect, test } from "vitest";
import type { RecordedObject } from "../../../src/model/recorded/recorded.ts";
import type { Attributes } from "../../../src/model/value/value.ts";
import { plan } from "../../../src/plan/plan.ts";
import { dataRegistry, settingsSchemas, typeRegistry } from "../../../src/providers/registry.ts";
import { loadSound } from "../../helpers/load-config.ts";
import { recordedObject } from "../../helpers/recorded-builder.ts";
import { type Existing, inputOf } from "./planning.ts";

const types = typeRegistry();
const registries = { types, dataTypes: dataRegistry(), providerSettings: settingsSchemas() };
const path = "/api/vApp/vm-0a1b2c3d-0000-4000-8000-000000000001";

function existing(text: string, parts: Partial<RecordedObject>): Existing {
  const [type = ""] = text.split(".");
  const provider = type === "cloud_vm" ? "cloud" : "manager";
  const record = recordedObject(text, { type, provider, ...parts });
  const { identity, attributes } = record;
  return { record, observation: { status: "found", identity, attributes, unreadable: {} } };
}

const common: Attributes = { power_state: "on", nested_hv_enabled: false, datastore: "old" };

/** Codes by address of a plan for `cloud_vm.c` (`vm-5`) and `manager_vm.m`. */
function problems(c: string | undefined, m: string, moref = "vm-5"): readonly string[] {
  const resources = [
    ...(c === undefined ? [] : [`cloud_vm.c: { name: w${c} }`]),
    `manager_vm.m: { moref: ${moref}${m} }`,
  ];
  const desired = loadSound(
    `
    providers:
      cloud: { url: "https://c.test", user: u, org: System, password: { env: P } }
      manager: { url: "https://m.test", user: u, password: { env: P } }
    resources: { ${resources.join(", ")} }
    `,
    registries,
  );
  const applied = { name: "w", ...(c === undefined ? { on_destroy: "power_off" } : {}) };
  const exists = [
    existing("cloud_vm.c", {
      ...{ identity: path, applied },
      attributes: { ...common, name: "w", href: path, moref: "vm-5" },
    }),
    existing("manager_vm.m", {
      ...{ identity: moref, applied: { moref } },
      attributes: { ...common, name: "web", moref },
    }),
  ];
  const settings = new Map(desired.providers.map((one) => [one.name, one.settings]));
  const made = plan(inputOf({ exists, desired, input: { types, settings } }));
  expect(made.operations.filter(() => made.blocked.length > 0)).toEqual([]);
  return made.diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, address }) => `${code} ${address}`)
    .toSorted();
}

const both = ["PLN046 cloud_vm.c", "PLN046 manager_vm.m"];

describe("is refused for both", () => {
  test.each([
    [", power: on", ", power: off"],
    [", power: suspended", ", power: on"],
    [", nested_hv_enabled: true", ", nested_hv_enabled: false"],
    [", datastore: new", ", datastore: old"],
    [", power: on, nested_hv_enabled: true", ", power: on, nested_hv_enabled: false"],
  ])("%s through the cloud,%s through the manager", (c, m) => {
    expect(problems(c, m)).toEqual(both);
  });

  test("what leaves and is turned off, while it is wanted on elsewhere", () => {
    expect(problems(undefined, ", power: on")).toEqual(both);
  });
});

describe("two host managers", () => {
  const at = (attributes: Attributes) =>
    recordedObject("manager_vm.x", { attributes: { ...common, ...attributes } });
  /** `manager_vm.m` and `manager_vm.n`, both `vm-5`, of providers `manager` and `manager.two`. */
  function between(two: string, of: Attributes = {}, cloud?: string): readonly string[] {
    const desired = loadSound(
      `
      providers:
        cloud: { url: "https://c.test", user: u, org: System, password: { env: P } }
        manager: { url: "https://m.test", user: u, password: { env: P } }
        manager.two: { url: "${two}", user: u, password: { env: P } }
      resources:
        manager_vm.m: { moref: vm-5, power: on }
        manager_vm.n: { moref: vm-5, power: off, provider: manager.two }
        ${cloud === undefined ? "" : `cloud_vm.c: { name: w, power: ${cloud} }`}
      `,
      registries,
    );
    const applied = { moref: "vm-5" };
    const exists = [
      existing("manager_vm.m", { identity: "vm-5", applied, attributes: at({}).attributes }),
      existing("manager_vm.n", {
        ...{ identity: "vm-5", applied, provider: "manager.two" },
        attributes: at(of).attributes,
      }),
      ...(cloud === undefined
        ? []
        : [
            existing("cloud_vm.c", {
              ...{ identity: path, applied: { name: "w" } },
              attributes: { ...common, name: "w", href: path, moref: "vm-5" },
            }),
          ]),
    ];
    const settings = new Map(desired.providers.map((one) => [one.name, one.settings]));
    const endpoints = new Map([
      ["cloud", { url: "https://c.test" }],
      ["manager", { url: "https://m.test" }],
      ["manager.two", { url: two }],
    ]);
    const made = plan(inputOf({ exists, desired, input: { types, settings, endpoints } }));
    return made.diagnostics.flatMap(({ code, address }) =>
      code === "PLN046" ? [String(address)] : [],
    );
  }

  test("one server by two names means one machine", () => {
    expect(between("https://m.test")).toEqual(["manager_vm.m", "manager_vm.n"]);
  });

  test("two servers have a machine each, whatever they call it", () => {
    expect(between("https://n.test")).toEqual([]);
  });

  test("the cloud means the one that is as it is", () => {
    const other = { datastore: "elsewhere", power_state: "off" };
    expect(between("https://n.test", other, "off")).toEqual(["manager_vm.m", "cloud_vm.c"]);
    expect(between("https://n.test", other, "on")).toEqual([]);
  });
});

describe("is no contradiction", () => {
  test.each([
    [", power: on", ", power: on"],
    [", power: on", ""],
    [", nested_hv_enabled: true", ", power: on"],
    [", datastore: new", ", nested_hv_enabled: true"],
  ])("%s through the cloud,%s through the manager", (c, m) => {
    expect(problems(c, m)).toEqual([]);
  });

  test("of two machines", () => {
    expect(problems(", power: on", ", power: off", "vm-6")).toEqual([]);
  });

  test("what leaves and is turned off, while elsewhere nothing is said of power", () => {
    expect(problems(undefined, "")).toEqual([]);
  });
});

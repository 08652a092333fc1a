/**
 * A scope and its types as the tests of this folder share them. `data.daemon_vms.late` is not read
 * yet.
 */

import type {
  ExpressionTypes,
  ModuleTypes,
} from "../../../src/expressions/check/expression-types.ts";
import type { Scope } from "../../../src/expressions/evaluate/scope.ts";
import { parseTemplate, type Template } from "../../../src/expressions/syntax/template.ts";
import {
  type ResourceSchema,
  readResourceSchema,
} from "../../../src/model/value/resource-schema.ts";
import { type PlannedAttributes, unknown } from "../../../src/model/value/value.ts";

const vmSchema: ResourceSchema = readResourceSchema("daemon_vm", {
  description: "A VM.",
  properties: {
    id: { type: "string" },
    name: { type: "string" },
    tag: { type: "string" },
    cpus: { type: "integer" },
    load: { type: "number" },
    shared: { type: "boolean" },
    disks: { type: "array" },
    labels: { type: "object" },
    ip_address: { type: "string" },
    password: { type: "string", "x-vmform": { sensitive: true } },
  },
});

const listSchema: ResourceSchema = readResourceSchema("daemon_vms", {
  description: "The VMs.",
  properties: { tags: { type: "array" }, ids: { type: "array" }, vm_count: { type: "integer" } },
});

/** The VM `daemon_vm.a`: `name` is not set, `ip_address` unknown, `load` integral. */
export const vmA: PlannedAttributes = {
  id: "a",
  tag: "blue",
  cpus: 2,
  load: 3,
  shared: true,
  disks: [10, unknown, 30],
  labels: { owner: "ops", address: unknown },
  ip_address: unknown,
  password: "s3cret",
};

const webKeys = ["x", "y"] as const;

export const scope: Scope = {
  values: {
    vars: {
      team: "web",
      count: 3,
      ratio: 2,
      on: true,
      unset: null,
      sizes: [1, 2, 3],
      ports: { http: 80, https: 443 },
      big: 9_007_199_254_740_993n,
      token: "t0ken",
      nested: { secret: "hidden", plain: "p" },
    },
    locals: {
      prefix: "web-",
      half: 0.5,
      mixed: [1, "two", null, true],
      waiting: unknown,
      partial: { known: "k", waiting: unknown },
      hosts: ["h1", unknown],
      // The library must not take a look at a first member for a touch.
      late: [unknown, "h2"],
      lateMap: { waiting: unknown, known: 1 },
      "odd key": "odd",
    },
    each: { key: "x", value: 2 },
    count: { index: 1 },
    path: { module: "/conf", root: "/conf" },
    self: { id: "me", tag: null },
  },
  resources: {
    shape: (type, name) => {
      if (type === "data.daemon_vms") {
        if (name === "all" || name === "late") return { kind: "single" };
        return name === "tagged" ? { kind: "map", keys: new Set(webKeys) } : undefined;
      }
      if (type !== "daemon_vm") return undefined;
      if (name === "a" || name === "fresh") return { kind: "single" };
      if (name === "web") return { kind: "map", keys: new Set(webKeys) };
      if (name === "row") return { kind: "list", length: 3 };
      if (name === "none") return { kind: "map", keys: new Set() };
      if (name === "zero") return { kind: "list", length: 0 };
      return undefined;
    },
    attributes: (type, name, key) => {
      if (type === "data.daemon_vms") {
        if (name === "late") return undefined;
        return name === "all" ? { ids: ["a", "b"], vm_count: 2 } : { ids: [`vm-${String(key)}`] };
      }
      if (name === "a") return vmA;
      if (name === "web" && key === "x") return { id: "web-x", ip_address: "10.0.0.1" };
      if (name === "web") return { id: "web-y", ip_address: unknown };
      if (name === "row") return key === 2 ? undefined : { id: `row-${String(key)}`, cpus: 4 };
      return undefined;
    },
    schema: (type) => {
      if (type === "data.daemon_vms") return listSchema;
      return type === "daemon_vm" ? vmSchema : undefined;
    },
  },
  sensitive: new Set(["vars.token", "vars.nested.secret"]),
  doubles: new Set(["vars.ratio"]),
  pending: {},
};

export const moduleTypes: ModuleTypes = {
  vars: {
    team: "string",
    count: "integer",
    ratio: "number",
    on: "boolean",
    unset: "string",
    sizes: "list",
    ports: "map",
    anything: "any",
    site: "map",
  },
  varParts: {
    team: {},
    sizes: { of: {} },
    site: {
      members: new Map([
        ["name", { type: {} }],
        ["free", { type: {} }],
        ["hosts", { type: { of: { members: new Map([["address", { type: {} }]]) } } }],
        ["nothing", { type: { members: new Map() } }],
      ]),
    },
  },
  locals: new Set(["prefix", "half", "mixed", "waiting"]),
  schemas: { daemon_vm: vmSchema, "data.daemon_vms": listSchema },
  resources: {
    daemon_vm: { a: "single", fresh: "single", web: "map", row: "list" },
    "data.daemon_vms": { all: "single", late: "single", tagged: "map" },
  },
  calls: {
    lab: { instancing: "single", outputs: new Set(["address", "names"]) },
    site: { instancing: "map", outputs: new Set(["address"]) },
    row: { instancing: "list", outputs: new Set(["address"]) },
  },
};

export const types: ExpressionTypes = { module: moduleTypes, each: true, count: true };

/** The template of a text that must parse. */
export function template(text: string): Template {
  const parsed = parseTemplate(text);
  if (parsed.template === undefined) {
    throw new Error(`${text}: ${parsed.problems.map((problem) => problem.message).join(" ")}`);
  }
  return parsed.template;
}

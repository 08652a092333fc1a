import { describe, expect, it } from "vitest";
import {
  deferMember,
  deferStructure,
  deferTemplate,
  evaluateDeferred,
} from "../../../../src/expressions/evaluate/deferred.ts";
import { evaluateTemplate } from "../../../../src/expressions/evaluate/evaluate.ts";
import { type Scope, valuePath } from "../../../../src/expressions/evaluate/scope.ts";
import type { DeferredValue, ReferenceLookup } from "../../../../src/model/value/expression.ts";
import type { AttributeType } from "../../../../src/model/value/resource-schema.ts";
import {
  type PlannedAttributes,
  type PlannedValue,
  unknown,
} from "../../../../src/model/value/value.ts";
import { scope, template } from "../scope-fixture.ts";

const known: { readonly [address: string]: PlannedAttributes } = {
  "daemon_vm.a": {
    id: "a",
    ip_address: "10.0.0.9",
    cpus: 2,
    load: 3,
    disks: [10, 20, 30],
    labels: { address: "10.0.0.9" },
  },
  "daemon_vm.fresh": { id: "f", ip_address: "10.0.0.8" },
  'daemon_vm.web["x"]': { id: "web-x", ip_address: "10.0.0.1" },
  'daemon_vm.web["y"]': { id: "web-y", ip_address: "10.0.0.2" },
  "data.daemon_vms.all": { ids: ["a", "b"], vm_count: 2 },
  "data.daemon_vms.late": { ids: ["c"], vm_count: 1 },
  'data.daemon_vms.tagged["x"]': { ids: ["vm-x"] },
  'data.daemon_vms.tagged["y"]': { ids: ["vm-y"] },
  "daemon_vm.row[0]": { id: "row-0", cpus: 1 },
  "daemon_vm.row[1]": { id: "row-1", cpus: 4 },
  "daemon_vm.row[2]": { id: "row-2", cpus: 4 },
};
const lookup: ReferenceLookup = (address) => known[address];
const nothing: ReferenceLookup = () => undefined;

/** As a plan file does. */
function throughJson(deferred: DeferredValue): DeferredValue {
  return JSON.parse(JSON.stringify(deferred)) as DeferredValue;
}

/** `locals.waiting` is a template of its own, and `locals.partial.waiting` another. */
const waiting = deferTemplate(template("${daemon_vm.a.ip_address}:${vars.count}"), scope, "string");
const pendingScope: Scope = {
  ...scope,
  pending: {
    "locals.waiting": waiting,
    "locals.partial.waiting": deferTemplate(template("${daemon_vm.a.cpus + 1}"), scope, "any"),
    "locals.hosts[1]": deferTemplate(template("${daemon_vm.fresh.id}"), scope, "any"),
  },
};

const cases: readonly { text: string; value: PlannedValue; as?: AttributeType }[] = [
  { text: "${daemon_vm.a.ip_address}", value: "10.0.0.9", as: "string" },
  { text: "http://${daemon_vm.a.ip_address}:${vars.ports.http}/", value: "http://10.0.0.9:80/" },
  { text: "${daemon_vm.fresh.id}-${each.key}-${count.index}", value: "f-x-1" },
  { text: '${daemon_vm.web["y"].ip_address}', value: "10.0.0.2" },
  { text: "${daemon_vm.web[each.key].ip_address}", value: "10.0.0.1" },
  { text: "${daemon_vm.web.map(k, daemon_vm.web[k].ip_address)}", value: ["10.0.0.1", "10.0.0.2"] },
  { text: "${daemon_vm.row.map(r, r.id)}", value: ["row-0", "row-1", "row-2"], as: "list" },
  { text: "${daemon_vm.row[count.index + 1].id}", value: "row-2" },
  { text: "${size(daemon_vm.none) + size(daemon_vm.zero)}", value: 0 },
  { text: "${daemon_vm.none}", value: {} },
  { text: "${daemon_vm.zero}", value: [] },
  { text: "${daemon_vm.a.name == null}", value: true },
  { text: "${daemon_vm.a.cpus}", value: "2", as: "string" },
  { text: "${daemon_vm.a.disks}", value: [10, 20, 30], as: "list" },
  { text: "${locals.waiting}!", value: "10.0.0.9:3!" },
  { text: "${locals.waiting == null ? 1 : 2}", value: 2 },
  { text: "${locals.partial}", value: { known: "k", waiting: 3 } },
  { text: "${locals.partial.waiting * 2}", value: 6 },
  { text: '${locals.hosts.join(",")}', value: "h1,f" },
  { text: "${locals.hosts[vars.count - 2]}", value: "f" },
  // Numbers keep their types: 2 and 3 were declared as numbers.
  { text: "${vars.ratio / 4}", value: 0.5 },
  { text: "${daemon_vm.a.load / 2}", value: 1.5 },
  { text: "${daemon_vm.a.cpus / 4}", value: 0 },
  { text: "${data.daemon_vms.late.ids}", value: ["c"], as: "list" },
  {
    text: '${data.daemon_vms.all.ids.join("+")} ${data.daemon_vms.late.vm_count}',
    value: "a+b 1",
    as: "string",
  },
  {
    text: "${data.daemon_vms.tagged.map(k, data.daemon_vms.tagged[k].ids[0])}",
    value: ["vm-x", "vm-y"],
  },
];

describe("deferTemplate", () => {
  it.each(cases)("$text gives its value later", ({ text, value, as = "any" }) => {
    const deferred = throughJson(deferTemplate(template(text), pendingScope, as));
    expect(evaluateDeferred(deferred, lookup)).toEqual({ value, sensitive: false, problems: [] });
  });

  it.each(cases)("$text agrees with evaluating at once", ({ text, value, as = "any" }) => {
    const resolved = evaluateDeferred(waiting, lookup).value;
    const full: Scope = {
      ...scope,
      values: {
        ...scope.values,
        locals: {
          ...scope.values.locals,
          waiting: resolved,
          partial: { known: "k", waiting: 3 },
          hosts: ["h1", "f"],
        },
      },
      resources: {
        ...scope.resources,
        attributes: (type, name, key) => {
          const suffix = key === undefined ? "" : `[${JSON.stringify(key)}]`;
          return known[`${type}.${name}${suffix}`];
        },
      },
    };
    expect(evaluateTemplate(template(text), full, as)).toMatchObject({
      value,
      sensitive: false,
      problems: [],
    });
  });

  it("takes only what the template uses", () => {
    const text = "${locals.prefix}${daemon_vm.web[each.key].ip_address}${locals.waiting}";
    expect(deferTemplate(template(text), pendingScope, "string")).toEqual({
      template: text,
      scope: { locals: { prefix: "web-", waiting: null }, each: { key: "x" } },
      pending: { "locals.waiting": waiting },
      type: "string",
      references: [
        { address: 'daemon_vm.web["x"]', attribute: "ip_address" },
        { address: "daemon_vm.a", attribute: "ip_address" },
      ],
    });
  });

  it("takes all names of a root that is indexed by an expression", () => {
    const text = "${path[daemon_vm.a.id]}";
    const { scope: taken } = deferTemplate(template(text), scope, "string");
    expect(taken).toEqual({ path: scope.values.path });
  });

  it("refers to the module's own resources", () => {
    const inModule: Scope = { ...scope, modules: [{ name: "lab" }] };
    const deferred = deferTemplate(template("${daemon_vm.a.ip_address}"), inModule, "string");
    const address = "module.lab.daemon_vm.a";
    expect(deferred.references).toEqual([{ address, attribute: "ip_address" }]);
    const found: ReferenceLookup = (asked) =>
      asked === address ? { ip_address: "10.9.9.9" } : undefined;
    expect(evaluateDeferred(deferred, found).value).toBe("10.9.9.9");
  });

  it("refuses an unknown value that nothing computes", () => {
    expect(() => deferTemplate(template("${locals.waiting}"), scope, "any")).toThrow(
      /locals\.waiting/,
    );
  });
});

describe("deferStructure", () => {
  const address = deferTemplate(template("${daemon_vm.a.ip_address}"), scope, "any");
  const size = deferTemplate(template("${daemon_vm.row[0].cpus}"), scope, "any");
  const value: PlannedValue = { tags: ["fixed", unknown], "odd key": { size: unknown }, n: 1 };
  const leaves = {
    [valuePath("value", "tags", 1)]: address,
    [valuePath("value", "odd key", "size")]: size,
  };

  it("fills each leaf", () => {
    const deferred = throughJson(deferStructure(value, leaves, "map"));
    expect(evaluateDeferred(deferred, lookup)).toEqual({
      value: { tags: ["fixed", "10.0.0.9"], "odd key": { size: 1 }, n: 1 },
      sensitive: false,
      problems: [],
    });
    expect(deferred.references.map((reference) => reference.address)).toEqual([
      "daemon_vm.a",
      "daemon_vm.row[0]",
    ]);
  });

  it("keeps leaves that are still unknown where they are", () => {
    const half: ReferenceLookup = (asked) => (asked === "daemon_vm.a" ? undefined : lookup(asked));
    const { value: found } = evaluateDeferred(deferStructure(value, leaves, "map"), half);
    expect(found).toEqual({ tags: ["fixed", unknown], "odd key": { size: 1 }, n: 1 });
  });

  it("serves as the pending value of a local", () => {
    const local = deferStructure(["fixed", unknown], { [valuePath("value", 1)]: address }, "any");
    const withLocal: Scope = {
      ...scope,
      values: { locals: { list: ["fixed", unknown] } },
      pending: { "locals.list": local },
    };
    const deferred = deferTemplate(template('${locals.list.join("+")}'), withLocal, "string");
    expect(evaluateDeferred(throughJson(deferred), lookup).value).toBe("fixed+10.0.0.9");
  });

  it("may be one leaf alone", () => {
    const deferred = deferStructure(unknown, { value: address }, "string");
    expect(evaluateDeferred(deferred, lookup).value).toBe("10.0.0.9");
  });
});

describe("deferMember", () => {
  const address = deferTemplate(template("${daemon_vm.a.ip_address}"), scope, "any");
  const size = deferTemplate(template("${daemon_vm.row[0].cpus}"), scope, "any");
  const odd = 'q".${x}';
  const value: PlannedValue = { [odd]: { list: [unknown, 1] }, b: unknown, known: 2 };
  const leaves = { [valuePath("value", odd, "list", 0)]: address, [valuePath("value", "b")]: size };
  const structure = deferStructure(value, leaves, "map");
  const named: Scope = {
    ...scope,
    values: { locals: { map: value } },
    pending: { "locals.map": structure },
  };
  const ofLocal = (text: string): DeferredValue => deferTemplate(template(text), named, "any");
  const ways = {
    "a structure": structure,
    "a local": ofLocal("${locals.map}"),
    "what computes it": ofLocal("${true ? locals.map : locals.map}"),
  };

  it.each(Object.entries(ways))("is the value of a key of %s", (_, map) => {
    const valueOf = (key: string): PlannedValue =>
      evaluateDeferred(throughJson(deferMember(map, key)), lookup).value;
    expect(valueOf(odd)).toEqual({ list: ["10.0.0.9", 1] });
    expect(valueOf("b")).toBe(1);
  });

  it("holds and needs nothing of the other keys of a map that has a name", () => {
    const own = deferMember(ways["a local"], "b");
    expect(own.references.map((reference) => reference.address)).toEqual(["daemon_vm.row[0]"]);
    expect(JSON.stringify(own)).not.toContain("ip_address");
  });

  it("stays secret", () => {
    const secret = deferTemplate(
      template("${locals.map}"),
      { ...named, sensitive: new Set(["locals.map"]) },
      "any",
    );
    expect(evaluateDeferred(deferMember(secret, "b"), lookup).sensitive).toBe(true);
  });
});

describe("evaluateDeferred", () => {
  it("stays unknown while a reference is", () => {
    const deferred = deferTemplate(template("${daemon_vm.a.ip_address}x"), scope, "string");
    expect(evaluateDeferred(deferred, nothing)).toEqual({
      value: unknown,
      sensitive: false,
      problems: [],
    });
  });

  it("reports what the late value does not fit", () => {
    const deferred = deferTemplate(template("${daemon_vm.a.disks[0]}"), scope, "boolean");
    const { value, problems } = evaluateDeferred(deferred, lookup);
    expect(value).toEqual(unknown);
    expect(problems[0]?.message).toMatch(/a boolean.*an integer/);
  });

  it("reports the problem of a pending value", () => {
    const pending = deferTemplate(template("${daemon_vm.a.disks[7]}"), scope, "any");
    const withBroken: Scope = { ...scope, pending: { "locals.waiting": pending } };
    const deferred = deferTemplate(template("${locals.waiting}"), withBroken, "any");
    const { value, problems } = evaluateDeferred(deferred, lookup);
    expect(value).toEqual(unknown);
    expect(problems[0]?.message).toMatch(/out of bounds/);
  });

  it("says which values are sensitive, and that the result is", () => {
    const text = "${vars.token}${vars.team}${daemon_vm.a.password}${daemon_vm.a.ip_address}";
    const deferred = throughJson(deferTemplate(template(text), scope, "string"));
    expect(deferred.sensitive).toEqual(["daemon_vm.a.password", "vars.token"]);
    const withPassword: ReferenceLookup = () => ({ password: "pw", ip_address: "10.0.0.9" });
    const result = evaluateDeferred(deferred, withPassword);
    expect(result).toEqual({ value: "t0kenwebpw10.0.0.9", sensitive: true, problems: [] });
  });

  it("is sensitive when a pending value is", () => {
    const pending = deferTemplate(template("${vars.token}${daemon_vm.a.id}"), scope, "any");
    const withSecret: Scope = { ...scope, pending: { "locals.waiting": pending } };
    const deferred = deferTemplate(template("${size(locals.waiting)}"), withSecret, "any");
    const result = evaluateDeferred(throughJson(deferred), lookup);
    expect(result).toEqual({ value: 6, sensitive: true, problems: [] });
  });

  it("knows that a pending value is a number", () => {
    const pending = deferTemplate(template("${daemon_vm.a.load}"), scope, "any");
    const withNumber: Scope = { ...scope, pending: { "locals.waiting": pending } };
    const deferred = deferTemplate(template("${locals.waiting / 2}"), withNumber, "any");
    expect(evaluateDeferred(throughJson(deferred), lookup).value).toBe(1.5);
  });

  it("says null for an attribute that stays unset", () => {
    const deferred = deferTemplate(template("${daemon_vm.row[0].ip_address}"), scope, "string");
    expect(evaluateDeferred(deferred, lookup)).toEqual({
      value: null,
      sensitive: false,
      problems: [],
    });
  });
});

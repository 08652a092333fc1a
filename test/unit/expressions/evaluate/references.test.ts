import { describe, expect, it } from "vitest";
import {
  concreteReferences,
  referencesOf,
} from "../../../../src/expressions/evaluate/references.ts";
import { scope, template } from "../scope-fixture.ts";

const resource = (name: string, offset: number, more: object = {}): object => ({
  root: "resource",
  type: "daemon_vm",
  name,
  dynamicKey: false,
  offset,
  ...more,
});

const query = (name: string, offset: number, more: object = {}): object => ({
  ...resource(name, offset, more),
  type: "data.cloud_query",
});

const cases: readonly { text: string; references: readonly object[] }[] = [
  { text: "plain", references: [] },
  { text: "${1 + 2}", references: [] },
  { text: "${vars.a}", references: [{ root: "vars", name: "a", offset: 2, steps: [] }] },
  { text: '${vars["a"]}', references: [{ root: "vars", name: "a", offset: 2, steps: [] }] },
  { text: "${vars}", references: [{ root: "vars", offset: 2 }] },
  {
    text: "${vars[each.key]}",
    references: [
      { root: "vars", offset: 2 },
      { root: "each", name: "key", offset: 7 },
    ],
  },
  {
    text: "x${locals.b.c}y${path.root}",
    references: [
      { root: "locals", name: "b", offset: 3 },
      { root: "path", name: "root", offset: 17 },
    ],
  },
  {
    text: "${data.cloud_query.vms.rows}",
    references: [query("vms", 2, { attribute: "rows" })],
  },
  {
    text: '${data.cloud_query.vms["x"].rows}',
    references: [query("vms", 2, { key: "x", attribute: "rows" })],
  },
  { text: '${data["cloud_query"].vms}', references: [query("vms", 2)] },
  { text: "${data.cloud_query}", references: [] },
  {
    text: '${module.lab["a"].ip}',
    references: [
      {
        root: "module",
        name: "lab",
        steps: [
          { form: "index", text: "a", offset: 0 },
          { form: "field", text: "ip", offset: 16 },
        ],
        offset: 2,
      },
    ],
  },
  { text: "${self.id}", references: [{ root: "self", name: "id", offset: 2 }] },
  { text: "${daemon_vm.a.id}", references: [resource("a", 2, { attribute: "id" })] },
  { text: "${daemon_vm.a}", references: [resource("a", 2)] },
  {
    text: '${daemon_vm.web["x"].id}',
    references: [resource("web", 2, { key: "x", attribute: "id" })],
  },
  { text: "${daemon_vm.row[0].id}", references: [resource("row", 2, { key: 0, attribute: "id" })] },
  {
    text: '${daemon_vm.row[0]["id"]}',
    references: [resource("row", 2, { key: 0, attribute: "id" })],
  },
  { text: '${daemon_vm.web["x"]}', references: [resource("web", 2, { key: "x" })] },
  {
    text: "${daemon_vm.web[each.key].id}",
    references: [
      resource("web", 2, { dynamicKey: true, attribute: "id" }),
      { root: "each", name: "key", offset: 16 },
    ],
  },
  {
    text: "${daemon_vm.web.map(k, daemon_vm.web[k].id)}",
    references: [resource("web", 2), resource("web", 23, { dynamicKey: true, attribute: "id" })],
  },
  { text: "${size(daemon_vm.row)}", references: [resource("row", 7)] },
  { text: "${daemon_vm.a.labels.owner}", references: [resource("a", 2, { attribute: "labels" })] },
  { text: "${(daemon_vm.a).id}", references: [resource("a", 3, { attribute: "id" })] },
  // Variables of macros hide roots of the same name, but only inside.
  {
    text: "${vars.list.map(locals, locals.x + vars.y)}",
    references: [
      { root: "vars", name: "list", offset: 2, steps: [] },
      { root: "vars", name: "y", offset: 35, steps: [] },
    ],
  },
  {
    text: "${vars.l.exists(vars, vars.x) || vars.y}",
    references: [
      { root: "vars", name: "l", offset: 2, steps: [] },
      { root: "vars", name: "y", offset: 33, steps: [] },
    ],
  },
  {
    text: "${cel.bind(each, each.key, each.x)}",
    references: [{ root: "each", name: "key", offset: 17 }],
  },
  // A type alone is no reference; checking reports it.
  { text: "${daemon_vm}", references: [] },
  {
    text: '${{"k": [vars.a, -vars.b]}[vars.c] ? !vars.d : vars.?e.orValue(vars.f)}',
    references: ["a", "b", "c", "d", "e", "f"].map((name) => ({
      root: "vars",
      name,
      offset: expect.any(Number) as number,
      steps: [],
    })),
  },
];

const concrete: readonly { text: string; addresses: readonly string[] }[] = [
  { text: "${daemon_vm.a.id}", addresses: ["daemon_vm.a id"] },
  { text: "${daemon_vm.a}", addresses: ["daemon_vm.a "] },
  { text: "${daemon_vm.a.id}${daemon_vm.a.id}", addresses: ["daemon_vm.a id"] },
  { text: '${daemon_vm.web["y"].id}', addresses: ['daemon_vm.web["y"] id'] },
  { text: "${daemon_vm.web[each.key].id}", addresses: ['daemon_vm.web["x"] id'] },
  { text: "${daemon_vm.row[count.index - 1].id}", addresses: ["daemon_vm.row[0] id"] },
  { text: '${daemon_vm.web["x" + ""].id}', addresses: ['daemon_vm.web["x"] id'] },
  {
    text: "${daemon_vm.web[locals.waiting].id}",
    addresses: ['daemon_vm.web["x"] id', 'daemon_vm.web["y"] id'],
  },
  {
    text: "${daemon_vm.row.map(r, r.id)}",
    addresses: ["daemon_vm.row[0] ", "daemon_vm.row[1] ", "daemon_vm.row[2] "],
  },
  {
    text: '${["x"].map(k, daemon_vm.web[k].id)}',
    addresses: ['daemon_vm.web["x"] id', 'daemon_vm.web["y"] id'],
  },
  { text: '${daemon_vm.web["nope"].id}', addresses: [] },
  { text: "${daemon_vm.row[3].id}", addresses: [] },
  { text: "${daemon_vm.missing.id}", addresses: [] },
  { text: "${daemon_vm.none}", addresses: [] },
  { text: "${vars.team}", addresses: [] },
  { text: "${data.daemon_vms.all.ids}", addresses: ["data.daemon_vms.all ids"] },
  {
    text: "${data.daemon_vms.tagged[each.key].ids}",
    addresses: ['data.daemon_vms.tagged["x"] ids'],
  },
];

describe("referencesOf", () => {
  it.each(cases)("$text", ({ text, references }) => {
    expect(referencesOf(template(text))).toEqual(references);
  });
});

describe("concreteReferences", () => {
  it.each(concrete)("$text", ({ text, addresses }) => {
    const found = concreteReferences(template(text), scope);
    expect(found.map(({ address, attribute = "" }) => `${address} ${attribute}`)).toEqual(
      addresses,
    );
  });

  it("gives what is read of a resource as a whole, however often it branches", () => {
    const branches = Array.from(
      { length: 60 },
      (_, depth) => `.map(v${depth}, true ? v${depth} : [v${depth}, v${depth}])`,
    );
    const found = concreteReferences(template(`\${daemon_vm.row${branches.join("")}}`), scope);
    expect(found.map(({ reads }) => reads)).toEqual([undefined, undefined, undefined]);
  });

  it("places resources in the module of the scope", () => {
    const inModule = { ...scope, modules: [{ name: "lab", key: 0 }] };
    const found = concreteReferences(template("${daemon_vm.a.id}"), inModule);
    expect(found).toEqual([{ address: "module.lab[0].daemon_vm.a", attribute: "id" }]);
  });
});

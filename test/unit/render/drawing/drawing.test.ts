/** Graphs in both forms: what was accepted, stable order, and labels that cannot break out. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  drawingJson,
  operationDrawing,
  resourceDrawing,
} from "../../../../src/render/drawing/drawing.ts";
import { dotText, mermaidText } from "../../../../src/render/drawing/drawing-text.ts";
import { loadSound } from "../../../helpers/load-config.ts";
import { buildOperation, buildPlan } from "../../../helpers/plan-builder.ts";
import { planCases } from "../plan-cases.ts";

const golden = new URL("../../../golden/drawings/", import.meta.url);
const configuration = loadSound(`
data:
  daemon_vms.all: { tags: [x], depends_on: [daemon_vm.base] }
resources:
  daemon_vm.app:
    for_each: [a, 'b "quoted"']
    id: "app-\${each.key}"
    parent_id: \${daemon_vm.base.id}
    depends_on: [daemon_vm.db]
  daemon_shared_folder.src:
    vm_id: \${daemon_vm.app["a"].id}
    guest_path: src
    host_path: /srv
  daemon_vm.base: { id: base }
  daemon_vm.db: { id: "db-\${count.index}", count: 2, tag: "\${data.daemon_vms.all.vm_count}" }
`);
const drawings = {
  resources: resourceDrawing(configuration),
  "power-cycle": operationDrawing(planCases["power-cycle"] ?? buildPlan()),
  "every-action": operationDrawing(planCases["every-action"] ?? buildPlan()),
  empty: resourceDrawing({ instances: [], data: [] }),
};

describe.each(Object.entries(drawings))("%s", (name, drawing) => {
  test.each([
    ["dot", () => dotText(drawing)],
    ["mmd", () => mermaidText(drawing)],
    ["json", () => JSON.stringify(drawingJson(drawing), undefined, 2)],
  ])("as %s", async (form, render) => {
    const file = new URL(`${name}.${form}`, golden).pathname;
    await expect(`${render()}\n`).toMatchFileSnapshot(file);
  });
});

test("a resource is one node, however many instances it has, and edges are not repeated", () => {
  const { nodes, edges } = drawings.resources;
  expect(nodes.map(({ id }) => id)).toEqual([
    "daemon_vm.app",
    "daemon_shared_folder.src",
    "daemon_vm.base",
    "daemon_vm.db",
    "data.daemon_vms.all",
  ]);
  expect(edges.map(({ from, to }) => `${from} ${to}`)).toEqual([
    "daemon_vm.app daemon_vm.base",
    "daemon_vm.app daemon_vm.db",
    "daemon_shared_folder.src daemon_vm.app",
    "daemon_vm.db daemon_vm.base",
    "daemon_vm.db data.daemon_vms.all",
    "data.daemon_vms.all daemon_vm.base",
  ]);
});

test("the kinds of edges are drawn differently", () => {
  const edges = (["success", "settled", "failure"] as const).map((on) => ({ id: "first", on }));
  const [first, then] = [
    buildOperation("daemon_vm.a", "on", { id: "first" }),
    buildOperation("daemon_vm.a", "off", {
      id: "then",
      order: { after: edges },
    }),
  ];
  const drawing = operationDrawing(buildPlan({ operations: [then, first] }));
  const drawn = (text: string, arrow: RegExp): readonly string[] =>
    text.split("\n").filter((line) => arrow.test(line));
  for (const lines of [
    drawn(dotText(drawing), /"first" -> "then"/),
    drawn(mermaidText(drawing), /n0 \S.* n1/),
  ]) {
    expect(new Set(lines).size).toBe(3);
  }
});

test("no text breaks out of its label", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (summary) => {
      const operation = buildOperation("daemon_vm.a", "on", { summary });
      const drawing = operationDrawing(buildPlan({ operations: [operation] }));
      const plain = operationDrawing(
        buildPlan({ operations: [{ ...operation, summary: "plain" }] }),
      );
      const [dot, mermaid] = [dotText(drawing), mermaidText(drawing)];
      expect(dot.split("\n")).toHaveLength(dotText(plain).split("\n").length);
      expect(mermaid.split("\n")).toHaveLength(mermaidText(plain).split("\n").length);
      // Quotes are closed on every line, escaped characters aside.
      for (const line of dot.split("\n")) {
        expect(line.replaceAll(/\\./g, "").split('"').length % 2).toBe(1);
      }
      const label = /n0\["(.*)"\]$/m.exec(mermaid)?.[1] ?? "";
      expect(label.replace("<br/>", "")).not.toMatch(/["<>`&]/);
    }),
  );
});

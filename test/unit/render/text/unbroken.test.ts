/** What is to be pasted stands on one line, at any width; everything else is wrapped. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { diagnosticText } from "../../../../src/render/text/diagnostic-text.ts";
import { renderLines, textLine } from "../../../../src/render/text/styled-line.ts";
import { unbrokenStretches } from "../../../../src/render/text/unbroken.ts";
import { wrappedColumns } from "../wrapped-columns.ts";

function stretches(text: string): readonly string[] {
  return unbrokenStretches(text).map(({ start, end }) => text.slice(start, end));
}

test.each([
  ["Run vmform plan again.", ["vmform plan"]],
  [
    "It is missing: vmform state rm 'daemon_vm.web[\"a b\"]'",
    ["vmform state rm 'daemon_vm.web[\"a b\"]'"],
  ],
  ["vmform state mv daemon_vm.a daemon_vm.b", ["vmform state mv daemon_vm.a daemon_vm.b"]],
  [
    "# to restore: vmform apply --target daemon_vm.a --allow power-off # slowly",
    ["vmform apply --target daemon_vm.a --allow power-off"],
  ],
  ["Add --allow replace,destroy or wait", ["--allow replace,destroy"]],
  [
    "See vmform drift --json, or vmform apply FILE.",
    ["vmform drift --json,", "vmform apply FILE."],
  ],
  [
    "Add: moved: [{ from: 'a_vm.x[0]', to: 'a_vm.x[1]' }, { from: 'a_vm.y', to: 'a_vm.z' }]",
    ["moved: [{ from: 'a_vm.x[0]', to: 'a_vm.x[1]' }, { from: 'a_vm.y', to: 'a_vm.z' }]"],
  ],
  ['set thumbprint: "AB:CD" (its SHA-256)', ['thumbprint: "AB:CD"']],
  ["nothing of that - at all -- here", []],
])("in %s", (text, expected) => {
  expect(stretches(text)).toEqual(expected);
});

const commands = [
  "vmform apply --target 'daemon_vm.web[\"a name with blanks\"]' --allow power-cycle,replace",
  "vmform state mv 'daemon_vm.first[0]' 'module.lab.daemon_vm.second[\"b\"]'",
  "moved: [{ from: 'cloud_vm.very_long_name[2]', to: 'cloud_vm.very_long_name[1]' }]",
  "--allow power-off",
];

test("commands stay whole between words of any length", () => {
  const prose = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { maxLength: 12 });
  const widths = fc.integer({ min: 20, max: 120 });
  const command = fc.constantFrom(...commands);
  fc.assert(
    fc.property(prose, command, prose, widths, (before, pasted, after, width) => {
      const text = [...before, "then", pasted, "#", ...after].join(" ");
      const rows = renderLines([textLine(text)], { color: false, width }).split("\n");
      expect(rows.filter((row) => row.includes(pasted))).toHaveLength(1);
      // Nothing is lost, and only what holds the command may be too wide.
      expect(rows.map((row) => row.trim()).join(" ")).toBe(text);
      for (const row of rows) expect(wrappedColumns(row)).toBeLessThanOrEqual(width);
    }),
  );
});

test.each([40, 80])("in a diagnostic of %i columns", (width) => {
  const fix = `Either forget it: ${commands[1]}, or add: ${commands[2]}`;
  const diagnostic = { severity: "error", code: "PLN003", summary: "Moved", detail: "x" } as const;
  const text = diagnosticText({ ...diagnostic, fix }, { color: false, width });
  for (const pasted of [commands[1], commands[2]]) expect(text).toContain(pasted);
});

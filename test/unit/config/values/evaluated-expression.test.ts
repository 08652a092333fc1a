/** Expressions outside of the configuration: values, what is unknown or secret, and places. */

import { describe, expect, test } from "vitest";
import type { Address } from "../../../../src/model/value/address.ts";
import { unknown } from "../../../../src/model/value/value.ts";
import { loadSound } from "../../../helpers/load-config.ts";

const configuration = loadSound(`
variables:
  team: { type: string, default: web }
  token: { type: string, default: hunter2, sensitive: true }
  sizes: { type: map, default: { a: 1, b: 20 } }
locals:
  prefix: "\${vars.team}-"
  address: "\${daemon_vm.one.ip_address}"
  secret: "\${vars.token}"
resources:
  daemon_vm.one: { id: one }
  daemon_vm.many: { for_each: [x, y], id: "\${each.key}" }
`);
const recorded: { readonly [address: string]: { readonly ip_address: string } } = {
  "daemon_vm.one": { ip_address: "10.0.0.1" },
};
const evaluate = (text: string): ReturnType<typeof configuration.evaluate> =>
  configuration.evaluate(text, (address: Address) => recorded[address]);

test.each<readonly [string, unknown]>([
  ["1 + 2", 3],
  ['vars.team + "-x"', "web-x"],
  ["locals.prefix", "web-"],
  ["vars.sizes.a < vars.sizes.b", true],
  ["vars.sizes", { a: 1, b: 20 }],
  ["daemon_vm.one.ip_address", "10.0.0.1"],
  ["locals.address", "10.0.0.1"],
  ['daemon_vm.many["x"].id', unknown],
  ['"}" + "{"', "}{"],
  ["${vars.team}/${locals.prefix}", "web/web-"],
  ["null", null],
])("%s", (text, value) => {
  expect(evaluate(text)).toEqual({ value, sensitive: false, diagnostics: [] });
});

test.each(["vars.token", "locals.secret + locals.prefix", "size(vars.token)"])(
  "%s is sensitive",
  (text) => {
    const { sensitive, diagnostics } = evaluate(text);
    expect({ sensitive, diagnostics }).toEqual({ sensitive: true, diagnostics: [] });
  },
);

describe("problems", () => {
  test.each([
    ["vars.teem", 1, "Did you mean vars.team?"],
    ["1 +\n  vars.teem", 2, "Did you mean vars.team?"],
    ["vars.team +", 1, undefined],
    ["daemon_vm.many.id", 1, 'Write daemon_vm.many["key"].id.'],
    ['daemon_vm.many["z"].id', 1, 'It has "x", "y".'],
    ["each.key", 1, undefined],
    ["${vars.team", 1, undefined],
    ["", 1, undefined],
    ["vars.team + 1", 1, undefined],
    ["[1][3]", 1, undefined],
  ])("%j", (text, line, fix) => {
    const { value, diagnostics } = evaluate(text);
    expect(value).toBe(unknown);
    expect(diagnostics).toHaveLength(1);
    const [problem] = diagnostics;
    expect(problem?.source).toMatchObject({ file: "expression", line });
    if (fix !== undefined) expect(problem?.fix).toBe(fix);
    expect(JSON.stringify(diagnostics)).not.toContain("hunter2");
  });

  test("the caret stands under the name that is wrong", () => {
    const [problem] = evaluate("[vars.team, vars.teem]").diagnostics;
    expect(problem?.source).toMatchObject({ column: 13, text: "[vars.team, vars.teem]" });
  });

  test("a problem of one expression is none of the next", () => {
    evaluate("vars.teem");
    expect(evaluate("vars.team").value).toBe("web");
  });
});

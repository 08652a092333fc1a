/** Late values of an operation, whose request is made only then. */

import { expect, test } from "vitest";
import { prepare } from "../../../../src/engine/run/late-values.ts";
import { UncarriedCharacter } from "../../../../src/lib/xml/xml-text.ts";
import type { ResourceType } from "../../../../src/model/provider/provider.ts";
import type { Diagnostic } from "../../../../src/model/said/diagnostic.ts";
import type { Address } from "../../../../src/model/value/address.ts";
import type { DeferredValue } from "../../../../src/model/value/expression.ts";
import { readResourceSchema } from "../../../../src/model/value/resource-schema.ts";
import { unknown } from "../../../../src/model/value/value.ts";
import { buildOperation } from "../../../helpers/plan-builder.ts";
import { fakeTypes } from "../../../simulation/fake-types.ts";

const { fake_vm: plain } = fakeTypes;
if (plain === undefined) throw new Error("no VM");

test.each([
  [new UncarriedCharacter("U+0001"), { message: "U+0001" }],
  [new TypeError("a fault"), undefined],
])("a request that cannot be made fails the operation; a fault stays one", async (error, made) => {
  const request = () => {
    throw error;
  };
  const operation = buildOperation("fake_vm.a", "create", {
    request: { inputs: { label: unknown }, deferred: {} },
  });
  const context = {
    ports: {
      types: { fake_vm: { ...plain, request } },
      evaluate: () => ({ value: "", problems: [] }),
    },
    references: async () => () => undefined,
    ledger: { object: () => undefined },
  };
  const prepared = prepare(context, operation);
  if (made === undefined) await expect(prepared).rejects.toBe(error);
  else expect(await prepared).toEqual(made);
});

const late: DeferredValue = {
  ...{ template: "${x}", type: "string", references: [] },
  ...{ scope: {}, pending: {} },
};

test.each([
  ["of a create", "create", "no/slash", { message: '"no/slash" is no label.' }],
  ["of an update", "update", "no/slash", { message: '"no/slash" is no label.' }],
  ["that is right", "update", "plain", { operation: expect.anything() }],
])("a late value %s is held against the type's own check", async (_, verb, value, made) => {
  const check: NonNullable<ResourceType["check"]> = ({ name, label }, address) => [
    // Said without the late value too, since a step does not hold all attributes.
    ...(name === undefined ? [refuse(address, "Set name.")] : []),
    ...(label === "no/slash" ? [refuse(address, `"${label}" is no label.`)] : []),
  ];
  const operation = buildOperation("fake_vm.a", verb, {
    request: { inputs: { label: unknown }, deferred: { label: late } },
  });
  const context = {
    ports: {
      types: { fake_vm: { ...plain, check } },
      evaluate: () => ({ value, problems: [] }),
    },
    references: async () => () => undefined,
    ledger: { object: () => undefined },
  };
  expect(await prepare(context, operation)).toEqual(made);
});

test.each([
  ["of a word that is none", { mode: { type: "string", enum: ["a", "b"] } }, "c", /^mode: .*"?a"?/],
  ["beyond a limit", { mode: { type: "integer", maximum: 4 } }, 5, /^mode: .*<= 4/],
  ["of another type", { mode: { type: "array", items: { type: "string" } } }, [1], /mode: .*text/],
  ["that fits", { mode: { type: "integer", maximum: 4 } }, 4, undefined],
] as const)("a late value %s is held against the schema", async (_, properties, value, wrong) => {
  const schema = readResourceSchema("fake_vm", { type: "object", properties });
  const operation = buildOperation("fake_vm.a", "update", {
    request: { inputs: { mode: unknown }, deferred: { mode: late } },
  });
  const context = {
    ports: {
      types: { fake_vm: { ...plain, schema } },
      evaluate: () => ({ value, problems: [] }),
    },
    references: async () => () => undefined,
    ledger: { object: () => undefined },
  };
  const prepared = await prepare(context, operation);
  expect("message" in prepared).toBe(wrong !== undefined);
  if (wrong !== undefined && "message" in prepared) expect(prepared.message).toMatch(wrong);
});

function refuse(address: Address, detail: string): Diagnostic {
  return { severity: "error", code: "PLN001", summary: "wrong", detail, address };
}

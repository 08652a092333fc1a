/** Late values of an operation, whose request is made only then. */

import { expect, test } from "vitest";
import { prepare } from "../../../../src/engine/run/late-values.ts";
import { UncarriedCharacter } from "../../../../src/lib/xml/xml-text.ts";
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
  };
  const prepared = prepare(context, operation);
  if (made === undefined) await expect(prepared).rejects.toBe(error);
  else expect(await prepared).toEqual(made);
});

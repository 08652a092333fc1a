/** What becomes of the power of a VM when the change that needs it off fails. */

import { expect, test } from "vitest";
import { plan } from "../../../src/plan/plan.ts";
import { vmAddress } from "../../simulation/configuration.ts";
import { configuration, existingVm, inputOf, type Scene, vm } from "./planning.ts";

const off = existingVm(vm("a", { power: "off" }), "off");
const wants = configuration([vm("a", { power: "on", firmware: "new" })]);

/** How the power on waits for the change. */
function edgeBefore(scene: Scene): string | undefined {
  const { operations } = plan(inputOf(scene));
  const change = operations.find(({ verb }) => verb === "set-firmware");
  const on = operations.find(({ verb }) => verb === "on");
  return on?.order.after.find(({ id }) => id === change?.id)?.on;
}

test("a VM that was off stays off", () => {
  expect(edgeBefore({ exists: [off], wants })).toBe("success");
});

test("one that is owed its power gets it, whatever becomes of the change", () => {
  const restores = [{ address: vmAddress("a"), power: "on" as const }];
  expect(edgeBefore({ exists: [off], wants, restores })).toBe("settled");
});

test("one that was turned off for the change comes back", () => {
  const on = existingVm(vm("a", { power: "on" }), "on");
  expect(edgeBefore({ exists: [on], wants })).toBe("settled");
});

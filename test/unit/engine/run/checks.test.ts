/** What is said at the end of an apply of a check that could not be told before. */

import { expect, test } from "vitest";
import type { EnginePorts, Evaluated } from "../../../../src/engine/ports.ts";
import { tellLateChecks } from "../../../../src/engine/run/checks.ts";
import { RemoteError } from "../../../../src/model/operation/remote-error.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import { unknown } from "../../../../src/model/value/value.ts";

const deferred = { template: "", scope: {}, pending: {}, type: "any", references: [] };
const plan = { checks: [{ name: "it", message: "it is odd", deferred }] } as unknown as Plan;

function tell(evaluated: Evaluated, error?: RemoteError) {
  const ports = { evaluate: () => evaluated } as unknown as EnginePorts;
  const references = () =>
    error === undefined ? Promise.resolve(() => undefined) : Promise.reject(error);
  return tellLateChecks(ports, references, plan);
}

test.each<readonly [string, Evaluated, string | undefined]>([
  ["true", { value: true, problems: [] }, undefined],
  ["false", { value: false, problems: [] }, "The check it does not hold: it is odd"],
  ["no boolean", { value: "yes", problems: [] }, "The check it does not hold: it is odd"],
  [
    "not known",
    { value: unknown, problems: [] },
    "The check it cannot be told: a value that it needs is not known yet. The next plan tells it, " +
      "and so does drift.",
  ],
  [
    "a mistake",
    { value: unknown, problems: ["No such key: index 5.", "another"] },
    "The check it cannot be told: No such key: index 5.",
  ],
])("%s", async (_what, evaluated, detail) => {
  const told = await tell(evaluated);
  expect(told.map((one) => one.detail)).toEqual(detail === undefined ? [] : [detail]);
  for (const one of told) expect(one).toMatchObject({ code: "RUN019", severity: "warning" });
});

test("a data source that cannot be read", async () => {
  const error = new RemoteError({ kind: "unavailable", message: "no answer", effect: "none" });
  const told = await tell({ value: true, problems: [] }, error);
  expect(told.map(({ detail }) => detail)).toEqual(["The check it cannot be told: no answer."]);
});

test("a plan without checks", async () => {
  const none = {} as unknown as Plan;
  expect(await tellLateChecks({} as EnginePorts, () => Promise.reject(new Error()), none)).toEqual(
    [],
  );
});

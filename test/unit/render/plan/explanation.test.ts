/** What a plan says of one object: golden texts, and that no operation stands there without why. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { stringifyJson } from "../../../../src/lib/json.ts";
import { compileSchema } from "../../../../src/lib/schema/schema.ts";
import type { DesiredInstance } from "../../../../src/model/plan/desired.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import type { SourcePosition } from "../../../../src/model/said/diagnostic.ts";
import { type Address } from "../../../../src/model/value/address.ts";
import { unknown } from "../../../../src/model/value/value.ts";
import {
  explainPlan,
  type PlanExplanation,
} from "../../../../src/render/plan/explain/explanation.ts";
import { explanationText } from "../../../../src/render/plan/explain/explanation-text.ts";
import { reasonsIn } from "../../../../src/render/plan/explain/operation-reasons.ts";
import { explanationJson } from "../../../../src/render/run/explanation-json.ts";
import { buildChange, buildOperation, buildPlan } from "../../../helpers/plan-builder.ts";
import { address, testTypes as types } from "../../../helpers/recorded-builder.ts";
import { planCases } from "../plan-cases.ts";
import { wrappedColumns } from "../wrapped-columns.ts";

const golden = new URL("../../../golden/explanations/", import.meta.url);

function place(line: number, text: string): SourcePosition {
  return { file: "main.vmform.yaml", line, column: 3, text };
}

/** As the configuration would have it of the VM of the power cycle. */
const web: DesiredInstance = {
  address: address("daemon_vm.web"),
  type: "daemon_vm",
  provider: "daemon",
  source: place(7, "  daemon_vm.web:"),
  placeOf: (name) => (name === "tag" ? place(9, "    tag: new") : undefined),
  order: 0,
  references: [],
  data: [],
  explicitDependencies: [],
  dependencies: [],
  lifecycle: { preventDestroy: true, createBeforeDestroy: false, ignoreChanges: ["name"] },
  triggers: [{ address: address("daemon_vm.base"), attribute: "tag" }],
  timeoutsMs: {},
  resolve: () => ({
    attributes: { id: "web", tag: "new", power: "on" },
    deferred: {},
    diagnostics: [],
  }),
};

function explained(plan: Plan, text: string, instance?: DesiredInstance): PlanExplanation {
  const known = instance === undefined ? {} : { instance };
  return explainPlan(plan, address(text), { types, configurationKnown: false, ...known });
}

const named = (name: string): Plan => planCases[name] ?? buildPlan();

const cases: readonly (readonly [string, PlanExplanation])[] = [
  ["power-cycle", explained(named("power-cycle"), "daemon_vm.web", web)],
  ["content", explained(named("power-cycle"), "daemon_shared_folder.src")],
  ["replaced", explained(named("every-action"), "daemon_vm.again")],
  ["destroyed", explained(named("every-action"), "daemon_vm.gone")],
  ["unchanged", explained(named("imports"), "daemon_vm.db")],
  ["secret", explained(named("secret-requests"), "test_vault.v")],
  ["drifted", explained(named("troubled"), "daemon_vm.db")],
  ["blocked", explained(named("troubled"), "daemon_vm.bad")],
  ["relocated", explained(named("relocations"), "cloud_vm.a")],
  ["hostile", explained(named("hostile"), `daemon_vm.web["\\u001b[2J"]`)],
];

const documents = new URL("../../../../schemas/documents.schema.json", import.meta.url);
const { definitions } = JSON.parse(readFileSync(documents, "utf8")) as { definitions: object };
const check = compileSchema({ definitions, $ref: "#/definitions/explanation" });

describe.each(cases)("explanation %s", (name, explanation) => {
  const widths = [120, 80, 40] as const;

  test.each(widths)("at %i columns", async (width) => {
    const text = explanationText(explanation, { color: false, width });
    for (const line of text.split("\n")) expect(wrappedColumns(line)).toBeLessThanOrEqual(width);
    await expect(`${text}\n`).toMatchFileSnapshot(new URL(`${name}-${width}.txt`, golden).pathname);
  });

  test("as data", async () => {
    const data = explanationJson(explanation);
    expect(check(data)).toEqual([]);
    const text = stringifyJson(data, { indent: 2 });
    await expect(`${text}\n`).toMatchFileSnapshot(new URL(`${name}.json`, golden).pathname);
  });

  test("holds no secret and nothing that is not shown as it is", () => {
    const text = explanationText(explanation, { color: false });
    expect(text + stringifyJson(explanationJson(explanation))).not.toContain("s3cr&t");
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
  });
});

test("each operation of each object stands in its explanation, with a reason", () => {
  for (const plan of Object.values(planCases)) {
    const addresses = new Set<Address>(plan.changes.map((change) => change.address));
    for (const one of addresses) {
      const { operations } = explained(plan, one);
      const own = plan.operations.filter(({ subject }) => subject.address === one);
      const told = new Set(operations.map(({ operation }) => operation.id));
      for (const { id } of own) expect(told).toContain(id);
      for (const { reasons } of operations) expect(reasons.length).toBeGreaterThan(0);
    }
  }
});

test.each<[string, Parameters<typeof buildOperation>[2], string]>([
  [
    "what it refers to",
    {},
    "after daemon_vm.base#create.1: its configuration refers to id of that",
  ],
  [
    "its fallback",
    { order: { fallbackFor: "daemon_vm.base#create.1" } },
    "runs only if daemon_vm.base#create.1 fails",
  ],
  [
    "a pool",
    { order: { pools: ["daemon host"] } },
    "shares the limit of daemon host: not all of it goes on at once",
  ],
])("why: %s", (_what, parts, expected) => {
  const base = buildOperation("daemon_vm.base", "create", { effect: { kind: "create" } });
  const after = [{ id: "join", on: "success" as const }];
  const one = buildOperation("daemon_vm.app", "create", {
    ...parts,
    order: { after, ...parts?.order },
    record: { dependencies: [address("daemon_vm.base")] },
  });
  const reasons = reasonsIn(
    { operations: [base, one], joins: [{ id: "join", after: [{ id: base.id, on: "success" }] }] },
    {
      references: [{ address: address("daemon_vm.base"), attribute: "id" }],
      explicitDependencies: [],
    },
  );
  expect(reasons(one)).toContain(expected);
  expect(reasons(base)).toEqual(["waits for nothing: it may begin at once"]);
});

test("an attribute that is known after apply has its expression, and a secret none", () => {
  const plan = buildPlan({
    changes: [
      buildChange("test_vault.v", {
        action: "create",
        after: { id: "v", note: unknown, password: unknown },
      }),
    ],
    operations: [
      buildOperation("test_vault.v", "create", {
        request: {
          deferred: {
            note: { template: "${a.note}", scope: {} },
            password: { template: "${a.s3cret}", scope: {} },
          } as never,
        },
      }),
    ],
  });
  const text = explanationText(explained(plan, "test_vault.v"), { color: false });
  expect(text).toContain("planned    (known after apply) # ${a.note}");
  expect(text).not.toContain("s3cret");
});

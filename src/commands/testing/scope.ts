/** What conditions of a test see of a run that has ended. */

import { noResources, type Scope, stepPath, valuePath } from "../../expressions/evaluate/scope.ts";
import type { Plan, PlannedOutput } from "../../model/plan/plan.ts";
import type { DataRegistry, TypeRegistry } from "../../model/provider/provider.ts";
import type { RecordedOutput } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import {
  isList,
  isMap,
  type PlannedAttributes,
  type PlannedValue,
  type ValueMap,
} from "../../model/value/value.ts";
import { subjectsOf } from "../../plan/policies/subjects.ts";

/** Where something is absent, no condition can name it. */
export type TestValues = {
  readonly plan?: Plan;
  /** Of a plan what is planned, after an apply what is recorded. */
  readonly outputs?: readonly (PlannedOutput | RecordedOutput)[];
  readonly drift?: ValueMap;
  readonly state?: ValueMap;
  readonly problems: readonly Diagnostic[];
  /** Those of this run. */
  readonly requests: readonly ValueMap[];
  readonly world: ValueMap;
};

export function scopeOf(values: TestValues, types: TypeRegistry, dataTypes: DataRegistry): Scope {
  const { plan, outputs, drift, state, requests, world } = values;
  const roots: { [root: string]: PlannedAttributes } = {
    problems: problemsRoot(values.problems),
    requests: requestsRoot(requests),
    world,
  };
  const sensitive = new Set(secretsIn(world, "world"));
  if (plan !== undefined) {
    roots["plan"] = planValues(plan, types);
    for (const path of secretsOfPlan(plan, types, dataTypes)) sensitive.add(path);
  }
  if (outputs !== undefined) {
    roots["outputs"] = Object.fromEntries(
      outputs.map((output) => [output.name, "value" in output ? output.value : output.after]),
    );
    for (const output of outputs) {
      if (output.sensitive) sensitive.add(valuePath("outputs", output.name));
    }
  }
  if (drift !== undefined) roots["drift"] = drift;
  if (state !== undefined) roots["state"] = state;
  return {
    values: roots,
    resources: noResources,
    sensitive,
    doubles: new Set(),
    pending: {},
  };
}

/** As policies see it. */
function planValues(plan: Plan, types: SchemaRegistry): PlannedAttributes {
  const root = subjectsOf(plan, types).plan[0]?.subject.values["plan"];
  if (root === undefined) throw new Error("a plan has no subject of its own");
  return root;
}

function problemsRoot(problems: readonly Diagnostic[]): PlannedAttributes {
  const told = (items: readonly Diagnostic[]): readonly PlannedAttributes[] =>
    items.map(({ severity, code, summary, detail, fix, address, source }) => ({
      ...{ severity, code, summary, detail, fix: fix ?? null, address: address ?? null },
      ...{ file: source?.file ?? null, line: source?.line ?? null },
    }));
  return {
    all: told(problems),
    errors: told(problems.filter(({ severity }) => severity === "error")),
    warnings: told(problems.filter(({ severity }) => severity === "warning")),
  };
}

function requestsRoot(requests: readonly ValueMap[]): PlannedAttributes {
  const of = (word: string) => requests.filter((request) => request["class"] === word);
  return { all: requests, session: of("session"), read: of("read"), mutate: of("mutate") };
}

/** Paths of sensitive attributes, counted as `planValues` lists them. */
function secretsOfPlan(
  plan: Plan,
  types: TypeRegistry,
  dataTypes: DataRegistry,
): readonly string[] {
  const changes = plan.changes.filter(({ action }) => action !== "no-op");
  const operations = plan.operations.filter(({ request }) => request.preview !== undefined);
  const at = (list: string, index: number, ...steps: readonly string[]): string =>
    steps.reduce(stepPath, stepPath(valuePath("plan", list), index));
  return [
    ...changes.flatMap(({ type, attributes }, index) => {
      const marked = attributes.flatMap(({ attribute, sensitive }) =>
        sensitive ? [attribute] : [],
      );
      return [...secretNames(types[type]), ...marked].flatMap((name) => [
        at("changes", index, "before", name),
        at("changes", index, "after", name),
      ]);
    }),
    ...operations.flatMap(({ subject: { type } }, index) =>
      secretNames(types[type]).map((name) => at("operations", index, "inputs", name)),
    ),
    ...plan.data.flatMap(({ type }, index) =>
      secretNames(dataTypes[type]).map((name) => at("data", index, "attributes", name)),
    ),
  ];
}

function secretNames(type: { readonly schema: SchemaRegistry[string]["schema"] } | undefined) {
  const attributes = Object.values(type?.schema.attributes ?? {});
  return attributes.flatMap(({ name, sensitive }) => (sensitive ? [name] : []));
}

/** What lets in, by the names that members of worlds have. */
function secretsIn(value: PlannedValue, path: string): readonly string[] {
  if (isList(value)) {
    return value.flatMap((item: PlannedValue, index) => secretsIn(item, stepPath(path, index)));
  }
  if (!isMap(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const own = stepPath(path, name);
    return /password|secret|token/i.test(name) ? [own] : secretsIn(member, own);
  });
}

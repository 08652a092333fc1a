/** Checks of the pure half of a resource type: no session is opened for them. */

import { compileSchema } from "../lib/schema/schema.ts";
import type { ResourceType } from "../model/provider/provider.ts";
import { equalValues, type PlannedAttributes, unknown, type Value } from "../model/value/value.ts";
import { hold, type TypeSample } from "./harness.ts";

type PureCheck = {
  readonly id: string;
  readonly says: string;
  readonly run: (type: ResourceType, sample: TypeSample, settings: Value) => void;
};

export const pureChecks: readonly PureCheck[] = [
  { id: "sample-fits", says: "the sample fits its schema", run: sampleFits },
  { id: "key-is-identity", says: "its key, and nothing else, makes its identity", run: keyed },
  { id: "planning-is-pure", says: "planning twice gives the same", run: pure },
  { id: "unknown-is-planned", says: "values known after apply can be planned", run: planned },
  { id: "steps-are-whole", says: "each step can be previewed, proved and limited", run: whole },
];

function inputsOf({ create, existing }: TypeSample): PlannedAttributes {
  return create ?? existing?.wanted ?? {};
}

function sampleFits({ schema }: ResourceType, sample: TypeSample): void {
  const problems = compileSchema(schema.json)({ ...inputsOf(sample), ...sample.update });
  hold(problems.length === 0, `the sample does not fit: ${JSON.stringify(problems)}`);
}

function keyed(type: ResourceType, { create }: TypeSample): void {
  if (type.ownership === "attached" || create === undefined) return;
  const identity = type.identityOf(create);
  hold(typeof identity === "string" && identity !== "", "the sample has no identity");
  const all = Object.values(type.schema.attributes);
  const keys = all.filter(({ key, name }) => key && create[name] !== undefined);
  hold(keys.length > 0, "no attribute of its schema is marked as key");
  for (const { name } of all) {
    if (create[name] === undefined) continue;
    const other = type.identityOf({ ...create, [name]: unknown });
    const isKey = keys.some((key) => key.name === name);
    if (isKey) hold(other === undefined, `it has an identity although ${name} is not known`);
    else hold(other === identity, `its identity depends on ${name}, which is no key`);
  }
}

/** Everything that planning asks, as one text. */
function plan(type: ResourceType, sample: TypeSample, settings: Value): string {
  const inputs = inputsOf(sample);
  const identity = type.identityOf(inputs) ?? sample.existing?.identity ?? "sample";
  const steps =
    sample.create === undefined ? [] : type.lower({ action: "create", identity, inputs });
  const requests = steps.map(({ verb, request }) => [
    type.request(verb, identity, request.inputs),
    type.limitMs(verb, request.inputs),
  ]);
  const entity = type.entity(identity, settings);
  return JSON.stringify([type.identityOf(inputs), entity, steps, requests]);
}

function pure(type: ResourceType, sample: TypeSample, settings: Value): void {
  hold(plan(type, sample, settings) === plan(type, sample, settings), "it is not the same again");
}

function planned(type: ResourceType, { create }: TypeSample): void {
  if (create === undefined) return;
  const identity = type.identityOf(create) ?? "sample";
  for (const { name, key, planTime, computed } of Object.values(type.schema.attributes)) {
    if (key || planTime || computed || create[name] === undefined) continue;
    const inputs = { ...create, [name]: unknown };
    for (const { verb, request } of type.lower({ action: "create", identity, inputs })) {
      type.request(verb, identity, request.inputs);
      type.limitMs(verb, request.inputs);
    }
  }
}

function whole(type: ResourceType, { create }: TypeSample): void {
  if (create === undefined || type.recordOnly === true) return;
  const identity = type.identityOf(create) ?? "sample";
  const steps = type.lower({ action: "create", identity, inputs: create });
  hold(
    steps.some(({ effect }) => effect === "create"),
    "no step of a create has the effect create",
  );
  for (const { verb, request, proof } of steps) {
    const preview = type.request(verb, identity, request.inputs);
    hold(preview !== undefined, `the step ${verb} has no request that can be shown`);
    const again = type.request(verb, identity, request.inputs);
    hold(equalValues({ ...preview }, { ...again }), `the request of ${verb} is another each time`);
    const isProved = proof.expect.length > 0 || proof.unobservable === true;
    hold(isProved, `the step ${verb} expects nothing, so nobody can tell whether it was done`);
    const limit = type.limitMs(verb, request.inputs);
    hold(Number.isFinite(limit) && limit > 0, `the step ${verb} has no time limit`);
  }
}

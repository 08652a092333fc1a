/** A configuration without a circle gives a plan without one, whatever was there before. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Desired, DesiredInstance } from "../../../src/model/plan/desired.ts";
import type { Address } from "../../../src/model/value/address.ts";
import type { Attributes, Value } from "../../../src/model/value/value.ts";
import { plan } from "../../../src/plan/plan.ts";
import { dataRegistry, settingsSchemas, typeRegistry } from "../../../src/providers/registry.ts";
import { configuration, type RandomConfiguration, toYaml } from "../../e2e/random-configuration.ts";
import { amount } from "../../helpers/amount.ts";
import { loadSound } from "../../helpers/load-config.ts";
import { recordedObject } from "../../helpers/recorded-builder.ts";
import { type Existing, inputOf } from "./planning.ts";

const types = typeRegistry();
const registries = { types, dataTypes: dataRegistry(), providerSettings: settingsSchemas() };

const load = (yaml: string): Desired => loadSound(yaml, registries);

type Seen = Map<Address, Attributes>;

/** What stands after the configuration was applied. */
function applied({ instances }: Desired): readonly Existing[] {
  const seen: Seen = new Map();
  const standing: Existing[] = [];
  let left = [...instances];
  while (left.length > 0) {
    const ready = left.filter(({ dependencies }) => dependencies.every((one) => seen.has(one)));
    if (ready.length === 0) throw new Error("the configuration has a circle");
    left = left.filter((one) => !ready.includes(one));
    standing.push(...ready.map((instance) => stand(instance, seen)));
  }
  return standing;
}

/** As a refresh finds it; of what is off, most cannot be read. */
function stand(instance: DesiredInstance, seen: Seen): Existing {
  const { address, type, dependencies, timeoutsMs, provider } = instance;
  const inputs = instance.resolve((one) => seen.get(one)).attributes;
  const identity = types[type]?.identityOf(inputs) ?? "";
  const isVm = type === "daemon_vm";
  const { vm_id: holder } = inputs;
  const power = isVm ? (inputs.power ?? "off") : powerOf(seen, holder);
  const attributes = isVm ? vmAttributes(inputs, power, seen.size) : inputs;
  seen.set(address, { ...inputs, ...attributes });
  const record = recordedObject(address, {
    ...{ type, provider, identity, applied: inputs, attributes, dependencies, timeoutsMs },
    ...(typeof holder === "string" ? { container: { type: "daemon_vm", identity: holder } } : {}),
    preventDestroy: false,
  });
  if (isVm || power === "on") {
    return { record, observation: { status: "found", identity, attributes, unreadable: {} } };
  }
  const observation = { status: "unreadable", rule: "by rule", reason: "its VM is off" } as const;
  return { record, observation };
}

function vmAttributes(inputs: Attributes, power: Value, count: number): Attributes {
  const { id = null, name = id, tag = "" } = inputs;
  const told = { name, tag, ip_address: `10.0.0.${count + 1}` };
  return { id, power_state: power, ...(power === "on" ? told : {}) };
}

function powerOf(seen: Seen, id: Value | undefined): Value {
  return [...seen.values()].find((one) => one.id === id)?.power_state ?? "off";
}

function errorsOf(first: RandomConfiguration, second: RandomConfiguration): readonly string[] {
  const origin = "http://127.0.0.1:1";
  const exists = first.length === 0 ? [] : applied(load(toYaml(origin, first)));
  const desired = load(toYaml(origin, second));
  const settings = new Map(desired.providers.map((one) => [one.name, one.settings]));
  const made = plan(inputOf({ exists, desired, input: { types, settings } }));
  return made.diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, detail }) => `${code} ${detail}`);
}

test("from any random configuration to any other", () => {
  fc.assert(
    fc.property(configuration, configuration, (first, second) => {
      expect(errorsOf(first, second)).toEqual([]);
    }),
    { numRuns: Number(process.env.VMFORM_FC_RUNS ?? amount(25, 500)) },
  );
});

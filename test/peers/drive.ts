/** The provider of host management, driven as planning and applying drive it, over real HTTP. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { AttributeExpectation } from "../../src/model/operation/expectation.ts";
import type { PreparedOperation } from "../../src/model/operation/operation.ts";
import type { Observation, Wanted } from "../../src/model/provider/observation.ts";
import type {
  LoweredStep,
  ProviderSession,
  TaskStatus,
} from "../../src/model/provider/provider.ts";
import { toAddress } from "../../src/model/value/address.ts";
import {
  type Attributes,
  isKnown,
  type PlannedAttributes,
  type Value,
} from "../../src/model/value/value.ts";
import { managerProvider } from "../../src/providers/manager/provider.ts";
import { typeRegistry } from "../../src/providers/registry.ts";
import { providerPorts, testPorts } from "../helpers/http-ports.ts";
import { recordedObject } from "../helpers/recorded-builder.ts";
import { password, user } from "./vcsim.ts";

export type Driver = {
  readonly session: ProviderSession;
  /** Methods of the requests since the last call of this, as `Login`. */
  methods(): readonly string[];
  /** Of an object that is looked up by its name, or recorded by its identity. */
  wanted(type: string, name: string | undefined, identity?: string): Wanted;
  /** By identity, or by what it is looked up by. Throws an error unless it is found. */
  find(type: string, by: string | Attributes, attributes?: readonly string[]): Promise<Found>;
  /** As `find`, whatever was observed. */
  observe(type: string, by: string | Attributes): Promise<Observation>;
  /** One operation, its task followed to its end; throws an error when it fails. */
  send(type: string, verb: string, identity: string, inputs?: Attributes): Promise<void>;
  /**
   * Reads the object, asks for facts, lowers the change, does every step, and answers what is read
   * afterwards. Expects no objection that is an error, and what the steps expect.
   */
  change(type: string, identity: string, wanted: Attributes): Promise<Found>;
};

export type Found = Extract<Observation, { status: "found" }>;

export async function openDriver(origin: string, settings: Attributes = {}): Promise<Driver> {
  const clock = { now: () => Date.now(), sleep: (ms: number) => sleep(ms) };
  const ports = testPorts({ clock });
  const provider = managerProvider.create(providerPorts(ports));
  const session = await provider.open({ url: origin, user, password, ...settings });

  const observe = async (
    type: string,
    by: string | Attributes,
    attributes: readonly string[] = [],
  ): Promise<Observation> => {
    const object = typeof by === "string" ? { identity: by } : { identity: "", lookup: by };
    const [seen] = await session.read([{ address: addressOf(type), type, attributes, ...object }]);
    if (seen === undefined) throw new Error("nothing was observed");
    return seen;
  };
  const find: Driver["find"] = async (type, by, attributes) => {
    const seen = await observe(type, by, attributes);
    if (seen.status !== "found") throw new Error(`not found: ${JSON.stringify(seen)}`);
    return seen;
  };
  const send: Driver["send"] = async (type, verb, identity, inputs = {}) => {
    const sent = await session.send(operation(type, verb, identity, inputs), Date.now() + 60_000);
    const status = sent.handle === undefined ? undefined : await follow(session, sent.handle);
    if (status?.status === "failed") throw new Error(`${verb} ${identity}: ${status.message}`);
  };
  const change: Driver["change"] = async (type, identity, wanted) => {
    const steps = await lower(session, await find(type, identity, Object.keys(wanted)), {
      type,
      wanted,
    });
    for (const {
      verb,
      request: { inputs },
    } of steps)
      await send(type, verb, identity, known(inputs));
    const after = await find(type, identity, Object.keys(wanted));
    for (const expectation of steps.flatMap((step) => step.proof.expect)) check(expectation, after);
    return after;
  };
  return {
    session,
    methods: () =>
      ports.records
        .splice(0)
        .map(({ requestBody = "" }) => /<soapenv:Body><(\w+)/.exec(requestBody)?.[1] ?? ""),
    wanted: (type, name, identity = "") => ({
      address: addressOf(type),
      type,
      identity,
      attributes: ["nested_hv_enabled"],
      ...(name === undefined ? {} : { lookup: { name } }),
    }),
    find,
    observe,
    send,
    change,
  };
}

type Change = { readonly type: string; readonly wanted: Attributes };

async function lower(
  session: ProviderSession,
  { identity, attributes }: Found,
  { type, wanted }: Change,
): Promise<readonly LoweredStep[]> {
  const resource = typeRegistry()[type];
  if (resource === undefined) throw new Error(`there is no type ${type}`);
  const changed = Object.keys(wanted);
  const about = { address: addressOf(type), provider: "manager", type, identity, changed };
  const request = { ...about, action: "update", wanted, prior: attributes } as const;
  const [answer] = (await session.facts?.([request])) ?? [];
  if (answer?.status !== "read") throw new Error(`no facts: ${JSON.stringify(answer)}`);
  const prior = recordedObject(`${type}.x`, { type, provider: "manager", identity, attributes });
  const action = { action: "update", identity, inputs: wanted, changed, prior } as const;
  const objections = resource.objections?.({ ...action, facts: answer.facts }) ?? [];
  expect(objections.filter(({ severity }) => severity === "error")).toEqual([]);
  return resource.lower({ ...action, facts: answer.facts });
}

function check(expectation: AttributeExpectation, { attributes }: Found): void {
  if ("equals" in expectation) {
    expect(attributes[expectation.attribute]).toEqual(expectation.equals);
  } else if ("atLeast" in expectation) {
    expect(attributes[expectation.attribute]).toBeGreaterThanOrEqual(Number(expectation.atLeast));
  } else throw new Error(`what is expected cannot be checked: ${JSON.stringify(expectation)}`);
}

/** How a task has ended. */
export async function follow(session: ProviderSession, handle: Value): Promise<TaskStatus> {
  for (;;) {
    const status = await session.poll?.(handle);
    if (status === undefined) throw new Error("tasks cannot be followed");
    if (status.status !== "running") return status;
    await sleep(20);
  }
}

export function operation(
  type: string,
  verb: string,
  identity: string,
  inputs: Attributes = {},
): PreparedOperation {
  return {
    id: `${type}.x#${verb}.1`,
    subject: {
      address: addressOf(type),
      type,
      provider: "manager",
      objectKey: "current",
      identity,
    },
    verb,
    effect: { kind: "update" },
    summary: "",
    request: { inputs, repeat: "safe" },
    record: { applied: {}, dependencies: [], timeoutsMs: {} },
    order: { after: [], locks: [], pools: [], long: false },
    disrupts: [],
    proof: { expect: [], unobservable: false, lagging: false, limitMs: 60_000, readBack: [] },
  };
}

function addressOf(type: string) {
  const address = toAddress(`${type}.x`);
  if (address === undefined) throw new Error(`${type} gives no address`);
  return address;
}

/** Inputs of a step, in which the facts leave nothing open. */
function known(inputs: PlannedAttributes): Attributes {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => {
      if (!isKnown(value)) throw new Error(`${name} is not known`);
      return [name, value];
    }),
  );
}

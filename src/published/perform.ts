/** Does changes as the engine does them: step by step, each followed until its effect is read. */

import type { AttributeExpectation } from "../model/operation/expectation.ts";
import type { PreparedOperation } from "../model/operation/operation.ts";
import type { Observation } from "../model/provider/observation.ts";
import type {
  LoweredStep,
  LowerRequest,
  ProviderSession,
  ResourceType,
  SendResult,
} from "../model/provider/provider.ts";
import type { RecordedObject } from "../model/recorded/recorded.ts";
import type { Address } from "../model/value/address.ts";
import {
  type Attributes,
  equalValues,
  isKnown,
  type PlannedAttributes,
} from "../model/value/value.ts";
import { hold } from "./harness.ts";

export type Found = Extract<Observation, { status: "found" }>;

/** A type at work in an open session. */
export type Work = {
  readonly type: ResourceType;
  readonly session: ProviderSession;
  readonly settleMs: number;
};

/** What an object is asked for by. */
export type Asked = { readonly identity?: string; readonly lookup?: Attributes };

export async function readOne({ type, session }: Work, asked: Asked): Promise<Observation> {
  const [observation] = await session.read([wantedOf(type, asked)]);
  hold(observation !== undefined, "one object was asked for, and nothing was answered");
  return observation;
}

export function wantedOf(type: ResourceType, { identity = "", lookup }: Asked) {
  const { name, schema } = type;
  const attributes = Object.values(schema.attributes).filter((one) => !one.local && !one.sensitive);
  return {
    address: addressOf(type),
    type: name,
    identity,
    attributes: attributes.map((one) => one.name),
    ...(lookup === undefined ? {} : { lookup }),
  };
}

function addressOf({ name }: ResourceType): Address {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of a type's name
  return `${name}.sample` as unknown as Address;
}

/** The object as it would be recorded. */
export function recordOf(type: ResourceType, found: Found, applied: Attributes): RecordedObject {
  const container = containerOf(type, found.identity);
  return {
    address: addressOf(type),
    objectKey: "current",
    type: type.name,
    provider: providerOf(type),
    identity: found.identity,
    status: "ready",
    applied,
    attributes: found.attributes,
    dependencies: [],
    timeoutsMs: {},
    ...(container === undefined ? {} : { container }),
  };
}

function providerOf({ name }: ResourceType): string {
  return name.split("_", 1)[0] ?? name;
}

function containerOf({ container }: ResourceType, identity: string) {
  if (container === undefined) return undefined;
  const of = container.of ?? ((text: string) => text.split("/", 1)[0] ?? text);
  return { type: container.type, identity: of(identity) };
}

/** With facts, where the type asks for them. */
export async function stepsOf(work: Work, change: LowerRequest): Promise<readonly LoweredStep[]> {
  const { type, session } = work;
  if (type.needsFacts !== true || change.action === "delete") return type.lower(change);
  const [answer] =
    (await session.facts?.([
      {
        address: addressOf(type),
        provider: providerOf(type),
        type: type.name,
        action: change.action,
        identity: change.identity,
        wanted: known(change.inputs),
        changed: change.action === "update" ? change.changed : [],
        prior: change.action === "update" ? change.prior.attributes : {},
      },
    ])) ?? [];
  hold(answer?.status === "read", `no facts: ${JSON.stringify(answer)}`);
  return type.lower({ ...change, facts: answer.facts });
}

function known(attributes: PlannedAttributes): Attributes {
  const entries = Object.entries(attributes).flatMap(([name, value]) =>
    isKnown(value) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** Does all steps of a change and waits for the effect of each. */
export async function perform(work: Work, change: LowerRequest): Promise<void> {
  for (const step of await stepsOf(work, change)) {
    await follow(work, await sendStep(work, change.identity, step));
    await settled(work, change.identity, step);
  }
}

export async function sendStep(
  { type, session }: Work,
  identity: string,
  step: LoweredStep,
): Promise<SendResult> {
  const operation = operationOf(type, identity, step);
  return session.send(operation, Date.now() + operation.proof.limitMs);
}

function operationOf(type: ResourceType, identity: string, step: LoweredStep): PreparedOperation {
  const container = containerOf(type, identity);
  const inputs = known(step.request.inputs);
  const preview = type.request(step.verb, identity, inputs);
  const limitMs = type.limitMs(step.verb, inputs);
  return {
    id: `${addressOf(type)}#${step.verb}.1`,
    verb: step.verb,
    summary: step.summary,
    disrupts: step.disrupts ?? [],
    subject: {
      address: addressOf(type),
      type: type.name,
      provider: providerOf(type),
      objectKey: "current",
      identity,
      ...(container === undefined ? {} : { container }),
    },
    effect:
      step.effect === "power" || step.effect === "wait" ? { kind: "wait" } : { kind: step.effect },
    request: { ...step.request, inputs, ...(preview === undefined ? {} : { preview }) },
    order: { after: [], locks: [], pools: step.order?.pools ?? [], long: false },
    proof: { unobservable: false, lagging: false, readBack: [], ...step.proof, limitMs },
    record: { applied: known(step.applied), dependencies: [], timeoutsMs: {} },
  };
}

/** Until its remote task has ended well. */
export async function follow({ session, settleMs }: Work, { handle }: SendResult): Promise<void> {
  if (handle === undefined) return;
  const untilMs = Date.now() + settleMs;
  for (;;) {
    const status = await session.poll?.(handle);
    hold(status !== undefined, "a handle was answered, and the session has no poll");
    if (status.status === "success" || status.status === "vanished") return;
    hold(status.status !== "failed", `its task failed: ${JSON.stringify(status)}`);
    hold(Date.now() < untilMs, `its task has not ended in ${settleMs} ms`);
    await pause();
  }
}

async function settled(work: Work, identity: string, { proof, verb }: LoweredStep): Promise<void> {
  if (proof.unobservable === true) return;
  const untilMs = Date.now() + work.settleMs;
  for (;;) {
    const observation = await readOne(work, { identity });
    // What the interface never tells is taken for done.
    if (observation.status === "unreadable" && observation.rule === "by rule") return;
    const open = proof.expect.filter((one) => !isMet(one, observation));
    if (open.length === 0) return;
    const what = JSON.stringify(open);
    const unmet = `after ${verb}, ${what} is not read: ${JSON.stringify(observation)}`;
    hold(Date.now() < untilMs, unmet);
    await pause();
  }
}

function isMet(expected: AttributeExpectation, observation: Observation): boolean {
  if ("existence" in expected) return observation.status === expected.existence;
  if (observation.status !== "found") return false;
  const value = observation.attributes[expected.attribute] ?? null;
  if ("present" in expected) return value !== null;
  if ("equals" in expected) return equalValues(value, expected.equals);
  // Of maps and numbers that grow, whatever is there will do here.
  return value !== null;
}

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
}

/**
 * The pure half of `manager_login_alarm`: an alarm on the root folder. It is asked for by its name,
 * which the manager keeps unique, and recorded by its id, since it may be renamed (specification,
 * section D; wire facts D.5). Its calls are done when they answer: there are no tasks.
 */

import type { AttributeExpectation } from "../../../model/operation/expectation.ts";
import type { RequestPreview } from "../../../model/operation/operation.ts";
import type { LoweredStep, LowerRequest, ResourceType } from "../../../model/provider/provider.ts";
import type { RecordedObject } from "../../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../../model/said/diagnostic.ts";
import type { Address } from "../../../model/value/address.ts";
import {
  type Attributes,
  isUnknown,
  type PlannedAttributes,
  type PlannedValue,
  unknown,
} from "../../../model/value/value.ts";
import { loadSchema } from "../../kit/schema/schema-file.ts";
import { uncarriedText } from "../../kit/xml-texts.ts";
import type { ManagedRef } from "../client/client.ts";
import { node, refNode } from "../client/element.ts";
import { envelopeOf } from "../client/soap.ts";
import { problem } from "../codes.ts";
import { entityKey } from "../machine/vm.ts";
import { alarmIn, alarmSpec, alarmTypeName, loginExpressionText } from "./alarm-spec.ts";

const minuteMs = 60_000;

/** Attributes that can be changed in place. */
const mutable = ["name", "user_name", "enabled", "description"] as const;

export const alarmType: ResourceType = {
  name: alarmTypeName,
  get schema() {
    return loadSchema("resources", alarmTypeName);
  },
  ownership: "owned",
  links: [],
  identityOf: (attributes) => alarmIn(attributes).name,
  entity: (identity, settings) => entityKey(`alarm ${identity}`, settings),
  otherKind,
  due,
  lower,
  request: (verb, _identity, inputs) => request(verb, inputs),
  limitMs: () => 2 * minuteMs,
  check,
};

/** The manager's own id of an alarm. It is what an alarm is recorded as, since names change. */
export function isAlarmId(identity: string): boolean {
  return /^alarm-\d+$/.test(identity);
}

/** The manager keeps alarms of every kind under one list of names, those that it came with too. */
function otherKind(found: Attributes): string | undefined {
  const { user_name: user, expression: watched = "something else" } = alarmIn(found);
  if (user !== undefined) return undefined;
  return `it is no alarm on the logins of one user, but watches ${watched}`;
}

function check(attributes: PlannedAttributes, address: Address): readonly Diagnostic[] {
  const uncarried = uncarriedText(attributes);
  if (uncarried !== undefined) {
    return [problem({ address }, "MGR107", { detail: uncarried, fix: "Take that character out." })];
  }
  const { name } = alarmIn(attributes);
  if (name === undefined || !isAlarmId(name)) return [];
  const detail = `${JSON.stringify(name)} is what the host manager itself calls an alarm.`;
  const fix = "Choose another name.";
  return [problem({ address }, "MGR024", { detail, fix })];
}

/** An expression that is not ours any more, though it may still name the right user. */
function due({ attributes }: RecordedObject, planned: PlannedAttributes): readonly string[] {
  const { user_name: wanted } = alarmIn(planned);
  const { user_name: user, expression } = alarmIn(attributes);
  if (wanted === undefined || expression === undefined) return [];
  return user === wanted && expression !== loginExpressionText(wanted) ? ["expression"] : [];
}

function lower(change: LowerRequest): readonly LoweredStep[] {
  const { identity } = change;
  switch (change.action) {
    case "create": {
      const given = givenInputs(change.inputs, identity);
      const label = JSON.stringify(identity);
      return [
        {
          verb: "create",
          effect: "create",
          summary: `make alarm ${label}`,
          request: { inputs: given, repeat: "unsafe" },
          applied: given,
          proof: { expect: [{ existence: "found" }] },
        },
      ];
    }
    case "update":
      return [reconfigureStep(change)];
    case "delete": {
      const { moref = null, name = identity } = change.prior.attributes;
      const label = JSON.stringify(name);
      return [
        {
          verb: "remove",
          effect: "delete",
          summary: `remove alarm ${label}`,
          request: { inputs: { moref }, repeat: "safe" },
          applied: {},
          proof: { expect: [{ existence: "missing" }] },
        },
      ];
    }
  }
}

type Update = Extract<LowerRequest, { action: "update" }>;

/** The whole alarm is sent: what the configuration leaves open stays as it was read. */
function reconfigureStep({ identity, inputs, changed, prior }: Update): LoweredStep {
  const given = givenInputs(inputs, identity);
  const { description = null, moref = null, name: before = identity } = prior.attributes;
  const { user_name: user } = alarmIn(given);
  const label = JSON.stringify(before);
  const renamed = before === given.name ? "" : `, and name it ${JSON.stringify(given.name)}`;
  const expect: AttributeExpectation[] = mutable
    .filter((attribute) => changed.includes(attribute))
    .map((attribute) => expectationOf(attribute, given[attribute] ?? null));
  if (user !== undefined) {
    expect.push({ attribute: "expression", equals: loginExpressionText(user) });
  }
  // Another alarm that has the new name already is not this one.
  if (changed.includes("name") && moref !== null) {
    expect.push({ attribute: "moref", equals: moref });
  }
  return {
    verb: "reconfigure",
    effect: "update",
    summary: `change alarm ${label}${renamed}`,
    request: { inputs: { description, ...given, moref }, repeat: "safe" },
    applied: given,
    proof: { expect },
  };
}

/** A value that is known only later can be looked for, and not be compared. */
function expectationOf(attribute: string, value: PlannedValue): AttributeExpectation {
  return isUnknown(value) ? { attribute, present: true } : { attribute, equals: value };
}

function givenInputs(inputs: PlannedAttributes, identity: string): PlannedAttributes {
  const { name = identity, user_name: user = null, enabled = null, description = null } = inputs;
  const given: { [attribute: string]: PlannedValue } = {
    name,
    user_name: user,
    enabled: enabled ?? true,
  };
  if (description !== null) given.description = description;
  return given;
}

/** As the preview shows them; a request that is sent names the server's own ids. */
const usualManager: ManagedRef = { type: "AlarmManager", id: "AlarmManager" };
const usualRoot: ManagedRef = { type: "Folder", id: "group-d1" };

function request(verb: string, inputs: PlannedAttributes): RequestPreview | undefined {
  const body = bodyOf(verb, inputs);
  if (body === undefined) return undefined;
  return { method: "POST", path: "/sdk", contentType: "text/xml", body };
}

function bodyOf(verb: string, inputs: PlannedAttributes): PlannedValue | undefined {
  switch (verb) {
    case "create":
      return createEnvelope(inputs, { alarmManager: usualManager, rootFolder: usualRoot });
    case "reconfigure": {
      const spec = alarmSpec(inputs);
      return spec === undefined ? unknown : reconfigureEnvelope(alarmOf(inputs), spec);
    }
    case "remove":
      return removeEnvelope(alarmOf(inputs));
    default:
      return undefined;
  }
}

export function createEnvelope(
  inputs: PlannedAttributes,
  ids: { readonly alarmManager: ManagedRef; readonly rootFolder: ManagedRef },
): PlannedValue {
  const spec = alarmSpec(inputs);
  if (spec === undefined) return unknown;
  return envelopeOf("CreateAlarm", ids.alarmManager, [
    refNode("entity", ids.rootFolder),
    node("spec", spec),
  ]);
}

export function reconfigureEnvelope(
  alarm: ManagedRef,
  spec: NonNullable<ReturnType<typeof alarmSpec>>,
): string {
  return envelopeOf("ReconfigureAlarm", alarm, [node("spec", spec)]);
}

export function removeEnvelope(alarm: ManagedRef): string {
  return envelopeOf("RemoveAlarm", alarm);
}

function alarmOf(inputs: PlannedAttributes): ManagedRef {
  return alarmRef(alarmIn(inputs).moref ?? "");
}

export function alarmRef(id: string): ManagedRef {
  return { type: "Alarm", id };
}

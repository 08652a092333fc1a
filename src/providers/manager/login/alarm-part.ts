/**
 * `manager_login_alarm` as a part of the provider. All alarms of the root folder are listed by one
 * request and read by a second, however many are wanted.
 */

import { attributeOf, textOf } from "../../../lib/xml/xml.ts";
import type { PreparedOperation } from "../../../model/operation/operation.ts";
import type { Observation } from "../../../model/provider/observation.ts";
import type { Discovered, SendResult } from "../../../model/provider/provider.ts";
import type { SurveyedAlarm } from "../../../model/provider/survey.ts";
import { failed, missing, unlistedAmong } from "../../kit/reading.ts";
import { noRequest, notKnown, refusal, unsendable } from "../../kit/refusal.ts";
import type { ManagedRef, ManagerClient } from "../client/client.ts";
import { instantOf, listIn, refNode, textIn } from "../client/element.ts";
import { describeFault } from "../client/fault.ts";
import { envelopeOf } from "../client/soap.ts";
import type { ManagerPart } from "../part.ts";
import {
  alarmRef,
  alarmType,
  createEnvelope,
  isAlarmId,
  reconfigureEnvelope,
  removeEnvelope,
} from "./alarm.ts";
import {
  alarmIn,
  alarmSpec,
  alarmTypeName,
  isLoginAlarm,
  type PresentAlarm,
  readAlarm,
} from "./alarm-spec.ts";

export const alarmPart: ManagerPart = {
  types: [alarmType],
  read: async ({ client }, wanted) => {
    const list = await readAlarms(client);
    return wanted.map(({ identity }) => observe(list, identity));
  },
  send: ({ client }, operation, deadlineMs) => sendAlarm(client, operation, deadlineMs),
  list: { [alarmTypeName]: ({ client }) => listAlarms(client) },
};

async function listAlarms(client: ManagerClient): Promise<readonly Discovered[]> {
  // Where there are no alarms at all, none is unknown; only asking for one is a mistake.
  if (client.content.alarmManager === undefined) return [];
  const { alarms } = await readAlarms(client);
  return alarms
    .filter((alarm) => isLoginAlarm(alarm))
    .map((alarm) => ({ type: alarmTypeName, identity: identityOf(alarm), name: alarm.name }))
    .toSorted((left, right) => (left.identity < right.identity ? -1 : 1));
}

/** Those of logins, for a survey. */
export async function surveyAlarms(client: ManagerClient): Promise<readonly SurveyedAlarm[]> {
  if (client.content.alarmManager === undefined) return [];
  const { alarms } = await readAlarms(client);
  return alarms
    .filter((alarm) => isLoginAlarm(alarm))
    .map(({ id, name, attributes }) => {
      const { user_name: user = "", enabled = true, description } = alarmIn(attributes);
      return { id, name, user, enabled, ...(description === undefined ? {} : { description }) };
    });
}

export type AlarmEdit = {
  /** As it is recorded. */
  readonly alarm: string;
  readonly user: string;
  readonly atMs: number;
};

/** The last of each alarm, where the server names it. Throws `RemoteError`. */
export async function lastEdits(client: ManagerClient): Promise<readonly AlarmEdit[]> {
  const { alarms } = await readAlarms(client);
  return alarms.flatMap((alarm) => {
    const user = textIn(alarm.info, "lastModifiedUser") ?? "";
    const atMs = instantOf(textIn(alarm.info, "lastModifiedTime"));
    return user === "" || atMs === undefined ? [] : [{ alarm: identityOf(alarm), user, atMs }];
  });
}

type AlarmList = {
  readonly alarms: readonly PresentAlarm[];
  /** Why some alarms could not be read: one that is not found may be among them. */
  readonly hidden: string | undefined;
};

/** Throws `RemoteError`; of kind invalid for a single host, which has no alarms. */
async function readAlarms(client: ManagerClient): Promise<AlarmList> {
  const { rootFolder } = client.content;
  const method = "GetAlarm";
  const envelope = envelopeOf(method, managerOf(client), [refNode("entity", rootFolder)]);
  const response = await client.call({ method, envelope, class: "read" });
  const refs = listIn(response, "returnval").map((element) => {
    const [type, id] = [attributeOf(element, "type"), textOf(element).trim()];
    if (type === "Alarm" && id !== "") return alarmRef(id);
    throw refusal("protocol", `${method}: the list names something that is no alarm`);
  });
  if (refs.length === 0) return { alarms: [], hidden: undefined };
  const { objects, gone } = await client.read(refs, { Alarm: ["info"] });
  const alarms: PresentAlarm[] = [];
  let hidden: string | undefined;
  for (const { id } of refs) {
    // Removed since it was listed.
    if (gone.has(id)) continue;
    const info = objects.get(id)?.values.get("info");
    const fault = objects.get(id)?.refused.get("info");
    if (info !== undefined) alarms.push(readAlarm(id, info));
    else
      hidden = `alarm ${id} is not shown${fault === undefined ? "" : `: ${describeFault(fault)}`}`;
  }
  const own = alarms.filter(({ entity = rootFolder.id }) => entity === rootFolder.id);
  return { alarms: own, hidden };
}

function managerOf({ content }: ManagerClient): ManagedRef {
  if (content.alarmManager !== undefined) return content.alarmManager;
  const what = content.isHost ? "is a single host, which has no alarms" : "names no alarm manager";
  const message = `the server (${content.fullName}) ${what}; alarms need a manager of hosts as url`;
  throw refusal("invalid", message);
}

/** By the manager's id once that is known, before by the name; whatever the name is meanwhile. */
function observe({ alarms, hidden }: AlarmList, wanted: string): Observation {
  const alarm = alarms.find(calledBy(wanted));
  if (alarm !== undefined) {
    return {
      status: "found",
      identity: identityOf(alarm),
      attributes: alarm.attributes,
      unreadable: {},
    };
  }
  if (hidden !== undefined) return failed(hidden);
  return missing(`${unlistedAmong(alarms.length, "alarm")} of the root folder`);
}

/** What an alarm is recorded as. */
function identityOf({ id, name }: PresentAlarm): string {
  return isAlarmId(id) ? id : name;
}

function calledBy(identity: string): (alarm: PresentAlarm) => boolean {
  return isAlarmId(identity) ? ({ id }) => id === identity : ({ name }) => name === identity;
}

async function sendAlarm(
  client: ManagerClient,
  { verb, subject: { identity }, request: { inputs }, id }: PreparedOperation,
  deadlineMs: number,
): Promise<SendResult> {
  const call = async (method: string, envelope: unknown): Promise<SendResult> => {
    if (typeof envelope !== "string") throw unsendable(id, notKnown);
    await client.call({ method, envelope, class: "mutate", deadlineMs });
    return {};
  };
  if (verb === "create") {
    const { rootFolder } = client.content;
    const ids = { alarmManager: managerOf(client), rootFolder };
    return call("CreateAlarm", createEnvelope(inputs, ids));
  }
  const alarm = await presentAlarm(client, identity, alarmIn(inputs).moref);
  const ref = alarmRef(alarm.id);
  switch (verb) {
    case "reconfigure": {
      const spec = alarmSpec(inputs, alarm.info);
      return call(
        "ReconfigureAlarm",
        spec === undefined ? undefined : reconfigureEnvelope(ref, spec),
      );
    }
    case "remove":
      return call("RemoveAlarm", removeEnvelope(ref));
    default:
      throw unsendable(id, noRequest);
  }
}

/**
 * The alarm as it is right now, since a change sends all of it back. One that has the same name and
 * is another one is left alone.
 */
async function presentAlarm(
  client: ManagerClient,
  identity: string,
  planned: string | undefined,
): Promise<PresentAlarm> {
  const { alarms, hidden } = await readAlarms(client);
  const wanted = planned ?? identity;
  const alarm = alarms.find(
    planned === undefined ? calledBy(identity) : ({ id }) => id === planned,
  );
  if (alarm !== undefined) return alarm;
  if (hidden !== undefined) throw refusal("forbidden", hidden);
  const other = alarms.find(calledBy(identity));
  const beside = other === undefined ? "" : `; ${other.id} has its name now, and is left alone`;
  throw refusal("not-found", `alarm ${wanted} is not there any more${beside}`);
}

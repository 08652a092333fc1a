/**
 * Who has changed what a host manager has: recent tasks of a VM, the last editor of an alarm, and
 * where neither tells, who has logged in since (wire facts D.3, D.5).
 */

import type {
  ChangeAnswer,
  ChangeQuestion,
  ToldChange,
} from "../../../model/provider/told-change.ts";
import { once } from "../../kit/once.ts";
import {
  answerOf,
  isAfter,
  type TaskKinds,
  toldByTasks,
  unlessWithheld,
} from "../../kit/told-changes.ts";
import { vmRef } from "../client/moref.ts";
import { type AlarmEdit, lastEdits } from "../login/alarm-part.ts";
import { alarmTypeName } from "../login/alarm-spec.ts";
import { type Login, readLogins } from "../login/events.ts";
import { diskParts } from "../machine/disk-identity.ts";
import type { ManagerPorts } from "../part.ts";
import { recentTasks } from "./find-task.ts";

const kinds: TaskKinds = {
  power_state: /^(powerOn|powerOff|suspend|reset|shutdown)/i,
  datastore: /^(relocate|migrate)/i,
  host: /^(relocate|migrate)/i,
  delta_disk_format: /^(relocate|migrate)/i,
  nested_hv_enabled: /^reconfig/i,
  hardware_version: /^(upgrade|reconfig)/i,
  name: /^(rename|reconfig)/i,
  size_gb: /^(reconfig|extend)/i,
  format: /^(reconfig|inflate|eagerZero|relocate)/i,
};
/** Who was there, of each question. */
const loginsMax = 5;

/** Same order, one answer each. */
export async function toldByManager(
  ports: ManagerPorts,
  questions: readonly ChangeQuestion[],
): Promise<readonly ChangeAnswer[]> {
  const { client } = ports;
  const known = questions.flatMap(({ sinceMs }) => sinceMs ?? []);
  const logins = once(() => readLogins(client, Math.min(...known)));
  const edits = once(() => lastEdits(client));
  return Promise.all(
    questions.map(async (question) => {
      const withheld: string[] = [];
      const { type, identity, attributes, sinceMs } = question;
      const changes: ToldChange[] = [];
      if (type === alarmTypeName) {
        const all = await unlessWithheld(edits, withheld);
        changes.push(...all.flatMap((edit) => editOf(question, edit)));
      } else {
        const owner = diskParts(identity)?.vm ?? identity;
        const tasks = await unlessWithheld(() => recentTasks(client, vmRef(owner)), withheld);
        const source = "the recent tasks of the VM";
        changes.push(...toldByTasks(question, tasks, { kinds, owner, source }));
      }
      const explained = new Set(changes.flatMap((change) => change.attributes));
      if (sinceMs !== undefined && attributes.some((name) => !explained.has(name))) {
        const seen = await unlessWithheld(logins, withheld);
        changes.push(...loginsOf(question, seen, client.user));
      }
      return answerOf(changes, withheld);
    }),
  );
}

function editOf(question: ChangeQuestion, { alarm, user, atMs }: AlarmEdit): readonly ToldChange[] {
  if (alarm !== question.identity || !isAfter(question, atMs)) return [];
  const { attributes } = question;
  const source = "the alarm's own record of its last editor";
  return [{ attributes, kind: "edit", user, atMs, what: "", source }];
}

/** The last one of each user that is not our own. */
function loginsOf(
  question: ChangeQuestion,
  logins: readonly Login[],
  own: string,
): readonly ToldChange[] {
  const found = new Map<string, ToldChange>();
  for (const { user, atMs, message = "" } of logins) {
    const isOurs = user.toLowerCase() === own.toLowerCase();
    if (isOurs || found.has(user) || !isAfter(question, atMs)) continue;
    const source = "the login events of the host manager";
    found.set(user, { attributes: [], kind: "login", user, atMs, what: message, source });
  }
  return [...found.values()].slice(0, loginsMax);
}

/** Who has changed VMs of a cloud: tasks of each, and of the organization (wire facts A.5). */

import type { ChangeAnswer, ChangeQuestion } from "../../../model/provider/told-change.ts";
import { once } from "../../kit/once.ts";
import { answerOf, type TaskKinds, toldByTasks, unlessWithheld } from "../../kit/told-changes.ts";
import type { InventoryPorts } from "../inventory/inventory.ts";
import { vmTypeName } from "../vm/names.ts";
import { organizationTasks, vmTasks } from "./find-task.ts";

const power = /^vapp(Deploy|Power|Undeploy|Suspend|Shutdown|DiscardSuspended)/i;
const kinds: TaskKinds = {
  power_state: power,
  deployed: power,
  datastore: /relocate|migrate/i,
  nested_hv_enabled: /nested|^vappUpdateVm$/i,
  hardware_version: /upgrade|^vappUpdateVm$/i,
  name: /rename|^vappUpdateVm$/i,
};

/** Same order, one answer each. */
export async function toldByCloud(
  ports: InventoryPorts,
  questions: readonly ChangeQuestion[],
): Promise<readonly ChangeAnswer[]> {
  const all = once(() => organizationTasks(ports));
  return Promise.all(
    questions.map(async (question) => {
      const { type, identity: owner } = question;
      if (type !== vmTypeName) return { changes: [] };
      const withheld: string[] = [];
      const own = await unlessWithheld(() => vmTasks(ports, owner), withheld);
      const others = await unlessWithheld(all, withheld);
      const changes = toldByTasks(question, [...own, ...others], {
        ...{ kinds, owner, source: "the tasks of the cloud" },
      });
      return answerOf(changes, withheld);
    }),
  );
}

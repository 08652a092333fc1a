/** How faults and the changes of other people end tasks and the requests that begin them. */

import { describe, expect, test } from "vitest";
import type { FaultDocument } from "../../../../src/simulators/faults.ts";
import { failureOf } from "../simulation.ts";
import type { Client } from "./cloud-client.ts";
import { cloudWith, errorOf, vmPath } from "./cloud-client.ts";
import { taskCloud as cloud, datastoreOf, relocate, stateOf, taskPath } from "./task-client.ts";

describe("faults", () => {
  const on = "POST /api/vApp/*/action/relocate";
  const withFault = (fault: Omit<FaultDocument, "on">): Promise<Client> =>
    cloudWith(cloud, { faults: { faults: [{ on, ...fault }] } });

  test.each<readonly [FaultDocument["task"] & {}, string, string, string]>([
    [{ end: "canceled" }, "running 50", "canceled", "slow"],
    [{ end: "aborted" }, "running 50", "aborted", "slow"],
    [{ end: "error", message: "Contact your administrator." }, "running 50", "error", "slow"],
    [{ end: "error", effect: true }, "running 50", "error", "fast"],
    [{ effect: false }, "running 50", "success", "slow"],
    [{ meanwhile: "paused" }, "paused 50", "success", "fast"],
    [{ end: "vanquished" }, "running 50", "vanquished", "slow"],
    [{ lost: true }, "running 50", "403", "fast"],
  ])("the task %j", async (task, meanwhile, end, datastore) => {
    const client = await withFault({ task });
    const reply = await relocate(client);
    expect(reply.status).toBe(202);
    const path = taskPath(reply);
    client.simulators.clock.advance(500);
    expect(await stateOf(client, path)).toBe(meanwhile);
    client.simulators.clock.advance(500);
    expect((await stateOf(client, path)).split(" ")[0]).toBe(end);
    expect(datastoreOf(client)).toBe(datastore);
    if (task.message !== undefined) {
      expect((await client.send(`GET ${path}`)).text).toContain(task.message);
      expect((await client.send(`GET ${vmPath(client, "web")}`)).text).toContain(task.message);
    }
    expect((await relocate(client)).status).toBe(202);
  });

  test("busy, any refusal, a lost reply and a foreign page", async () => {
    const busy = await withFault({ busy: true });
    expect(errorOf(await relocate(busy)).slice(0, 2)).toEqual([400, "BUSY_ENTITY"]);
    const refusal = { status: 403, minor_code: "ACCESS_TO_RESOURCE_IS_FORBIDDEN", message: "No" };
    const denied = await withFault({ refusal });
    expect(errorOf(await relocate(denied))).toEqual([403, "ACCESS_TO_RESOURCE_IS_FORBIDDEN", "No"]);
    const lost = await withFault({ reset: "after" });
    expect(await failureOf(relocate(lost))).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
    expect(lost.simulators.log().at(-1)).toMatchObject({ effect: true, status: null });
    expect(lost.simulators.world().cloud.tasks).toHaveLength(1);
    const foreign = await withFault({ foreign: { status: 503 } });
    const page = await relocate(foreign);
    expect([page.status, page.text.slice(0, 9)]).toEqual([503, "<!DOCTYPE"]);
    expect(foreign.simulators.world().cloud.tasks).toEqual([]);
  });

  test("a VM that is deleted while its task runs makes the task fail", async () => {
    const client = await cloudWith(cloud);
    const path = taskPath(await relocate(client));
    await client.simulators.change({ delete_cloud_vm: { vm: "web" } });
    client.simulators.clock.advance(1000);
    const { text } = await client.send(`GET ${path}`);
    expect(text).toContain('status="error"');
    expect(text).toContain("does not exist");
  });

  test("a change in front of a request", async () => {
    const change = { move_cloud_vm: { vm: "db", datastore: "fast" } } as const;
    const client = await withFault({ change });
    expect((await relocate(client)).status).toBe(202);
    expect(datastoreOf(client, "db")).toBe("fast");
  });
});

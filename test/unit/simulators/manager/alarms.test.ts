/** Login alarms, session events, and what other people do to alarms. */

import { describe, expect, test } from "vitest";
import { textOf } from "../../../../src/lib/xml/xml.ts";
import type { Client, Target } from "./manager-client.ts";
import {
  childOf,
  clientOf,
  faultOf,
  listOf,
  logIn,
  managerWith,
  read,
  targetOf,
  textsOf,
} from "./manager-client.ts";

const manager: Target = "AlarmManager:AlarmManager";
const root = '<entity type="Folder">group-d1</entity>';

type Parts = { readonly name?: string; readonly enabled?: boolean; readonly expression?: string };

function loginExpression(user: string, operator = "equals"): string {
  return (
    '<expression xsi:type="EventAlarmExpression"><comparisons>' +
    `<attributeName>userName</attributeName><operator>${operator}</operator>` +
    `<value>${user}</value></comparisons><eventType>UserLoginSessionEvent</eventType>` +
    "<objectType>HostSystem</objectType><status>red</status></expression>"
  );
}

function specOf({
  name = "A",
  enabled = true,
  expression = loginExpression("eve"),
}: Parts): string {
  return (
    `<spec><name>${name}</name><description>d</description><enabled>${enabled}</enabled>` +
    `${expression}</spec>`
  );
}

async function create(client: Client, parts: Parts = {}): Promise<Target> {
  return targetOf(await client.call("CreateAlarm", manager, `${root}${specOf(parts)}`));
}

async function namesOf(client: Client): Promise<readonly (string | undefined)[]> {
  const reply = await client.call("GetAlarm", manager, root);
  return Promise.all(
    reply.values.map(async (value) => {
      const { info } = await read(client, `Alarm:${textOf(value)}`, "info");
      return info && textsOf(info.element)["name"];
    }),
  );
}

const own = "Host connection and power state";

test("an alarm is made, read, changed and removed", async () => {
  const client = await clientOf({});
  const alarm = await create(client);
  expect(await namesOf(client)).toEqual([own, "A"]);
  const { info } = await read(client, alarm, "info");
  expect(info && textsOf(info.element)).toMatchObject({
    name: "A",
    description: "d",
    enabled: "true",
    entity: "group-d1",
    lastModifiedUser: "LAB.LOCAL\\admin",
  });
  const comparison = childOf(childOf(info?.element, "expression"), "comparisons");
  expect(comparison && textsOf(comparison)).toEqual({
    attributeName: "userName",
    operator: "equals",
    value: "eve",
  });
  const changed = specOf({ name: "B", enabled: false });
  expect((await client.call("ReconfigureAlarm", alarm, changed)).status).toBe(200);
  expect(await namesOf(client)).toEqual([own, "B"]);
  expect((await client.call("RemoveAlarm", alarm)).status).toBe(200);
  expect(await namesOf(client)).toEqual([own]);
  await expect(read(client, alarm, "info")).rejects.toThrow("ManagedObjectNotFound");
  expect(faultOf(await client.call("RemoveAlarm", alarm))[0]).toBe("ManagedObjectNotFound");
});

test("names are unique on the server, and an alarm may keep its own", async () => {
  const client = await clientOf({ vms: { web: {} } });
  const alarm = await create(client);
  const entity = '<entity type="VirtualMachine">vm-101</entity>';
  const again = await client.call("CreateAlarm", manager, `${entity}${specOf({})}`);
  expect(faultOf(again)).toEqual([
    "DuplicateName",
    { name: "A", object: alarm.slice("Alarm:".length) },
  ]);
  expect((await client.call("ReconfigureAlarm", alarm, specOf({}))).status).toBe(200);
  const other = await create(client, { name: "B" });
  expect(faultOf(await client.call("ReconfigureAlarm", other, specOf({})))[0]).toBe(
    "DuplicateName",
  );
});

test.each([
  ["an empty name", { name: " " }, "InvalidName"],
  ["an unknown operator", { expression: loginExpression("u", "resembles") }, "InvalidArgument"],
  [
    "an unknown event",
    { expression: loginExpression("u").replace("UserLoginSessionEvent", "CoffeeEvent") },
    "InvalidArgument",
  ],
  [
    "an unknown status",
    { expression: loginExpression("u").replace("red", "pink") },
    "InvalidArgument",
  ],
  ["another order", { expression: `<action/>${loginExpression("u")}` }, "InvalidRequest"],
])("%s is refused", async (_name, parts, fault) => {
  const client = await clientOf({});
  const reply = await client.call("CreateAlarm", manager, `${root}${specOf(parts)}`);
  expect(faultOf(reply)[0]).toBe(fault);
  expect(await namesOf(client)).toEqual([own]);
});

test("actions and settings are kept", async () => {
  const client = await clientOf({});
  const action =
    '<action xsi:type="AlarmTriggeringAction"><action xsi:type="SendEmailAction">' +
    "<toList>a@b</toList><ccList></ccList><subject>s</subject><body>b</body></action>" +
    "<transitionSpecs><startState>green</startState><finalState>red</finalState>" +
    "<repeats>false</repeats></transitionSpecs><green2yellow>false</green2yellow>" +
    "<yellow2red>false</yellow2red><red2yellow>false</red2yellow>" +
    "<yellow2green>false</yellow2green></action><actionFrequency>60</actionFrequency>";
  const alarm = await create(client, { expression: `${loginExpression("eve")}${action}` });
  const { info } = await read(client, alarm, "info");
  const sent = childOf(childOf(info?.element, "action"), "action");
  expect(sent && textsOf(sent)["toList"]).toBe("a@b");
});

test("some servers wrap the expression and fill it in", async () => {
  const client = await clientOf({ rules: { alarm_expression: "wrapped" } });
  const { info } = await read(client, await create(client), "info");
  const inner = childOf(childOf(info?.element, "expression"), "expression");
  expect(inner && textsOf(inner)["eventTypeId"]).toBe("vim.event.UserLoginSessionEvent");
});

test("a host has no alarm manager", async () => {
  const simulators = await managerWith({ rules: { kind: "host" } });
  const client = await logIn(simulators, { target: "SessionManager:ha-sessionmgr" });
  for (const target of [manager, "AlarmManager:"] as const) {
    const reply = await client.call("GetAlarm", target);
    expect(reply.status).toBe(500);
  }
});

describe("a login triggers alarms", () => {
  async function triggered(client: Client): Promise<readonly (string | undefined)[]> {
    const path = "triggeredAlarmState";
    const found = await read(client, "Folder:group-d1", path);
    return listOf(found[path]?.element, "AlarmState").map((each) => textsOf(each)["overallStatus"]);
  }
  test.each([
    ["equals", "LAB.LOCAL\\eve", ["red"]],
    ["equals", "eve", []],
    ["endsWith", "\\eve", ["red"]],
    ["startsWith", "eve", []],
    ["notEqualTo", "x", ["red"]],
    ["doesNotEndWith", "eve", []],
  ])("%s %s", async (operator, value, states) => {
    const client = await clientOf({});
    await create(client, { expression: loginExpression(value, operator) });
    expect(await triggered(client)).toEqual([]);
    await client.simulators.change({ log_in_manager_user: { user: "eve" } });
    expect(await triggered(client)).toEqual(states);
  });

  test("not while they are disabled; a real login does as well", async () => {
    const client = await clientOf({});
    const alarm = await create(client, {
      enabled: false,
      expression: loginExpression("LAB.LOCAL\\admin"),
    });
    await logIn(client.simulators);
    expect(await triggered(client)).toEqual([]);
    await client.call(
      "ReconfigureAlarm",
      alarm,
      specOf({ expression: loginExpression("LAB.LOCAL\\admin") }),
    );
    await logIn(client.simulators);
    expect(await triggered(client)).toEqual(["red"]);
  });
});

test("other people add, change and remove alarms", async () => {
  const client = await clientOf({ alarms: { A: { user: "eve", enabled: false } } });
  const { simulators } = client;
  await simulators.change({ add_manager_alarm: { name: "B", user: "bob" } });
  await simulators.change({
    change_manager_alarm: { name: "A", new_name: "C", enabled: true, user: "carol" },
  });
  expect(await namesOf(client)).toEqual([own, "C", "B"]);
  const specs = simulators.world().manager.alarms.map((alarm) => JSON.stringify(alarm.spec));
  expect(specs[1]).toContain('"carol"');
  await simulators.change({ remove_manager_alarm: { name: "C" } });
  expect(await namesOf(client)).toEqual([own, "B"]);
  await expect(simulators.change({ remove_manager_alarm: { name: "C" } })).rejects.toThrow(
    "no alarm",
  );
});

describe("events", () => {
  async function query(client: Client, filter: string): Promise<readonly string[]> {
    const inner = `<filter>${filter}</filter>`;
    const reply = await client.call("QueryEvents", "EventManager:EventManager", inner);
    if (reply.status !== 200) throw new Error(reply.text);
    return reply.values.map((each) => textsOf(each)["fullFormattedMessage"] ?? "");
  }
  const world = {
    logins: [
      { user: "eve", seconds_ago: 3600, ip_address: "192.0.2.1" },
      { user: "OTHER\\bob", seconds_ago: 60 },
    ],
  };
  const eve = "User LAB.LOCAL\\eve@192.0.2.1 logged in as browser";
  const bob = "User OTHER\\bob@192.0.2.10 logged in as browser";

  test("tell of logins, logouts and wrong passwords", async () => {
    const simulators = await managerWith({});
    const client = await logIn(simulators);
    await logIn(simulators, { password: "x" }).catch(() => {});
    const other = await logIn(simulators);
    await other.call("Logout", "SessionManager:SessionManager");
    const messages = await query(client, "");
    expect(messages.map((text) => text.replace(/ as .*/, ""))).toEqual([
      "User LAB.LOCAL\\admin@127.0.0.1 logged in",
      "Cannot login LAB.LOCAL\\admin@127.0.0.1",
      "User LAB.LOCAL\\admin@127.0.0.1 logged in",
      "User LAB.LOCAL\\admin@127.0.0.1 logged out",
    ]);
    expect(await query(client, "<type>UserLoginSessionEvent</type>")).toHaveLength(2);
    expect(await query(client, "<type>SessionEvent</type>")).toHaveLength(4);
    const id = "<eventTypeId>vim.event.UserLogoutSessionEvent</eventTypeId>";
    expect(await query(client, id)).toHaveLength(1);
  });

  test("are filtered by user, time, category, entity and count", async () => {
    const client = await clientOf(world);
    const users = "<userName><systemUser>false</systemUser><userList>LAB.LOCAL\\eve</userList>";
    expect(await query(client, `${users}</userName>`)).toEqual([eve]);
    const moment = new Date(client.simulators.clock.now() - 600_000).toISOString();
    expect(await query(client, `<time><endTime>${moment}</endTime></time>`)).toEqual([eve]);
    const since = await query(client, `<time><beginTime>${moment}</beginTime></time>`);
    expect([since.length, since[0]]).toEqual([2, bob]);
    expect(await query(client, "<category>sessionEvent</category>")).toHaveLength(3);
    expect(await query(client, "<category>error</category>")).toEqual([]);
    const of = (id: string) =>
      `<entity><entity type="Folder">${id}</entity><recursion>all</recursion></entity>`;
    expect(await query(client, of("group-d1"))).toHaveLength(3);
    expect(await query(client, of("group-v3"))).toEqual([]);
    expect(await query(client, "<maxCount>1</maxCount>")).toHaveLength(1);
    expect(await query(client, "<disableFullMessage>true</disableFullMessage>")).toEqual([
      "",
      "",
      "",
    ]);
  });
});

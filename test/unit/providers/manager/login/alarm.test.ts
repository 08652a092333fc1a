/** `manager_login_alarm`: what is planned, what is sent and what is read, over real HTTP. */

import { afterEach, describe, expect, test } from "vitest";
import type { LowerRequest } from "../../../../../src/model/provider/provider.ts";
import type { RecordedObject } from "../../../../../src/model/recorded/recorded.ts";
import type { Address } from "../../../../../src/model/value/address.ts";
import { type Attributes, unknown } from "../../../../../src/model/value/value.ts";
import { alarmType } from "../../../../../src/providers/manager/login/alarm.ts";
import { loginExpressionText } from "../../../../../src/providers/manager/login/alarm-spec.ts";
import { operation, wanted } from "../machines.ts";
import {
  answer,
  fault,
  type ManagerScript,
  type ScriptedManager,
  shapeOf,
  startManager,
  type TestObject,
} from "../scripted-manager.ts";

const type = "manager_login_alarm";
const user = "DOMAIN\\alice";
const forever = Number.MAX_SAFE_INTEGER;

let open: ScriptedManager | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const comparison = (value: string, attribute = "userName", operator = "equals"): string =>
  `<comparisons><attributeName>${attribute}</attributeName><operator>${operator}</operator>` +
  `<value>${value}</value></comparisons>`;

function loginXml(of = user, more = "", object = "HostSystem"): string {
  return (
    '<expression xsi:type="EventAlarmExpression">' +
    `${comparison(of)}<eventType>UserLoginSessionEvent</eventType>${more}` +
    `<objectType>${object}</objectType><status>red</status></expression>`
  );
}

type TestAlarm = {
  readonly id?: string;
  readonly name?: string;
  readonly enabled?: boolean;
  readonly expression?: string;
  readonly description?: string;
  readonly entity?: string;
  /** Elements behind the expression. */
  readonly more?: string;
};

function alarm({ id = "alarm-84", name = "watch", ...rest }: TestAlarm = {}): TestObject {
  const info =
    `<val xsi:type="AlarmInfo"><name>${name}</name>` +
    `<description>${rest.description ?? "d"}</description>` +
    `<enabled>${rest.enabled ?? true}</enabled>${rest.expression ?? loginXml()}${rest.more ?? ""}` +
    `<key>k</key><alarm type="Alarm">${id}</alarm>` +
    `<entity type="Folder">${rest.entity ?? "group-d1"}</entity>` +
    "<lastModifiedTime>2026-01-02T03:04:05Z</lastModifiedTime></val>";
  return { type: "Alarm", id, values: { info } };
}

async function start(
  objects: readonly TestObject[],
  script: ManagerScript = {},
): Promise<ScriptedManager> {
  open = await startManager({
    objects,
    ...script,
    handle: (call, count) => {
      const own = script.handle?.(call, count);
      if (own !== undefined) return own;
      switch (call.method) {
        case "GetAlarm":
          return answer(
            "GetAlarm",
            objects.map(({ id }) => `<returnval type="Alarm">${id}</returnval>`).join(""),
          );
        case "CreateAlarm":
          return answer(call.method, '<returnval type="Alarm">alarm-90</returnval>');
        case "ReconfigureAlarm":
        case "RemoveAlarm":
          return answer(call.method);
        default:
          return undefined;
      }
    },
  });
  return open;
}

const own = loginExpressionText(user);

describe("reading", () => {
  test("however many are wanted: one list, one read", async () => {
    const manager = await start([
      alarm(),
      alarm({ id: "alarm-85", name: "other", enabled: false, description: " two\nlines " }),
      alarm({ id: "alarm-86", name: "below", entity: "group-v3" }),
    ]);
    const read = await manager.session.read(
      ["other", "none", "watch", "below"].map((identity) => wanted(type, { identity })),
    );
    expect(read).toEqual([
      {
        status: "found",
        identity: "alarm-85",
        attributes: {
          name: "other",
          user_name: user,
          enabled: false,
          description: " two\nlines ",
          expression: own,
          moref: "alarm-85",
        },
        unreadable: {},
      },
      {
        status: "missing",
        proof: "absent from the complete list of 2 alarms of the root folder",
      },
      expect.objectContaining({ status: "found", identity: "alarm-84" }),
      expect.objectContaining({ status: "missing" }),
    ]);
    expect(manager.calls()).toEqual([
      "GetAlarm AlarmManager",
      "RetrievePropertiesEx propertyCollector",
    ]);
    expect(manager.bodies("GetAlarm")[0]).toContain('<entity type="Folder">group-d1</entity>');
  });

  test("no alarms at all", async () => {
    const manager = await start([]);
    const read = await manager.session.read([wanted(type, { identity: "watch" })]);
    expect(read).toMatchObject([{ status: "missing" }]);
    expect(manager.calls()).toEqual(["GetAlarm AlarmManager"]);
  });

  test("one that is hidden may be the wanted one", async () => {
    const hidden = { ...alarm({ id: "alarm-9" }), values: {}, refused: { info: "NoPermission" } };
    const manager = await start([alarm(), hidden]);
    const read = await manager.session.read(
      ["watch", "other"].map((identity) => wanted(type, { identity })),
    );
    expect(read).toMatchObject([
      { status: "found" },
      {
        status: "unreadable",
        rule: "failed",
        reason: expect.stringContaining("alarm-9 is not shown: NoPermission") as string,
      },
    ]);
  });

  test("one that is listed and not told of may be the wanted one", async () => {
    const manager = await start([alarm()], {
      handle: ({ method }) =>
        method === "RetrievePropertiesEx" ? answer(method, "<returnval/>") : undefined,
    });
    const read = await manager.session.read([wanted(type, { identity: "watch" })]);
    expect(read).toMatchObject([{ status: "unreadable", rule: "failed" }]);
  });

  test("a single host has none, and says so", async () => {
    const manager = await start([], { isHost: true });
    const reading = await manager.session.read([wanted(type, { identity: "watch" })]);
    expect(reading).toMatchObject([
      {
        status: "unreadable",
        rule: "failed",
        reason: expect.stringContaining("is a single host, which has no alarms") as string,
      },
    ]);
    // None of them is unmanaged.
    expect(await manager.session.list?.(type)).toEqual([]);
    expect(manager.calls()).toEqual([]);
  });

  const wrapped = (...parts: string[]): string =>
    `<expression xsi:type="OrAlarmExpression">${parts.join("")}</expression>`;

  test.each([
    ["in a list of one", wrapped(loginXml()), user, own],
    ["twice so", wrapped(wrapped(loginXml())), user, own],
    [
      "with an id, and types in full",
      loginXml(
        user,
        "<eventTypeId>vim.event.UserLoginSessionEvent</eventTypeId>",
        "vim.HostSystem",
      ),
      user,
      own,
    ],
    ["of another user", loginXml("bob"), "bob", loginExpressionText("bob")],
    [
      "that watches something besides",
      wrapped(loginXml("a"), '<expression xsi:type="StateAlarmExpression"/>'),
      null,
      '(UserLoginSessionEvent on HostSystem where userName equals "a", status red) or ' +
        "(StateAlarmExpression)",
    ],
    [
      "of another event",
      loginXml(user, "<eventTypeId>vim.event.UserLogoutSessionEvent</eventTypeId>"),
      null,
      loginExpressionText(user).replace("Login", "Logout"),
    ],
    [
      "of whoever's name begins so",
      '<expression xsi:type="EventAlarmExpression">' +
        comparison("a", "userName", "startsWith") +
        "<eventType>UserLoginSessionEvent</eventType></expression>",
      null,
      'UserLoginSessionEvent where userName startsWith "a"',
    ],
    [
      "of one user at one place",
      `<expression xsi:type="EventAlarmExpression">${comparison("a")}${comparison("b", "ipAddress")}` +
        "<eventType>UserLoginSessionEvent</eventType></expression>",
      null,
      'UserLoginSessionEvent where userName equals "a" and ipAddress equals "b"',
    ],
    ["of nothing known", "<expression/>", null, "something else"],
  ])("an expression %s", async (_what, expression, name, words) => {
    const manager = await start([alarm({ expression })]);
    const [read] = await manager.session.read([wanted(type, { identity: "watch" })]);
    expect(read).toMatchObject({ attributes: { user_name: name, expression: words } });
  });

  test("only alarms that could be ours are listed", async () => {
    const manager = await start([
      alarm({ name: "b" }),
      alarm({ id: "alarm-2", name: "x", expression: "<expression/>" }),
      alarm({ id: "alarm-3", name: "a" }),
    ]);
    expect(await manager.session.list?.(type)).toEqual([
      { type, identity: "alarm-3", name: "a" },
      { type, identity: "alarm-84", name: "b" },
    ]);
  });
});

describe("sending", () => {
  const given = { name: "watch", user_name: user, enabled: true };

  test("a new one, on the root folder, in the order of the service", async () => {
    const manager = await start([]);
    await manager.session.send(operation(type, "create", "watch", given), forever);
    expect(manager.calls()).toEqual(["CreateAlarm AlarmManager"]);
    const [body = ""] = manager.bodies("CreateAlarm");
    expect(body).toContain(
      '<entity type="Folder">group-d1</entity><spec><name>watch</name>' +
        `<description>Alarm to track ${user} login</description><enabled>true</enabled>` +
        '<expression xsi:type="EventAlarmExpression"><comparisons>' +
        `<attributeName>userName</attributeName><operator>equals</operator><value>${user}</value>` +
        "</comparisons><eventType>UserLoginSessionEvent</eventType>" +
        "<objectType>HostSystem</objectType><status>red</status></expression></spec>",
    );
    expect(alarmType.request("create", "watch", given)?.body).toBe(body);
  });

  test("a name that is taken is a conflict without effect", async () => {
    const manager = await start([], {
      handle: ({ method }) =>
        method === "CreateAlarm"
          ? fault("DuplicateName", "The name 'watch' already exists.", "<name>watch</name>")
          : undefined,
    });
    const sending = manager.session.send(operation(type, "create", "watch", given), forever);
    await expect(sending).rejects.toMatchObject({
      kind: "conflict",
      effect: "none",
      message: expect.stringContaining("DuplicateName") as string,
    });
  });

  test("a change keeps what people have added", async () => {
    const more =
      '<action xsi:type="vim25:GroupAlarmAction">\n' +
      '<action xsi:type="AlarmTriggeringAction"><action xsi:type="SendEmailAction">' +
      "<toList>a@example.com</toList></action><green2yellow>false</green2yellow>" +
      "</action></action>" +
      "<actionFrequency>300</actionFrequency>" +
      "<setting><toleranceRange>0</toleranceRange>" +
      "<reportingFrequency>300</reportingFrequency></setting>";
    const manager = await start([alarm({ more })]);
    const inputs = { ...given, user_name: "bob", description: "text", moref: "alarm-84" };
    await manager.session.send(operation(type, "reconfigure", "watch", inputs), forever);
    expect(manager.calls()).toEqual([
      "GetAlarm AlarmManager",
      "RetrievePropertiesEx propertyCollector",
      "ReconfigureAlarm alarm-84",
    ]);
    const [body = ""] = manager.bodies("ReconfigureAlarm");
    expect(shapeOf(body, "spec")).toEqual([
      "name",
      "description",
      "enabled",
      "expression:EventAlarmExpression",
      "action:GroupAlarmAction",
      "actionFrequency",
      "setting",
    ]);
    expect(body).toContain("<toList>a@example.com</toList>");
    expect(body).toContain("<value>bob</value>");
    expect(body).toContain("<description>text</description>");
  });

  test("an alarm is found by its id, whatever its name is now", async () => {
    const manager = await start([alarm({ name: "renamed" }), alarm({ id: "alarm-9" })]);
    const read = await manager.session.read([wanted(type, { identity: "alarm-84" })]);
    expect(read).toMatchObject([{ identity: "alarm-84", attributes: { name: "renamed" } }]);
    const inputs = { ...given, moref: "alarm-84" };
    await manager.session.send(operation(type, "reconfigure", "watch", inputs), forever);
    expect(manager.calls().at(-1)).toBe("ReconfigureAlarm alarm-84");
  });

  test("one is removed by the id that its name has", async () => {
    const manager = await start([alarm({ id: "alarm-1", name: "x" }), alarm()]);
    await manager.session.send(operation(type, "remove", "watch", { moref: "alarm-84" }), forever);
    expect(manager.calls().at(-1)).toBe("RemoveAlarm alarm-84");
  });

  test.each([
    ["gone", [], "not-found", "not there any more"],
    ["made anew", [alarm({ id: "alarm-99" })], "not-found", "alarm-99 has its name now"],
  ])("one that is %s is left alone", async (_what, objects, kind, words) => {
    for (const verb of ["reconfigure", "remove"]) {
      const manager = await start(objects);
      const sending = manager.session.send(
        operation(type, verb, "watch", { ...given, moref: "alarm-84" }),
        forever,
      );
      await expect(sending).rejects.toMatchObject({
        kind,
        effect: "none",
        message: expect.stringContaining(words) as string,
      });
      expect(manager.ports.sent.filter((request) => request.class === "mutate")).toEqual([]);
      await manager.close();
    }
  });
});

function record(attributes: Attributes): RecordedObject {
  return {
    address: `${type}.x` as Address,
    objectKey: "current",
    type,
    provider: "manager",
    identity: "watch",
    status: "ready",
    applied: null,
    attributes,
    dependencies: [],
    timeoutsMs: {},
  };
}

describe("planning", () => {
  const prior = record({
    name: "watch",
    user_name: "bob",
    enabled: true,
    description: "as it is",
    expression: loginExpressionText("bob"),
    moref: "alarm-84",
  });
  const update = (changed: readonly string[], inputs: Attributes): LowerRequest => ({
    action: "update",
    identity: "watch",
    inputs: { name: "watch", enabled: true, ...inputs },
    changed,
    prior,
  });

  test("a new one", () => {
    const inputs = { name: "watch", user_name: user, enabled: true };
    expect(alarmType.lower({ action: "create", identity: "watch", inputs })).toMatchObject([
      {
        verb: "create",
        effect: "create",
        applied: inputs,
        proof: { expect: [{ existence: "found" }] },
      },
    ]);
  });

  test("a change expects each of its values, and sends the rest as it is", () => {
    expect(alarmType.lower(update(["user_name"], { user_name: user }))).toMatchObject([
      {
        verb: "reconfigure",
        request: { inputs: { user_name: user, description: "as it is", moref: "alarm-84" } },
        applied: { name: "watch", user_name: user, enabled: true },
        proof: {
          expect: [
            { attribute: "user_name", equals: user },
            { attribute: "expression", equals: own },
          ],
        },
      },
    ]);
    const [described] = alarmType.lower(
      update(["description"], { user_name: "bob", description: "new" }),
    );
    expect(described?.request.inputs.description).toBe("new");
    expect(described?.proof.expect).toContainEqual({ attribute: "description", equals: "new" });
  });

  test("another name is one of the same alarm: whatever else has it is none", () => {
    const [step] = alarmType.lower(update(["name"], { name: "new", user_name: "bob" }));
    expect(step).toMatchObject({
      verb: "reconfigure",
      summary: 'change alarm "watch", and name it "new"',
      request: { inputs: { name: "new", moref: "alarm-84", description: "as it is" } },
    });
    expect(step?.proof.expect).toContainEqual({ attribute: "name", equals: "new" });
    expect(step?.proof.expect).toContainEqual({ attribute: "moref", equals: "alarm-84" });
  });

  test.each([
    ["on the logins of one user", prior.attributes, undefined],
    ["of another kind", { user_name: null, expression: "HostEvent" }, /but watches HostEvent$/],
    ["of no kind that is known", { user_name: null }, /but watches something else$/],
  ])("an alarm %s", (_what, attributes, words) => {
    const other = alarmType.otherKind?.(attributes);
    if (words === undefined) expect(other).toBeUndefined();
    else expect(other).toMatch(words);
  });

  test("a name that reads as an id would be mistaken for one", () => {
    const at = `${type}.x` as Address;
    const codes = (name: string) => alarmType.check?.({ name }, at).map(({ code }) => code);
    expect(codes("alarm-7")).toEqual(["MGR024"]);
    expect(codes("alarm-7 of ours")).toEqual([]);
    expect(codes("a\u0001b")).toEqual(["MGR107"]);
  });

  test("a user that is known later", () => {
    const [step] = alarmType.lower(update(["user_name"], { user_name: unknown }));
    expect(step?.proof.expect).toEqual([{ attribute: "user_name", present: true }]);
    expect(alarmType.request("reconfigure", "watch", step?.request.inputs ?? {})?.body).toBe(
      unknown,
    );
  });

  test("its end", () => {
    const [step] = alarmType.lower({ action: "delete", identity: "watch", prior });
    expect(step).toMatchObject({ verb: "remove", proof: { expect: [{ existence: "missing" }] } });
    expect(alarmType.request("remove", "watch", step?.request.inputs ?? {})?.body).toContain(
      '<RemoveAlarm xmlns="urn:vim25"><_this type="Alarm">alarm-84</_this></RemoveAlarm>',
    );
  });

  test.each([
    ["as it was made", {}, "bob", []],
    ["watching something else for the same user", { expression: "x" }, "bob", ["expression"]],
    ["for another user: a change anyway", { expression: "x" }, user, []],
    ["never read", { expression: null }, "bob", []],
    ["for a user that is known later", { expression: "x" }, unknown, []],
  ])("an alarm %s", (_what, attributes, name, due) => {
    const read = record({ ...prior.attributes, ...attributes });
    expect(alarmType.due?.(read, { user_name: name }, 0)).toEqual(due);
  });
});

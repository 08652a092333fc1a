/** Envelopes, service content, versions, login, strict requests, classes. */

import { describe, expect, test } from "vitest";
import { attributeOf, textOf } from "../../../../src/lib/xml/xml.ts";
import {
  childOf,
  clientOf,
  cookieOf,
  envelope,
  faultOf,
  filterOf,
  logIn,
  managerWith,
  nested,
  read,
  reconfigure,
  sendSoap,
  soapCall,
  textsOf,
} from "./manager-client.ts";

const world = { vms: { web: {} } };

describe.each([
  ["manager", "group-d1", "propertyCollector", "AlarmManager", "VirtualCenter"],
  ["host", "ha-folder-root", "ha-property-collector", undefined, "HostAgent"],
] as const)("a %s", (kind, root, collector, alarms, apiType) => {
  test("tells its ids without login", async () => {
    const simulators = await managerWith({ rules: { kind } });
    const reply = await soapCall(
      simulators,
      "RetrieveServiceContent",
      "ServiceInstance:ServiceInstance",
    );
    expect(reply.status).toBe(200);
    const texts = textsOf(reply.values[0] ?? reply.body);
    expect(texts).toMatchObject({ rootFolder: root, propertyCollector: collector });
    expect(texts["alarmManager"]).toBe(alarms);
    const about = childOf(reply.values[0], "about");
    expect(textsOf(about ?? reply.body)).toMatchObject({ apiType, apiVersion: "6.5" });
  });
});

test("login gives a session and a cookie whose quotes are part of its value", async () => {
  const simulators = await managerWith({ rules: { login_domain: "LAB" } });
  const inner = "<userName>admin</userName><password>secret</password>";
  const reply = await soapCall(simulators, "Login", "SessionManager:SessionManager", inner);
  expect(textsOf(reply.values[0] ?? reply.body)).toMatchObject({ userName: "LAB\\admin" });
  const cookie = reply.headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/^vmware_soap_session="[0-9a-f]{40}"; Path=\/; HttpOnly; Secure$/);
  for (const pair of [cookieOf(reply.headers), cookieOf(reply.headers).replaceAll('"', "")]) {
    const time = await soapCall(simulators, "CurrentTime", "ServiceInstance:ServiceInstance", "", {
      cookie: `other=1; ${pair}`,
    });
    expect(Date.parse(textOf(time.values[0] ?? time.body))).toBe(simulators.clock.now());
  }
  expect(simulators.managerSessions()).toMatchObject({ opened: 1, open: [{ user: "LAB\\admin" }] });
});

test.each([
  ["admin", "secret", true],
  ["LAB.LOCAL\\admin", "secret", true],
  ["Admin@lab.local", "secret", true],
  ["OTHER\\admin", "secret", false],
  ["admin", "Secret", false],
  ["", "", false],
])("login as %s with %s: %s", async (user, password, works) => {
  const simulators = await managerWith({});
  const attempt = logIn(simulators, { user, password });
  if (works) await attempt;
  else await expect(attempt).rejects.toThrow('xsi:type="InvalidLogin"');
});

test("a second login within a session is refused", async () => {
  const client = await clientOf({});
  const inner = "<userName>admin</userName><password>secret</password>";
  const reply = await client.call("Login", "SessionManager:SessionManager", inner);
  expect(faultOf(reply)[0]).toBe("InvalidLogin");
});

test("sessions end by idling, by logging out, and by others", async () => {
  const simulators = await managerWith({ rules: { session_minutes: 5 } });
  const [first, second, third] = [
    await logIn(simulators),
    await logIn(simulators),
    await logIn(simulators),
  ];
  const time = async (client: typeof first): Promise<number> =>
    (await client.call("CurrentTime", "ServiceInstance:ServiceInstance")).status;
  simulators.clock.advance(4 * 60_000);
  expect(await time(first)).toBe(200);
  simulators.clock.advance(4 * 60_000);
  expect([await time(first), await time(second)]).toEqual([200, 500]);
  await first.call("Logout", "SessionManager:SessionManager");
  expect(await time(first)).toBe(500);
  const fourth = await logIn(simulators);
  await simulators.change({ end_manager_sessions: { user: "admin" } });
  expect(await time(fourth)).toBe(500);
  expect(await time(third)).toBe(500);
  const report = await (
    await fetch(`${simulators.origins.manager}/_simulator/sessions/manager`)
  ).json();
  // Two had idled out already when the others were ended.
  expect(report).toEqual({ open: [], opened: 4, loggedOut: 1, idledOut: 0, endedByOthers: 3 });
});

test("without a session calls are faults, and properties are missing", async () => {
  const simulators = await managerWith(world);
  const call = await soapCall(simulators, "CurrentTime", "ServiceInstance:ServiceInstance");
  expect(faultOf(call)).toEqual([
    "NotAuthenticated",
    { object: "ServiceInstance", privilegeId: "System.View" },
  ]);
  const inner = `${filterOf("VirtualMachine:vm-101", ["name", "config.version"])}<options/>`;
  const reply = await soapCall(
    simulators,
    "RetrievePropertiesEx",
    "PropertyCollector:propertyCollector",
    inner,
  );
  expect(reply.status).toBe(200);
  expect(reply.text.match(/<missingSet>/g)).toHaveLength(2);
  expect(reply.text).toContain('<path>name</path><fault><fault xsi:type="NotAuthenticated">');
  expect(reply.text).not.toContain("<propSet>");
  expect(simulators.log().every((entry) => entry.violation === undefined)).toBe(true);
});

describe("requests that are refused", () => {
  const session = "SessionManager:SessionManager" as const;
  const login = "<userName>admin</userName><password>secret</password>";
  test.each([
    ["another order", "Login", session, "<password>p</password><userName>u</userName>"],
    ["an unknown element", "Login", session, `${login}<mode>1</mode>`],
    ["a missing element", "Login", session, "<userName>admin</userName>"],
    ["a foreign element", "Login", session, `${login}<locale xmlns="">en</locale>`],
    ["a repeated element", "Login", session, `${login}<locale>a</locale><locale>b</locale>`],
    ["an unknown method", "MakeCoffee", session, ""],
    ["text between elements", "Login", session, `x${login}`],
  ] as const)("%s", async (_name, method, target, inner) => {
    const simulators = await managerWith({});
    const reply = await soapCall(simulators, method, target, inner);
    expect(faultOf(reply)[0]).toBe("InvalidRequest");
    expect(simulators.log().at(-1)).toMatchObject({ violation: expect.any(String) });
  });

  test.each([
    ["a number", "<spec><numCPUs>two</numCPUs></spec>"],
    ["a flag", "<spec><nestedHVEnabled>yes</nestedHVEnabled></spec>"],
    [
      "a version that has not come yet",
      "<spec><createDate>2026-01-01T00:00:00Z</createDate></spec>",
    ],
    ["an order", "<spec><nestedHVEnabled>true</nestedHVEnabled><name>x</name></spec>"],
  ])("%s", async (_name, inner) => {
    const client = await clientOf(world);
    const reply = await client.call(reconfigure, "VirtualMachine:vm-101", inner);
    expect(faultOf(reply)[0]).toBe("InvalidRequest");
    expect(client.simulators.world().manager.tasks).toEqual([]);
  });

  test.each(["", "<a/>", "<a", envelope("Login", session).replace("urn:vim25", "urn:other")])(
    "the body %j",
    async (body) => {
      expect(faultOf(await sendSoap(await managerWith({}), body))[0]).toBe("InvalidRequest");
    },
  );

  test("an object that is not there, and a method of another type", async () => {
    const client = await clientOf(world);
    const gone = await client.call(reconfigure, "VirtualMachine:vm-999", nested(true));
    expect(faultOf(gone)).toEqual(["ManagedObjectNotFound", { obj: "vm-999" }]);
    const other = await client.call(reconfigure, "HostSystem:host-21", nested(true));
    expect(faultOf(other)[0]).toBe("MethodNotFound");
  });
});

test("the version decides which members there are", async () => {
  const client = await clientOf(world);
  const device = `${filterOf("VirtualMachine:vm-101", ["config.hardware.device[2000]"])}<options/>`;
  const of = async (soapaction: string) =>
    client.call("RetrievePropertiesEx", "PropertyCollector:propertyCollector", device, {
      soapaction,
    });
  expect((await of("urn:vim25/5.1")).text).not.toContain("capacityInBytes");
  expect((await of('"urn:vim25/5.5"')).text).toContain("<capacityInBytes>17179869184<");
  expect((await of("urn:vim25")).text).toContain("<sharing>");
  // A later one, and a word that is none, are served in the server's own.
  for (const later of ["6.7", "8.0.3.0", "-"]) {
    expect((await of(`urn:vim25/${later}`)).text).toContain("<sharing>");
  }
  expect(faultOf(await of("urn:other/6.5"))[0]).toBe("InvalidRequest");
});

test("a server may refuse later versions", async () => {
  const rules = { later_version: "refused", api_version: "6.7.3" } as const;
  const client = await clientOf({ ...world, rules });
  const of = (version: string) =>
    client.call("CurrentTime", "ServiceInstance:ServiceInstance", "", {
      soapaction: `urn:vim25/${version}`,
    });
  for (const known of ["6.7", "6.7.3", "6.5"]) expect((await of(known)).status).toBe(200);
  for (const later of ["6.8.7", "7.0.0.0", "-"]) {
    expect(faultOf(await of(later))[0]).toBe("InvalidRequest");
  }
});

test.each([
  ["6.0", ["6.0", "5.5", "5.1", "5.0"]],
  ["6.7.1", ["6.7.1", "6.7", "6.5"]],
  ["7.0.0.0", ["7.0.0.0", "6.9.1", "6.8.7", "6.7.3"]],
  ["8.0.3.0", ["8.0.3.0", "8.0.2.0", "8.0.1.0"]],
])("the versions up to %s are listed without login", async (version, first) => {
  const { origins } = await managerWith({ rules: { api_version: version } });
  const reply = await fetch(`${origins.manager}/sdk/vimServiceVersions.xml`);
  expect(reply.status).toBe(200);
  const versions = [...(await reply.text()).matchAll(/<version>([\d.]+)</g)].map((each) => each[1]);
  expect(versions.slice(0, first.length)).toEqual(first);
  expect(versions.at(-1)).toBe("5.0");
});

test("who may only read is refused to change", async () => {
  const users = [{ name: "viewer", password: "v", rights: "read" as const }];
  const simulators = await managerWith({ ...world, users });
  const client = await logIn(simulators, { user: "viewer", password: "v" });
  const reply = await client.call(reconfigure, "VirtualMachine:vm-101", nested(true));
  expect(faultOf(reply)).toEqual([
    "NoPermission",
    { object: "vm-101", privilegeId: "VirtualMachine.Config.Settings" },
  ]);
  expect((await read(client, "VirtualMachine:vm-101", "name"))["name"]?.text).toBe("web");
});

test("requests are classed by their method", async () => {
  const client = await clientOf(world);
  await read(client, "VirtualMachine:vm-101", "name");
  await client.call(reconfigure, "VirtualMachine:vm-101", nested(true));
  await client.call("GetAlarm", "AlarmManager:AlarmManager");
  await client.call("Logout", "SessionManager:SessionManager");
  await sendSoap(client.simulators, "nonsense");
  expect(client.simulators.log().map((entry) => [entry.class, entry.effect])).toEqual([
    ["session", false],
    ["read", false],
    ["mutate", true],
    ["read", false],
    ["session", false],
    ["mutate", false],
  ]);
  expect(client.simulators.log().every((entry) => entry.interface === "manager")).toBe(true);
  const other = await fetch(`${client.simulators.origins.manager}/nothing`);
  expect(other.status).toBe(404);
});

test("the server's clock may be another than the simulators'", async () => {
  const client = await clientOf({ rules: { clock_skew_ms: -5000 } });
  const reply = await client.call("CurrentTime", "ServiceInstance:ServiceInstance");
  const told = Date.parse(textOf(reply.values[0] ?? reply.body));
  expect(told).toBe(client.simulators.clock.now() - 5000);
  expect(attributeOf(reply.body, "xmlns")).toBeUndefined();
});

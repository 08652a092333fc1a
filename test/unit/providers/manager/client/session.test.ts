/** The life of a session over real HTTP: what the server is, login, expiry, faults, logout. */

import { afterEach, describe, expect, test } from "vitest";
import type { Observation } from "../../../../../src/model/provider/observation.ts";
import { remoteErrorOf } from "../../../../helpers/remote-error.ts";
import { host, operation, vmObject, wanted } from "../machines.ts";
import {
  answer,
  envelope,
  fault,
  type ManagerScript,
  type ScriptedManager,
  startManager,
  taskAnswer,
  testPassword,
  testUser,
} from "../scripted-manager.ts";

let open: ScriptedManager | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(script: ManagerScript = {}): Promise<ScriptedManager> {
  open = await startManager({ objects: [vmObject({ id: "vm-1" }), host], ...script });
  return open;
}

const vm = wanted("manager_vm", { identity: "vm-1" });
const powerOn = operation("manager_vm", "power-on", "vm-1");
const forever = Number.MAX_SAFE_INTEGER;

async function readVm(manager: ScriptedManager): Promise<Observation | undefined> {
  return (await manager.session.read([vm]))[0];
}

describe("login", () => {
  test("nothing is sent before the first use, nor by closing", async () => {
    const manager = await start();
    await manager.session.close();
    await manager.session.close();
    expect(manager.server.seen).toEqual([]);
    expect((await remoteErrorOf(manager.session.serverTime?.())).message).toContain("closed here");
  });

  test("the server says what it is, then takes the login, then the cookie alone", async () => {
    const manager = await start({ basePath: "/proxy" });
    await readVm(manager);
    const [content, login, read] = manager.server.seen;
    expect(manager.server.seen.map(({ url }) => url)).toEqual(Array(4).fill("/proxy/sdk"));
    expect(content?.headers).toMatchObject({
      "content-type": 'text/xml; charset="utf-8"',
      soapaction: '"urn:vim25"',
    });
    expect(content?.headers).not.toHaveProperty("cookie");
    expect(login?.headers).toMatchObject({ soapaction: '"urn:vim25/6.5"' });
    expect(login?.headers).not.toHaveProperty("cookie");
    expect(login?.body).toContain(
      '<Login xmlns="urn:vim25"><_this type="SessionManager">SessionManager</_this>' +
        "<userName>DOMAIN\\admin</userName><password>pass&amp;wörd&lt;</password></Login>",
    );
    // The quotes are part of the value.
    expect(read?.headers).toMatchObject({
      cookie: 'vmware_soap_session="5f0c-1/aa+b="',
      soapaction: '"urn:vim25/6.5"',
    });
    expect(read?.body).not.toContain("password");
  });

  test("a single host has ids of its own", async () => {
    const manager = await start({ isHost: true });
    expect(await readVm(manager)).toMatchObject({ status: "found" });
    expect(manager.bodies("Login")[0]).toContain(">ha-sessionmgr<");
    expect(manager.calls()[0]).toBe("RetrievePropertiesEx ha-property-collector");
    await manager.session.close();
    expect(manager.calls().at(-1)).toBe("Logout ha-sessionmgr");
  });

  test("refused credentials are asked about once, whoever asks", async () => {
    const manager = await start({ settings: { password: "wrong" } });
    const ask = () => remoteErrorOf(manager.session.serverTime?.());
    const errors = await Promise.all([ask(), ask(), ask()]);
    errors.push(await ask());
    expect(errors.map(({ kind }) => kind)).toEqual(Array(4).fill("unauthorized"));
    expect(errors[0]?.message).toContain(
      `login refused for ${testUser} (Cannot complete login due to an incorrect user name or ` +
        "password.); check user and password",
    );
    expect(manager.bodies("Login")).toHaveLength(1);
    await manager.session.close();
    expect(manager.calls()).toEqual([]);
  });

  test("a login that fails otherwise is tried again by the next", async () => {
    const manager = await start({
      handle: ({ method }, count) =>
        method === "Login" && count === 0 ? fault("SystemError", "not ready") : undefined,
    });
    expect((await remoteErrorOf(manager.session.serverTime?.())).message).toContain(
      "SystemError: not ready",
    );
    expect(await manager.session.serverTime?.()).toBe(Date.parse("2026-01-02T03:04:05.678Z"));
  });

  test.each([
    [
      "no cookie",
      answer("Login", "<returnval><key>k</key></returnval>"),
      /without a session cookie/,
    ],
    ["nothing", answer("Login"), /without a session cookie/],
    ["a page", { headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" }, /HTML/],
  ])("a login answered with %s is an error", async (_what, reply, message) => {
    const manager = await start({
      handle: ({ method }) => (method === "Login" ? reply : undefined),
    });
    const error = await remoteErrorOf(manager.session.serverTime?.());
    expect(error.kind).toBe("protocol");
    expect(error.message).toMatch(message);
  });

  test("a session whose reply cannot be read is ended", async () => {
    const cookie = 'vmware_soap_session="x"';
    const manager = await start({
      handle: ({ method }) =>
        method === "Login"
          ? { headers: { "set-cookie": `${cookie}; Path=/` }, body: answer("Login").body ?? "" }
          : undefined,
    });
    expect((await remoteErrorOf(manager.session.serverTime?.())).message).toContain(
      "instead of a session",
    );
    expect(manager.server.seen.at(-1)?.headers.cookie).toBe(cookie);
    expect(manager.calls()).toEqual(["Logout SessionManager"]);
  });

  test.each([
    [
      "without ids",
      "<returnval><about><apiVersion>6.5</apiVersion></about></returnval>",
      /rootFolder/,
    ],
    ["without a version", "<returnval></returnval>", /no version/],
    ["without content", "", /no version/],
  ])("a server that says nothing of itself is an error: %s", async (_which, inner, message) => {
    const manager = await start({
      handle: ({ method }) =>
        method === "RetrieveServiceContent" ? answer(method, inner) : undefined,
    });
    const error = await remoteErrorOf(manager.session.serverTime?.());
    expect(error.kind).toBe("protocol");
    expect(error.message).toMatch(message);
    expect(manager.bodies("Login")).toEqual([]);
  });
});

describe("expiry", () => {
  test.each([true, false])(
    "one login serves all that find it expired (soft %s)",
    async (softExpiry) => {
      const manager = await start({ softExpiry });
      await readVm(manager);
      manager.alive.clear();
      const all = await Promise.all([readVm(manager), readVm(manager), readVm(manager)]);
      expect(all.map((each) => each?.status)).toEqual(Array(3).fill("found"));
      expect(manager.bodies("Login")).toHaveLength(2);
      // What the server is was asked once.
      expect(manager.bodies("RetrieveServiceContent")).toHaveLength(1);
    },
  );

  test("a change is sent again, since nothing was done", async () => {
    const manager = await start({
      handle: ({ method, request }) =>
        method === "PowerOnVM_Task" && manager.alive.has(String(request.headers.cookie))
          ? taskAnswer(method)
          : undefined,
    });
    await readVm(manager);
    manager.alive.clear();
    expect(await manager.session.send(powerOn, forever)).toEqual({ handle: { task: "task-7" } });
    expect(manager.bodies("PowerOnVM_Task")).toHaveLength(2);
  });

  test("a session that is refused from the beginning is not opened over and over", async () => {
    const manager = await start({
      handle: ({ method }) =>
        method === "CurrentTime" ? fault("NotAuthenticated", "no session") : undefined,
    });
    const errors = [];
    for (let index = 0; index < 4; index += 1)
      errors.push(await remoteErrorOf(manager.session.serverTime?.()));
    expect(errors.map(({ kind }) => kind)).toEqual(Array(4).fill("unauthorized"));
    expect(manager.bodies("Login")).toHaveLength(2);
  });

  test("views and pages belong to a session: a bulk read begins again", async () => {
    const manager = await start({
      pageMax: 1,
      handle: ({ method }, count) => {
        if (method === "ContinueRetrievePropertiesEx" && count === 0) manager.alive.clear();
        return undefined;
      },
    });
    expect(await manager.session.list?.("manager_vm")).toHaveLength(1);
    const two = await start({
      objects: [vmObject({ id: "vm-1" }), vmObject({ id: "vm-2" })],
      pageMax: 1,
      handle: ({ method }, count) => {
        if (method === "ContinueRetrievePropertiesEx" && count === 0) two.alive.clear();
        return undefined;
      },
    });
    expect(await two.session.list?.("manager_vm")).toHaveLength(2);
    expect(two.calls()).toEqual([
      "CreateContainerView ViewManager",
      "RetrievePropertiesEx propertyCollector",
      "ContinueRetrievePropertiesEx propertyCollector",
      "DestroyView session[5]view-1",
      "CreateContainerView ViewManager",
      "RetrievePropertiesEx propertyCollector",
      "ContinueRetrievePropertiesEx propertyCollector",
      "DestroyView session[5]view-2",
    ]);
  });
});

describe("replies that are no answer", () => {
  const page = { headers: { "content-type": "text/html" }, body: "<html>Hello</html>" };
  test.each([
    [
      "an HTML page",
      page,
      "protocol",
      /status 200, an HTML page: <html>Hello<\/html> instead of SOAP/,
    ],
    ["nothing", { body: "" }, "protocol", /status 200, empty body instead of SOAP/],
    [
      "a cut body",
      { body: envelope("<x/>").slice(0, 200) },
      "protocol",
      /status 200, body: .*SOAP/,
    ],
    ["another document", { body: "<Other/>" }, "protocol", /instead of SOAP/],
    ["another method", answer("Logout"), "protocol", /instead of CurrentTimeResponse/],
    ["503", { ...page, status: 503 }, "unavailable", /status 503, an HTML page/],
    ["404", { ...page, status: 404 }, "protocol", /status 404, .*is url a host manager's\?/],
    ["500 without a fault", { ...page, status: 500 }, "protocol", /status 500, an HTML page/],
    ["403", { ...page, status: 403 }, "forbidden", /status 403/],
    [
      "no time",
      answer("CurrentTime", "<returnval>soon</returnval>"),
      "protocol",
      /"soon" is no time/,
    ],
  ] as const)("%s", async (_what, reply, kind, message) => {
    const manager = await start({
      handle: ({ method }) => (method === "CurrentTime" ? reply : undefined),
    });
    const error = await remoteErrorOf(manager.session.serverTime?.());
    expect(error.kind).toBe(kind);
    expect(error.message).toMatch(message);
    expect(manager.bodies("Login")).toHaveLength(1);
  });

  test("a status without a fault never means that an object is gone", async () => {
    const manager = await start({
      handle: ({ method }) =>
        method === "RetrievePropertiesEx" ? { ...page, status: 404 } : undefined,
    });
    expect(await readVm(manager)).toMatchObject({ status: "unreadable", rule: "failed" });
    expect(await remoteErrorOf(manager.session.poll?.({ task: "task-1" }))).toMatchObject({
      kind: "protocol",
    });
  });
});

test.each([
  ["TaskInProgress", "busy", "none"],
  ["ConcurrentAccess", "busy", "none"],
  ["InvalidPowerState", "precondition", "none"],
  ["InvalidState", "precondition", "none"],
  ["ToolsUnavailable", "precondition", "none"],
  ["InsufficientHostCapacityFault", "precondition", "none"],
  ["ManagedObjectNotFound", "not-found", "none"],
  ["NoPermission", "forbidden", "none"],
  ["DuplicateName", "conflict", "none"],
  ["InvalidArgument", "invalid", "none"],
  ["NotSupported", "invalid", "none"],
  ["SystemError", "protocol", "unknown"],
  ["HostCommunication", "unavailable", "unknown"],
  ["Timedout", "timeout", "unknown"],
  ["", "protocol", "unknown"],
])("the fault %j of a change is %s, effect %s", async (type, kind, effect) => {
  const manager = await start({
    handle: ({ method }) => (method === "PowerOnVM_Task" ? fault(type, "Own words.") : undefined),
  });
  const error = await remoteErrorOf(manager.session.send(powerOn, forever));
  expect(error).toMatchObject({ kind, effect });
  expect(error.message).toContain("PowerOnVM_Task");
  expect(error.message).toContain(type === "" ? "Own words" : `${type}: Own words`);
  expect(manager.bodies("PowerOnVM_Task")).toHaveLength(1);
});

test("a fault is told with what its fields say, of whatever prefix its type has", async () => {
  const body = envelope(
    "<soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring/><detail>" +
      '<ns1:NoPermissionFault xmlns:ns1="urn:vim25" xsi:type="ns1:NoPermission">' +
      '<ns1:object type="VirtualMachine">vm-1</ns1:object>' +
      "<ns1:privilegeId>VirtualMachine.Interact.PowerOn</ns1:privilegeId>" +
      "</ns1:NoPermissionFault></detail></soapenv:Fault>",
  );
  const manager = await start({
    handle: ({ method }) => (method === "PowerOnVM_Task" ? { status: 500, body } : undefined),
  });
  const error = await remoteErrorOf(manager.session.send(powerOn, forever));
  expect(error.kind).toBe("forbidden");
  expect(error.message).toMatch(/NoPermission: .*privilegeId VirtualMachine\.Interact\.PowerOn/);
});

test("what breaks off in the midst of a change may have had its effect, and is sent once", async () => {
  const manager = await start({
    handle: ({ method }) => (method === "PowerOnVM_Task" ? "reset" : undefined),
  });
  expect((await remoteErrorOf(manager.session.send(powerOn, forever))).effect).toBe("unknown");
  expect(manager.bodies("PowerOnVM_Task")).toHaveLength(1);
});

test("a read is repeated when the server says not now", async () => {
  const manager = await start({
    handle: ({ method }, count) =>
      method === "RetrievePropertiesEx" && count < 2 ? { status: 503 } : undefined,
  });
  expect(await readVm(manager)).toMatchObject({ status: "found" });
  expect(manager.ports.retries).toHaveLength(2);
});

test("the session is ended, once, and also one that is just being opened", async () => {
  const manager = await start();
  const reading = manager.session.serverTime?.();
  await manager.session.close();
  await manager.session.close();
  await reading?.catch(() => undefined);
  expect(manager.alive.size).toBe(0);
  const logouts = manager.calls().filter((call) => call === "Logout SessionManager");
  expect(logouts.length).toBeLessThanOrEqual(1);
});

test("neither cookie nor password nor key of a session is in any error or log", async () => {
  const manager = await start({
    handle: ({ method, request }) =>
      method === "CurrentTime"
        ? { status: 500, body: `<p>${request.headers.cookie} ${testPassword}</p>` }
        : undefined,
  });
  manager.ports.mask.add(testPassword);
  const error = await remoteErrorOf(manager.session.serverTime?.());
  const told = `${error.message}${JSON.stringify(manager.ports.records)}`;
  for (const secret of ["5f0c-1/aa+b=", testPassword, "pass&amp;wörd&lt;", "52a1-1"]) {
    expect(told).not.toContain(secret);
  }
  expect(error.message).toContain("***");
});

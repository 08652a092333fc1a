/** `manager_login_events` over real HTTP, at servers that heed a filter and at others. */

import { afterEach, expect, test } from "vitest";
import type { Attributes } from "../../../../../src/model/value/value.ts";
import { periodMs } from "../../../../../src/providers/manager/client/period.ts";
import {
  answer,
  type ManagerScript,
  type ScriptedManager,
  shapeOf,
  startManager,
} from "../scripted-manager.ts";

let open: ScriptedManager | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

function contentXml(apiVersion: string, managers: string): string {
  const ids = [
    ["Folder", "rootFolder", "group-d1"],
    ["PropertyCollector", "propertyCollector", "propertyCollector"],
    ["ViewManager", "viewManager", "ViewManager"],
    ["SessionManager", "sessionManager", "SessionManager"],
  ].map(([type, name, id]) => `<${name} type="${type}">${id}</${name}>`);
  const about =
    "<about><fullName>Manager</fullName><apiType>VirtualCenter</apiType>" +
    `<apiVersion>${apiVersion}</apiVersion></about>`;
  return `<returnval>${ids.join("")}${about}${managers}</returnval>`;
}

const eventManager = '<eventManager type="EventManager">EventManager</eventManager>';

async function start(
  events: readonly string[],
  { managers = eventManager, ...script }: ManagerScript & { readonly managers?: string } = {},
): Promise<ScriptedManager> {
  open = await startManager({
    ...script,
    handle: ({ method }) => {
      if (method === "RetrieveServiceContent") {
        return answer(method, contentXml(script.apiVersion ?? "6.5", managers));
      }
      return method === "QueryEvents" ? answer(method, events.join("")) : undefined;
    },
  });
  return open;
}

type TestEvent = {
  readonly key?: number;
  readonly type?: string;
  readonly time?: string;
  readonly user?: string;
  readonly more?: string;
};

function event({ key = 1, type = "UserLoginSessionEvent", ...rest }: TestEvent = {}): string {
  const { time = "2026-01-02T03:00:00Z", user = "DOMAIN\\alice", more = "" } = rest;
  return (
    `<returnval xsi:type="${type}"><key>${key}</key><chainId>${key}</chainId>` +
    `<createdTime>${time}</createdTime><userName>${user}</userName>${more}</returnval>`
  );
}

const read = (manager: ScriptedManager, query: Attributes): Promise<Attributes> | undefined =>
  manager.session.readData?.("manager_login_events", query);

test("the latest first, with what is told of each", async () => {
  const told =
    "<fullFormattedMessage>User alice logged in</fullFormattedMessage>" +
    "<ipAddress>10.0.0.9</ipAddress><locale>en</locale>";
  const manager = await start([
    event({ key: 1, time: "2026-01-02T04:00:00.5+01:00", more: told }),
    event({ key: 3, time: "2026-01-02T05:00:00Z", user: "bob" }),
    event({ key: 2, time: "2026-01-02T05:00:00Z", user: "carl" }),
  ]);
  const answered = await read(manager, {});
  expect(answered).toEqual({
    events: [
      { time: "2026-01-02T05:00:00.000Z", user_name: "bob", ip_address: null, message: null },
      { time: "2026-01-02T05:00:00.000Z", user_name: "carl", ip_address: null, message: null },
      {
        time: "2026-01-02T03:00:00.500Z",
        user_name: "DOMAIN\\alice",
        ip_address: "10.0.0.9",
        message: "User alice logged in",
      },
    ],
    truncated: false,
  });
  expect(manager.calls()).toEqual(["QueryEvents EventManager"]);
  expect(shapeOf(manager.bodies("QueryEvents")[0] ?? "", "filter")).toEqual([
    "eventTypeId",
    "eventTypeId",
    "maxCount",
  ]);
});

test("a server that ignores the filter changes nothing", async () => {
  const manager = await start([
    event({ type: "UserLogoutSessionEvent" }),
    event({ user: "bob" }),
    event({ user: "domain\\ALICE", time: "2026-01-02T02:59:59Z" }),
    event({ key: 7, user: "domain\\ALICE", time: "2026-01-02T03:00:00Z" }),
  ]);
  const since = "2026-01-02T04:00:00+01:00";
  const answered = await read(manager, { user_name: "DOMAIN\\alice", since });
  expect(answered?.events).toMatchObject([{ time: "2026-01-02T03:00:00.000Z" }]);
  const [body = ""] = manager.bodies("QueryEvents");
  expect(shapeOf(body, "filter")).toEqual([
    "time",
    "userName",
    "eventTypeId",
    "eventTypeId",
    "maxCount",
  ]);
  expect(body).toContain("<beginTime>2026-01-02T03:00:00.000Z</beginTime>");
  expect(body).toContain("<systemUser>false</systemUser><userList>DOMAIN\\alice</userList>");
});

test("a period ends at the server's own time", async () => {
  const manager = await start([event({ time: "2026-01-01T03:04:05Z" }), event()]);
  const answered = await read(manager, { since: "1d" });
  expect(answered?.events).toHaveLength(1);
  expect(manager.bodies("QueryEvents")[0]).toContain(
    "<beginTime>2026-01-01T03:04:05.678Z</beginTime>",
  );
});

test("a limit, and an answer that is as long as any can be", async () => {
  const three = [1, 2, 3].map((key) => event({ key }));
  const manager = await start(three);
  expect(await read(manager, { limit: 2 })).toMatchObject({ truncated: true });
  expect((await read(manager, { limit: 2 }))?.events).toHaveLength(2);
  expect(await read(manager, { limit: 3 })).toMatchObject({ truncated: false });
  await manager.close();
  const others = Array.from({ length: 1000 }, (_, key) => event({ key, user: "bob" }));
  const full = await start(others);
  expect(await read(full, { user_name: "alice" })).toEqual({ events: [], truncated: true });
});

test("an old server is not told how many", async () => {
  const manager = await start([], { apiVersion: "6.0" });
  await read(manager, {});
  expect(manager.bodies("QueryEvents")[0]).not.toContain("maxCount");
});

test.each([
  [{ since: "yesterday" }, {}, "invalid", "neither an instant"],
  [{}, { managers: "" }, "invalid", "names no event manager"],
])("what cannot be answered: %j", async (query, script, kind, words) => {
  const manager = await start([], script);
  await expect(read(manager, query)).rejects.toMatchObject({
    kind,
    message: expect.stringContaining(words) as string,
  });
  expect(manager.bodies("QueryEvents")).toEqual([]);
});

test("an event without a time is no event", async () => {
  const manager = await start([event({ time: "soon" })]);
  await expect(read(manager, {})).rejects.toMatchObject({ kind: "protocol" });
});

test.each([
  ["90s", 90_000],
  ["24h", 86_400_000],
  ["30d", 2_592_000_000],
  ["2w", 1_209_600_000],
  ["0d", undefined],
  ["d", undefined],
  ["1y", undefined],
  ["99999999999999d", 1e14],
])("a period of %s", (text, ms) => {
  expect(periodMs(text)).toBe(ms);
});

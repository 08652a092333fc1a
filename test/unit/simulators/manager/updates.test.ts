/** Watching properties: what is told, when, in which portions, and how waiting ends. */

import { expect, test } from "vitest";
import { attributeOf, textOf } from "../../../../src/lib/xml/xml.ts";
import type { Client, SoapReply, Target } from "./manager-client.ts";
import {
  childOf,
  clientOf,
  faultOf,
  filterOf,
  listOf,
  nested,
  reconfigure,
  targetOf,
  vmOf,
} from "./manager-client.ts";

const collector: Target = "PropertyCollector:propertyCollector";

function specOf(target: Target, ...paths: readonly string[]): string {
  const inner = filterOf(target, paths).replaceAll("specSet", "spec");
  return `${inner}<partialUpdates>false</partialUpdates>`;
}

async function watch(client: Client, key: string, ...paths: readonly string[]): Promise<Target> {
  return targetOf(
    await client.call("CreateFilter", collector, specOf(vmOf(client, key), ...paths)),
  );
}

/** Kind, object, and the values of what has changed; undefined when nothing is told. */
function news(reply: SoapReply) {
  expect(reply.status).toBe(200);
  const [value] = reply.values;
  if (value === undefined) return undefined;
  const textIn = (name: string): string => textOf(childOf(value, name) ?? value);
  const objects = listOf(value, "filterSet")
    .flatMap((part) => listOf(part, "objectSet"))
    .map((each) => {
      const changes = listOf(each, "changeSet").map((change) => {
        const val = childOf(change, "val");
        return val === undefined ? null : textOf(val);
      });
      return [textOf(childOf(each, "kind") ?? each), ...changes];
    });
  return { version: textIn("version"), truncated: textIn("truncated"), objects };
}

const waitFor = (version: string, options = "") =>
  `<version>${version}</version>${options === "" ? "" : `<options>${options}</options>`}`;

test("what enters, changes and leaves, and nothing in between", async () => {
  const client = await clientOf({ vms: { web: {} } });
  await watch(client, "web", "name", "config.nestedHVEnabled");
  const check = async (version: string) =>
    news(await client.call("CheckForUpdates", collector, waitFor(version)));
  expect(await check("")).toEqual({
    version: "1",
    truncated: "false",
    objects: [["enter", "web"]],
  });
  expect(await check("1")).toBeUndefined();
  await client.simulators.change({ change_manager_vm: { vm: "web", nested: true } });
  expect((await check("1"))?.objects).toEqual([["modify", "true"]]);
  expect(faultOf(await client.call("CheckForUpdates", collector, waitFor("1")))[0]).toBe(
    "InvalidCollectorVersion",
  );
  await client.simulators.change({ delete_manager_vm: { vm: "web" } });
  expect((await check("2"))?.objects).toEqual([["leave"]]);
  expect(await check("3")).toBeUndefined();
});

test("all again with an empty version, and what is unset is assigned nothing", async () => {
  const client = await clientOf({ vms: { web: {} } });
  await watch(client, "web", "name", "guest.guestState");
  const check = async (version: string) =>
    news(await client.call("CheckForUpdates", collector, waitFor(version)))?.objects;
  const [first] = (await check("")) ?? [];
  expect(first?.slice(0, 2)).toEqual(["enter", "web"]);
  await client.simulators.change({ change_manager_vm: { vm: "web", connection: "inaccessible" } });
  expect(await check("1")).toEqual([["modify", null]]);
  expect(await check("")).toEqual([["enter", "web"]]);
});

test("in portions, of which none is lost", async () => {
  const client = await clientOf({ vms: { a: {}, b: {}, c: {} } });
  for (const key of ["a", "b", "c"]) await watch(client, key, "name");
  const next = async (version: string) =>
    news(
      await client.call(
        "WaitForUpdatesEx",
        collector,
        waitFor(
          version,
          "<maxWaitSeconds>0</maxWaitSeconds><maxObjectUpdates>2</maxObjectUpdates>",
        ),
      ),
    );
  expect(await next("")).toMatchObject({
    truncated: "true",
    objects: [
      ["enter", "a"],
      ["enter", "b"],
    ],
  });
  expect(await next("1")).toMatchObject({ truncated: "false", objects: [["enter", "c"]] });
  expect(await next("2")).toBeUndefined();
});

test("a wait ends by a change, by time, by being told to, and with the session", async () => {
  const client = await clientOf({ vms: { web: {} } });
  await watch(client, "web", "config.nestedHVEnabled");
  await client.call("CheckForUpdates", collector, waitFor(""));
  const wait = (version: string, options = "") =>
    client.call("WaitForUpdatesEx", collector, waitFor(version, options));
  const changed = wait("1");
  const task = await client.call(reconfigure, vmOf(client, "web"), nested(true));
  expect(attributeOf(task.values[0] ?? task.body, "type")).toBe("Task");
  client.simulators.clock.advance(60_000);
  expect(news(await changed)?.objects).toEqual([["modify", "true"]]);
  const over = wait("2", "<maxWaitSeconds>60</maxWaitSeconds>");
  await client.call("CurrentTime", "ServiceInstance:ServiceInstance");
  client.simulators.clock.advance(60_000);
  expect(news(await over)).toBeUndefined();
  const cancelled = wait("2");
  const began = () =>
    client.simulators.log().filter(({ body }) => body.includes("WaitForUpdatesEx"));
  while (began().length < 3) await client.call("CurrentTime", "ServiceInstance:ServiceInstance");
  await client.call("CancelWaitForUpdates", collector);
  client.simulators.clock.advance(1000);
  expect(faultOf(await cancelled)[0]).toBe("RequestCanceled");
  const left = wait("2");
  while (began().length < 4) await client.call("CurrentTime", "ServiceInstance:ServiceInstance");
  await client.call("Logout", "SessionManager:SessionManager");
  client.simulators.clock.advance(1000);
  expect(faultOf(await left)[0]).toBe("NotAuthenticated");
});

test("a filter for what there cannot be is refused, and a destroyed one is gone", async () => {
  const client = await clientOf({ vms: { web: {} } });
  const wrong = specOf(vmOf(client, "web"), "config.nothing");
  expect(faultOf(await client.call("CreateFilter", collector, wrong))[0]).toBe("InvalidProperty");
  const filter = await watch(client, "web", "name");
  await client.call("DestroyPropertyFilter", filter);
  expect(faultOf(await client.call("DestroyPropertyFilter", filter))[0]).toBe(
    "ManagedObjectNotFound",
  );
  expect(news(await client.call("CheckForUpdates", collector, waitFor("")))).toBeUndefined();
});

test("one property by Fetch", async () => {
  const client = await clientOf({ vms: { web: { unreadable: ["config.version"] } } });
  const web = vmOf(client, "web");
  const fetched = (path: string) => client.call("Fetch", web, `<prop>${path}</prop>`);
  expect(textOf((await fetched("name")).values[0] ?? (await fetched("name")).body)).toBe("web");
  const list = await fetched("datastore");
  expect(listOf(list.values[0], "ManagedObjectReference")).toHaveLength(1);
  expect((await fetched("parentVApp")).values).toEqual([]);
  expect(faultOf(await fetched("nothing"))).toEqual(["InvalidProperty", { name: "nothing" }]);
  expect(faultOf(await fetched("config.version"))[0]).toBe("NoPermission");
  const stranger = { cookie: "" };
  const content = await client.call(
    "Fetch",
    "ServiceInstance:ServiceInstance",
    "<prop>content.about.apiType</prop>",
    stranger,
  );
  expect(content.text).toContain("VirtualCenter");
  const closed = await client.call("Fetch", web, "<prop>name</prop>", stranger);
  expect(faultOf(closed)[0]).toBe("NotAuthenticated");
});

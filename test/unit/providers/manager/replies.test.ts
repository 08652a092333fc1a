/** Replies that are too old, too short, too long or no replies at all, to reads and to changes. */

import { afterEach, describe, expect, test } from "vitest";
import { amount, onlyInLongRun } from "../../../helpers/amount.ts";
import { remoteErrorOf } from "../../../helpers/remote-error.ts";
import { formPage, html, resultPage, taskResult, withCookie } from "./browser-server.ts";
import { host, operation, taskObject, vmObject, wanted } from "./machines.ts";
import {
  type Answered,
  answer,
  envelope,
  fault,
  type ManagerScript,
  type ScriptedManager,
  startManager,
  taskAnswer,
} from "./scripted-manager.ts";

const forever = Number.MAX_SAFE_INTEGER;
const megabyte = 1024 ** 2;

let open: ScriptedManager | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(script: ManagerScript): Promise<ScriptedManager> {
  open = await startManager(script);
  return open;
}

const next = "ContinueRetrievePropertiesEx";
const three = ["vm-1", "vm-2", "vm-3"].map((id) => vmObject({ id }));

describe("a token that the server does not know any more", () => {
  const dropped = fault("InvalidArgument", "A specified parameter was not correct: token");

  test("the list is read again from its beginning, and is whole", async () => {
    const manager = await start({
      objects: three,
      pageMax: 1,
      // In the midst of the first list, and at the beginning of the second.
      handle: ({ method }, count) =>
        method === next && [1, 2].includes(count) ? dropped : undefined,
    });
    const found = await manager.session.list?.("manager_vm");
    expect(found?.map(({ identity }) => identity)).toEqual(["vm-1", "vm-2", "vm-3"]);
    const lists = manager.calls().filter((call) => call.startsWith("RetrievePropertiesEx"));
    expect(lists).toHaveLength(3);
    expect(manager.bodies("Login")).toHaveLength(1);
    // One view, which is ended.
    const views = manager.calls().filter((call) => /View /.test(call));
    expect(views).toEqual(["CreateContainerView ViewManager", "DestroyView session[5]view-1"]);
  });

  test("dropped each time it is an error, and nothing is missing for it", async () => {
    const manager = await start({
      objects: [...three, host],
      pageMax: 1,
      handle: ({ method }) => (method === next ? dropped : undefined),
    });
    const error = await remoteErrorOf(manager.session.list?.("manager_vm"));
    expect(error.message).toMatch(/InvalidArgument.*dropped the rest of the list, 3 times/);
    const read = await manager.session.read(
      ["vm-1", "vm-2"].map((identity) => wanted("manager_vm", { identity })),
    );
    expect(read.map(({ status }) => status)).toEqual(["unreadable", "unreadable"]);
  });
});

const page = html("<html><title>Sign in</title></html>");
const replies: readonly (readonly [string, Answered, RegExp])[] = [
  ["an HTML page", page, /an HTML page/],
  ["nothing", { body: "" }, /empty body/],
  ["half of it", { body: (taskAnswer("PowerOnVM_Task").body ?? "").slice(0, 300) }, /SOAP/],
  ["no XML", { body: '{"task":"task-7"}' }, /instead of SOAP/],
  ["a document type", { body: `<!DOCTYPE x>${envelope("<x/>")}` }, /SOAP/],
  ["another method", answer("Logout"), /instead of PowerOnVM_TaskResponse/],
  ["no task", answer("PowerOnVM_Task"), /names no task/],
  [
    "something that is no task",
    answer("PowerOnVM_Task", '<returnval type="Alarm">a</returnval>'),
    /names no task/,
  ],
];

test.each(replies)("a change answered with %s may have been done", async (_, reply, message) => {
  const manager = await start({
    objects: [vmObject({ id: "vm-1" })],
    handle: ({ method }) => (method === "PowerOnVM_Task" ? reply : undefined),
  });
  const sending = manager.session.send(operation("manager_vm", "power-on", "vm-1"), forever);
  const error = await remoteErrorOf(sending);
  expect(error).toMatchObject({ kind: "protocol", effect: "unknown" });
  expect(error.message).toMatch(message);
  expect(error.message.length).toBeLessThan(1000);
  expect(manager.bodies("PowerOnVM_Task")).toHaveLength(1);
});

describe("replies of many megabytes", () => {
  const long = "x".repeat(amount(3, 10) * megabyte);

  test("are read", async () => {
    const big = vmObject({ id: "vm-1" });
    const note = `<val xsi:type="xsd:string">${long}</val>`;
    const manager = await start({
      objects: [{ ...big, values: { ...big.values, "config.instanceUuid": note } }, host],
    });
    const [seen] = await manager.session.read([wanted("manager_vm", { identity: "vm-1" })]);
    expect(seen).toMatchObject({ status: "found", attributes: { instance_uuid: long } });
  });

  test("that are no SOAP are told in a line", onlyInLongRun, async () => {
    const manager = await start({
      handle: ({ method }) =>
        method === "CurrentTime" ? html(`<html><p>${long}</p></html>`) : undefined,
    });
    const error = await remoteErrorOf(manager.session.serverTime?.());
    expect(error.message).toContain("an HTML page");
    expect(error.message.length).toBeLessThan(1000);
  });

  test("of a fault are told in a line", onlyInLongRun, async () => {
    const manager = await start({
      handle: ({ method }) => (method === "CurrentTime" ? fault("SystemError", long) : undefined),
    });
    const error = await remoteErrorOf(manager.session.serverTime?.());
    expect(error.message).toContain("SystemError");
    expect(error.message.length).toBeLessThan(1000);
  });

  test.each([
    [
      "with its task at the end",
      resultPage(taskResult).replace("<h1>", `<p>${long}</p><h1>`),
      true,
    ],
    ["that is none of its own", `<p>${long}</p>`, false],
  ])("of the object browser, %s", async (_, form, isTask) => {
    const manager = await start({
      objects: [vmObject({ id: "vm-1" }), taskObject({ id: "task-123" })],
      handle: ({ method }) => {
        if (method.startsWith("GET /mob/?")) return withCookie(formPage);
        if (method.startsWith("POST /mob/")) return html(form);
        return method === "GET /mob/logout" ? html("bye") : undefined;
      },
    });
    const wipe = operation("manager_disk_reclaim", "wipe", "vm-1/reclaim");
    const sending = manager.session.send(wipe, forever);
    if (isTask) {
      expect((await sending).handle).toMatchObject({ task: "task-123" });
      return;
    }
    const error = await remoteErrorOf(sending);
    expect(error).toMatchObject({ kind: "protocol", effect: "unknown" });
    expect(error.message.length).toBeLessThan(1000);
  });
});

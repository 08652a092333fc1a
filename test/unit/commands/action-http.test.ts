/** `vmform action` and `vmform ticket` against the simulated cloud, over real HTTP. */

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LoggedRequest } from "../../../src/simulators/kit/request-log.ts";
import { type CloudPlace, createCloudPlace, isMutation } from "../../e2e/cloud-place.ts";

let place: CloudPlace;

beforeEach(async () => {
  place = await createCloudPlace();
  place.write({
    "cloud_vm.a": { name: "a", power: "on" },
    "cloud_vm.c": { name: "c" },
  });
  await place.run(0, "apply", "--auto-approve");
  // What is recorded must do: nothing else of the configuration can be read from now on.
  place.write({ "cloud_vm.a": { nonsense: true } });
});
afterEach(() => place.remove());

const sent = (log: readonly LoggedRequest[]): readonly string[] =>
  log.filter(isMutation).map(({ method, path }) => `${method} ${path}`);
const actionOn = (key: string, action: string): string => `POST ${place.pathOf(key)}${action}`;

test.each([
  ["reset", "power-cycle", "/power/action/reset", "on"],
  ["shutdown", "power-off", "/power/action/shutdown", "off"],
  ["suspend", "power-off", "/power/action/suspend", "suspended"],
])("%s: one request, and what came of it", async (action, disruption, path, power) => {
  const words = ["action", "cloud_vm.a", action, "--auto-approve", "--allow", disruption];
  let stdout = "";
  const log = await place.logged(async () => {
    ({ stdout } = await place.run(0, ...words));
  });
  expect(sent(log)).toEqual([actionOn("a", path)]);
  expect(stdout).toContain(`object:      a (${place.pathOf("a")})`);
  expect(stdout).toContain(`Action complete after`);
  const back = "Power was last applied as on; an apply brings that back.";
  expect(stdout.includes(back)).toBe(disruption === "power-off");
  const state = readFileSync(place.file("state/default.json"), "utf8");
  expect(state).toContain('"power_state": "on"');
  place.write({ "cloud_vm.a": { name: "a", power: "on" }, "cloud_vm.c": { name: "c" } });
  const plan = await place.run(0, "plan");
  if (power === "on") expect(plan.stdout).toContain("No changes.");
  else expect(plan.stdout).toContain(`~ power_state: "on" -> "${power}`);
});

describe("nothing is sent", () => {
  test.each<[readonly string[], RegExp]>([
    [["cloud_vm.a", "reset"], /add: --auto-approve --allow power-cycle/],
    [["cloud_vm.a", "reset", "--json"], /"code":"CLI004"/],
    [["cloud_vm.a", "reset", "--auto-approve"], /add: --allow power-cycle/],
    [["cloud_vm.a", "reset", "--auto-approve", "--allow", "power-off"], /CLI005/],
    [["cloud_vm.a", "start", "--auto-approve"], /There are: reset/],
    [["cloud_vm.b", "reset", "--auto-approve"], /Nothing is recorded at cloud_vm.b/],
    [
      ["cloud_vm.c", "suspend", "--auto-approve", "--allow", "power-off"],
      /VM c is off, and suspend needs it on/,
    ],
    [["cloud_vm.c", "revert", "--auto-approve"], /VM c has no snapshot to go back to/],
  ])("%j", async (words, why) => {
    const log = await place.logged(async () => {
      const { stdout, stderr } = await place.run(1, "action", ...words);
      expect(stdout + stderr).toMatch(why);
    });
    expect(sent(log)).toEqual([]);
  });
});

test("the server's refusal is told in its words, and the request not repeated", async () => {
  const words = ["action", "cloud_vm.a", "suspend", "--auto-approve", "--allow", "power-off"];
  await place.setFaults({
    on: "POST /api/vApp/*/power/action/suspend",
    change: { power_cloud_vm: { vm: "a", power: "off" } },
  });
  place.excuse("violation");
  const log = await place.logged(async () => {
    const { stderr } = await place.run(1, ...words);
    expect(stderr).toContain('since VM "a" is not powered on.');
  });
  expect(sent(log)).toHaveLength(1);
});

describe("a task", () => {
  const cancel = ["action", "cloud_vm.a", "cancel-task", "--auto-approve"] as const;
  const begin = (user: string): Promise<unknown> =>
    place.change({ start_cloud_task: { vm: "a", duration_ms: 600_000, user } });

  test("where none runs there is nothing to cancel", async () => {
    expect((await place.run(0, ...cancel)).stdout).toContain("Nothing to do: nothing is running");
  });

  test("of somebody else is named, and cancelled with a word of its own alone", async () => {
    await begin("alice");
    const log = await place.logged(async () => {
      const { stdout, stderr } = await place.run(1, ...cancel);
      expect(stdout).toMatch(/task: +Updating Virtual Machine a.*, by alice/);
      expect(stdout).toContain("begun by:    alice, not by admin");
      expect(stderr).toContain("add: --allow foreign-task");
    });
    expect(sent(log)).toEqual([]);
    expect((await place.run(0, ...cancel, "--allow", "foreign-task")).stdout).toContain("canceled");
  });

  test("of our own needs none", async () => {
    await begin("admin");
    const { stdout } = await place.run(0, ...cancel);
    expect(stdout).toContain("begun by:    the user of this session");
  });
});

test("only success is success", async () => {
  const words = ["action", "cloud_vm.a", "reset", "--auto-approve", "--allow", "power-cycle"];
  await place.setFaults({
    on: "POST /api/vApp/*/power/action/reset",
    task: { end: "aborted", message: "no host has room" },
  });
  const { stdout } = await place.run(1, ...words, "--json");
  const messages = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly type: string });
  const types = messages.map(({ type }) => type).filter((type) => type !== "action_progress");
  expect(types).toEqual([
    "version",
    // The configuration cannot be read.
    "diagnostic",
    "planned_action",
    "action_start",
    "action_errored",
    "diagnostic",
  ]);
  expect(messages.at(-1)).toMatchObject({
    diagnostic: { code: "CLI009", detail: expect.stringContaining("was aborted") as string },
  });
});

test("cancel-task beside an apply: the task ends, and the apply with an error", async () => {
  const slow = await createCloudPlace({ durations_ms: { relocate: 600_000 } });
  slow.write({ "cloud_vm.a": { name: "a" } });
  await slow.run(0, "apply", "--auto-approve");
  slow.write({ "cloud_vm.a": { name: "a", datastore: "fast" } });
  slow.excuse("session");
  const log = await slow.logged(async () => {
    const apply = slow.run(1, "apply", "--auto-approve");
    await until(() => slow.simulators.world().cloud.tasks.some(({ ended }) => ended === null));
    const cancel = await slow.run(0, "action", "cloud_vm.a", "cancel-task", "--auto-approve");
    expect(cancel.stdout).toContain("was canceled");
    expect((await apply).stdout).toContain("relocate failed");
  });
  const path = slow.pathOf("a");
  expect(sent(log)[0]).toBe(`POST ${path}/action/relocate`);
  expect(sent(log).slice(1)).toEqual([expect.stringMatching(/^POST \/api\/task\/.*\/cancel$/)]);
  expect((await slow.run(0, "plan")).stdout).toContain("Plan: 0 to add, 1 to change");
  await slow.remove();
});

async function until(isSo: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + 60_000;
  while (!isSo()) {
    if (Date.now() > deadlineMs) throw new Error("it does not happen");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe("ticket", () => {
  test("it opens the screen, stands alone on standard output, and is kept nowhere", async () => {
    const log = await place.logged(async () => {
      const { stdout, stderr } = await place.run(0, "ticket", "cloud_vm.a");
      const [host, ticket, url, ...rest] = stdout.split("\n");
      expect(rest).toEqual([""]);
      expect(host).toBe("host:   console.example");
      expect(ticket).toMatch(/^ticket: cst-.*\/.*--tp-[0-9A-F:]+--$/);
      expect(stderr).toContain("warning: Recorded provider settings are used (CLI011)");
      expect(stderr).toMatch(/\nValid for 30s, until \d\d:\d\d:\d\d\. It is kept nowhere\.\n$/);
      const opening = { ticket: url?.replace(/^url: +/, "") };
      const control = `${place.simulators.origins.cloud}/_simulator/console`;
      const reply = await fetch(control, { method: "POST", body: JSON.stringify(opening) });
      expect(await reply.json()).toEqual({ opens: true });
    });
    expect(sent(log)).toEqual([]);
  });

  test("as JSON it is one object", async () => {
    const { stdout, stderr } = await place.run(0, "ticket", "cloud_vm.a", "--json");
    const document = JSON.parse(stdout) as { readonly [name: string]: string };
    expect(Object.keys(document).toSorted()).toEqual([
      "format_version",
      "host",
      "ticket",
      "url",
      "valid_until",
    ]);
    const encoded = document.url?.split("?ticket=")[1] ?? "";
    expect(decodeURIComponent(encoded)).toBe(document.ticket);
    expect(stderr).toBe("");
  });

  test("a VM that is off has no screen", async () => {
    const { stdout, stderr } = await place.run(1, "ticket", "cloud_vm.c");
    expect(stdout).toBe("");
    expect(stderr).toContain("VM c is off");
    expect(stderr).toContain("power: on");
  });
});

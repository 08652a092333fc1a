/**
 * Alarms of logins from the first plan to the last: made once, mended when somebody edits them,
 * never taken from somebody else, and not made twice by a run that is killed.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import type { OutsideChange } from "../../src/simulators/core.ts";
import type { DataObject } from "../../src/simulators/manager/soap/soap-value.ts";
import type { World } from "../../src/simulators/world.ts";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import { endChildren } from "./child.ts";
import { isMutation } from "./cloud-place.ts";
import { makeTries } from "./kill-loop.ts";
import { triesOf } from "./kill-points.ts";
import { apply } from "./manager-fault-run.ts";
import { managerKillScenarios } from "./manager-kill-scenarios.ts";
import { lingerMs, runUndisturbed, tryOnce } from "./manager-kill-try.ts";
import { createManagerPlace, type ManagerPlace, nameOf } from "./manager-place.ts";

const address = "manager_login_alarm.a";
const name = "adm logs in";
const adm = "LAB.LOCAL\\adm";

let place: ManagerPlace | undefined;
afterEach(async () => {
  await place?.remove();
  place = undefined;
});

function write(at: ManagerPlace, more: { readonly [attribute: string]: unknown } = {}): void {
  at.write({ [address]: { name, user_name: adm, ...more } });
}

async function applied(): Promise<ManagerPlace> {
  const made = await createManagerPlace();
  place = made;
  write(made);
  await made.run(0, ...apply);
  return made;
}

/** Names of the changes that a command sends. */
async function sentBy(at: ManagerPlace, words: readonly string[] = apply) {
  return (await at.logged(() => at.run(0, ...words))).filter(isMutation).map(nameOf);
}

async function isSettled(at: ManagerPlace): Promise<void> {
  await at.run(0, "plan", "--detailed-exitcode");
  await at.run(0, "drift");
  expect(at.alarm(name)?.spec).toMatchObject({
    enabled: true,
    expression: { comparisons: [{ attributeName: "userName", operator: "equals", value: adm }] },
  });
}

test("one is made, by one request, and a second plan is empty", async () => {
  const at = await createManagerPlace();
  place = at;
  write(at);
  expect(await sentBy(at)).toEqual(["CreateAlarm"]);
  await isSettled(at);
  expect(await sentBy(at)).toEqual([]);
  // What is recorded is not listed as recorded nowhere.
  expect((await at.run(0, "drift")).stdout).not.toContain("manager_login_alarm");
});

/** The same user, watched in another way. */
function expressed(changes: Partial<DataObject>) {
  return (world: World): World => {
    const { manager } = world;
    const alarms = manager.alarms.map((alarm) => {
      const expression = { ...(alarm.spec["expression"] as DataObject), ...changes };
      return { ...alarm, spec: { ...alarm.spec, expression } };
    });
    return { ...world, manager: { ...manager, alarms } };
  };
}

const comparison = { is: "EventAlarmExpressionComparison", attributeName: "userName", value: adm };
const edits: readonly (readonly [
  what: string,
  change: OutsideChange | ((world: World) => World),
  says: RegExp,
])[] = [
  ["another user", { change_manager_alarm: { name, user: "LAB.LOCAL\\eve" } }, /user_name/],
  ["turned off", { change_manager_alarm: { name, enabled: false } }, /enabled/],
  ["another status", expressed({ status: "yellow" }), /expression.*status (red|yellow)/s],
  [
    "everybody else",
    expressed({ comparisons: [{ ...comparison, operator: "notEqualTo" }] }),
    /expression.*notEqualTo/s,
  ],
  ["other logins", expressed({ eventType: "BadUsernameSessionEvent" }), /expression/],
];

test.each(some(edits, 1))(
  "an edit (%s) is drift, and set again by one request",
  async (_, change, says) => {
    const at = await applied();
    const id = at.alarm(name)?.id;
    await at.change(change);
    expect((await at.run(2, "drift")).stdout).toMatch(says);
    expect(await sentBy(at)).toEqual(["ReconfigureAlarm"]);
    expect(at.alarm(name)?.id).toBe(id);
    await isSettled(at);
  },
);

test("a description that nobody has configured is left alone", async () => {
  const at = await applied();
  await at.change({ change_manager_alarm: { name, description: "ask Eve" } });
  await at.change({ change_manager_alarm: { name, enabled: false } });
  expect(await sentBy(at)).toEqual(["ReconfigureAlarm"]);
  expect(at.alarm(name)?.spec).toMatchObject({ description: "ask Eve", enabled: true });
  write(at, { description: "adm is never to log in" });
  expect(await sentBy(at)).toEqual(["ReconfigureAlarm"]);
  expect(at.alarm(name)?.spec).toMatchObject({ description: "adm is never to log in" });
  await isSettled(at);
});

test("one that somebody has removed is drift, and made again", async () => {
  const at = await applied();
  await at.change({ remove_manager_alarm: { name } });
  expect((await at.run(2, "drift")).stdout).toMatch(/absent from the complete list of 1 alarm of/);
  expect(await sentBy(at)).toEqual(["CreateAlarm"]);
  await isSettled(at);
});

test(
  "one that somebody has renamed is still ours, and gets its name back",
  onlyInLongRun,
  async () => {
    const at = await applied();
    const id = at.alarm(name)?.id;
    await at.change({ change_manager_alarm: { name, new_name: "mine" } });
    expect((await at.run(2, "drift")).stdout).toMatch(/recorded "adm logs in", observed "mine"/);
    expect(await sentBy(at)).toEqual(["ReconfigureAlarm"]);
    expect(at.alarm("mine")).toBeUndefined();
    expect(at.alarm(name)?.id).toBe(id);
    await isSettled(at);
  },
);

test(
  "one of that name that somebody has made instead is told, and is not taken",
  onlyInLongRun,
  async () => {
    const at = await applied();
    await at.change({ remove_manager_alarm: { name } });
    await at.change({ add_manager_alarm: { name, user: "LAB.LOCAL\\eve" } });
    await at.run(2, "drift");
    const { stdout, stderr } = await at.run(1, ...apply);
    expect(`${stdout}${stderr}`).toContain(
      `vmform state rm '${address}', then vmform import '${address}' '${name}'`,
    );
    expect(at.alarm(name)?.spec).toMatchObject({
      expression: { comparisons: [{ value: "LAB.LOCAL\\eve" }] },
    });
    // The advice is one that works.
    await at.run(0, "state", "rm", address);
    await at.run(0, "import", address, name);
    expect(await sentBy(at)).toEqual(["ReconfigureAlarm"]);
    await isSettled(at);
  },
);

const builtIn = "Host connection and power state";

test("one of another kind is neither imported nor changed, and nobody is told to", async () => {
  const at = await createManagerPlace();
  place = at;
  const before = at.alarm(builtIn);
  expect(before).toBeDefined();
  write(at, { name: builtIn });
  const told = await at.run(1, "plan");
  const words = `${told.stdout}${told.stderr}`;
  expect(words).toMatch(/PLN002/);
  expect(words).toMatch(/no alarm on the logins of one user/);
  expect(words).not.toMatch(/vmform import/);
  for (const id of [builtIn, before?.id ?? ""]) {
    const { stdout, stderr } = await at.run(1, "import", address, id);
    expect(`${stdout}${stderr}`).toMatch(/no alarm on the logins of one user/);
  }
  at.write(
    { [address]: { name: builtIn, user_name: adm } },
    {},
    { imports: [{ to: address, id: builtIn }] },
  );
  const entry = await at.run(1, ...apply);
  expect(`${entry.stdout}${entry.stderr}`).toMatch(/PLN018/);
  expect(at.alarm(builtIn)).toEqual(before);
  expect(at.simulators.log().filter(isMutation)).toEqual([]);
});

test(
  "somebody else's is left alone until it is imported, and ours from then on",
  onlyInLongRun,
  async () => {
    const at = await createManagerPlace();
    place = at;
    await at.change({ add_manager_alarm: { name, user: "LAB.LOCAL\\eve" } });
    const foreign = at.alarm(name)?.id;
    write(at);
    const { stdout, stderr } = await at.run(1, ...apply);
    expect(`${stdout}${stderr}`).toContain(`vmform import '${address}' '${name}'`);
    expect(at.simulators.log().filter(isMutation)).toEqual([]);
    expect(await sentBy(at, ["import", address, name])).toEqual([]);
    expect(await sentBy(at)).toEqual(["ReconfigureAlarm"]);
    expect(at.alarm(name)?.id).toBe(foreign);
    await isSettled(at);
    expect(await sentBy(at, ["destroy", "--auto-approve"])).toEqual(["RemoveAlarm"]);
    expect(at.alarm(name)).toBeUndefined();
  },
);

test(
  "another name is given to the same alarm, with what people have added to it",
  onlyInLongRun,
  async () => {
    const at = await applied();
    const id = at.alarm(name)?.id;
    const action = { is: "GroupAlarmAction", action: [] };
    await at.change((world: World): World => {
      const alarms = world.manager.alarms.map((alarm) =>
        alarm.id === id ? { ...alarm, spec: { ...alarm.spec, action } } : alarm,
      );
      return { ...world, manager: { ...world.manager, alarms } };
    });
    write(at, { name: "adm is in" });
    const { stdout } = await at.run(0, "plan");
    expect(stdout).toMatch(/0 to add, 1 to change, 0 to destroy/);
    expect(await sentBy(at)).toEqual(["ReconfigureAlarm"]);
    expect(at.alarm(name)).toBeUndefined();
    expect(at.alarm("adm is in")).toMatchObject({ id, spec: { action } });
    await at.run(0, "plan", "--detailed-exitcode");
    await at.run(0, "drift");
  },
);

test("a name that another alarm has is not taken", async () => {
  const at = await applied();
  write(at, { name: builtIn });
  const { stdout, stderr } = await at.run(1, ...apply);
  expect(`${stdout}${stderr}`).toMatch(/PLN002/);
  expect(at.alarm(name)).toBeDefined();
});

test("a reply to the create that is lost makes no second one", onlyInLongRun, async () => {
  const at = await createManagerPlace();
  place = at;
  write(at);
  await at.setFaults({ on: "POST /sdk", body: "*<CreateAlarm*", reset: "after" });
  expect(await sentBy(at)).toEqual(["CreateAlarm"]);
  await isSettled(at);
  // Beside the one that every manager comes with.
  expect(at.simulators.world().manager.alarms).toHaveLength(2);
});

test(
  "a single host has no alarms: what is recorded is kept, and a plan says why",
  onlyInLongRun,
  async () => {
    const at = await applied();
    await at.rule({ kind: "host" });
    for (const words of [["plan"], ["drift"], apply]) {
      const { stdout, stderr } = await at.run(1, ...words);
      expect(`${stdout}${stderr}`).toMatch(/has no alarms/);
    }
    await at.rule({ kind: "manager" });
    await isSettled(at);
  },
);

test(
  "killed around its request: the next run makes no second one, and loses none",
  onlyInLongRun,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "vmform-alarm-kill-"));
    const build = buildProgram();
    onTestFinished(async () => {
      await endChildren();
      rmSync(folder, { recursive: true, force: true });
    });
    const benches = ["a", "b", "c", "d"].map((each) => {
      return { main: build.main, folder: join(folder, each) };
    });
    const first = { main: build.main, folder: join(folder, "first") };
    const scenario = managerKillScenarios.find((each) => each.name === "alarm")!;
    const undisturbed = await runUndisturbed(first, scenario);
    const tries = triesOf(scenario, undisturbed, lingerMs).filter(
      ({ at, edit }) => at.kind === "request" && edit === undefined,
    );
    expect(tries.length).toBeGreaterThanOrEqual(3);
    const outcome = await makeTries("alarm", benches, some(tries, 1), (bench, one) =>
      tryOnce(bench, one, undisturbed, false),
    );
    expect(outcome).toEqual({ problems: [], rare: [] });
  },
);

/**
 * What policies keep for a time begins at that time or not at all, wherever a run is killed; and no
 * VM stays off because of it: what was turned off comes on again, though the window has closed.
 */

import { expect, test } from "vitest";
import { planHasChanges } from "../../src/model/plan/plan-counts.ts";
import type { DesiredPolicy } from "../../src/model/plan/policy.ts";
import { allRules } from "../../src/model/plan/rules.ts";
import { amount, some } from "../helpers/amount.ts";
import { type Configuration, type VmConfig } from "./configuration.ts";
import { failureOf, recordedNow } from "./engine-run.ts";
import { createRandom } from "./random.ts";
import { configuration, folder, given, meddle, on, vm, worldOf } from "./rule-scene.ts";
import { createScenario } from "./scenario.ts";
import { planOnly, restoreWorld, runApply, type World } from "./world.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Open in the first `openMs` of every hour. */
function hourly(openMs: number, concerns: (disrupts: unknown, kind: unknown) => boolean) {
  const policy: DesiredPolicy = {
    ...{ name: "hourly", level: "deny", over: "operations", message: "not now", zone: "UTC" },
    judge: ({ values: { operation } }, nowMs) => {
      if (!concerns(operation?.disrupts, operation?.kind)) return { status: "irrelevant" };
      return { status: nowMs % hourMs < openMs ? "held" : "violated" };
    },
  };
  return policy;
}

const anyDisruption = (disrupts: unknown) => Array.isArray(disrupts) && disrupts.length > 0;
const anything = () => true;

type Sent = {
  readonly id: string;
  readonly address: string;
  readonly ms: number;
  readonly closes: boolean;
};

/** When what disrupts, or what is first sent of its group, was sent. */
function logSent(world: World): Sent[] {
  const sent: Sent[] = [];
  meddle(world, (operation, deliver) => {
    const { id, subject, request } = operation;
    const closes = request.closing === true;
    sent.push({ id, address: subject.address, ms: world.clock.now(), closes });
    return deliver();
  });
  return sent;
}

async function until(world: World, offsetMs: number): Promise<void> {
  const into = world.clock.now() % hourMs;
  await world.clock.advance((offsetMs - into + hourMs) % hourMs);
}

const web = (parts: Partial<VmConfig> = {}) => vm("web", { ...on, firmware: "one", ...parts });
const db = (parts: Partial<VmConfig> = {}) => vm("db", { ...on, label: "one", ...parts });
const scenes: readonly { name: string; before: Configuration; after: Configuration }[] = [
  {
    name: "a power cycle",
    before: configuration([web()]),
    after: configuration([web({ firmware: "two" })]),
  },
  {
    name: "a replacement",
    before: configuration([db()], [folder("data", "db")]),
    after: configuration([db({ label: "two" })], [folder("data", "db")]),
  },
  {
    name: "both, and what has no window",
    before: configuration([web(), db()], [folder("data", "db"), folder("www", "web")]),
    after: configuration(
      [web({ firmware: "two" }), db({ label: "two" }), vm("new", on)],
      [folder("data", "db"), folder("www", "web", { host: "/srv/www" })],
    ),
  },
  {
    name: "a suspended VM whose content needs it on",
    before: configuration([vm("idle", { power: "suspended" })]),
    after: configuration([vm("idle", { power: "suspended" })], [folder("late", "idle")]),
  },
  {
    name: "a VM that leaves",
    before: configuration([web(), db()]),
    after: configuration([db()]),
  },
];

test.each(scenes)(
  "$name: outside of its window nothing of it begins, and inside all of it",
  async ({ before, after }) => {
    const world = worldOf(allRules);
    await given(world, before);
    world.policies = [hourly(10 * minuteMs, anyDisruption)];
    await until(world, 20 * minuteMs);
    const powers = new Map([...world.daemon.vms].map(([id, { power }]) => [id, power]));
    const closed = await runApply(world, after);
    expect(closed).toMatchObject({ end: "finished", applied: { failed: [], succeeded: false } });
    for (const [id, power] of powers) expect(world.daemon.vms.get(id)?.power).toBe(power);
    expect(world.daemon.deleted).toEqual([]);
    const pending = closed.end === "finished" ? closed.applied.pending : [];
    expect(pending.length).toBeGreaterThan(0);
    const opensMs = Math.ceil(world.clock.now() / hourMs) * hourMs;
    expect(pending[0]).toMatchObject({ opensMs, policies: ["hourly"] });
    await until(world, minuteMs);
    expect(failureOf(await runApply(world, after))).toBeUndefined();
    expect(planHasChanges(await planOnly(world, after))).toBe(false);
  },
);

test.each(scenes)("$name: waits for its window", async ({ before, after }) => {
  const world = worldOf(allRules);
  await given(world, before);
  world.policies = [hourly(10 * minuteMs, anything)];
  world.window = "wait";
  await until(world, 20 * minuteMs);
  const sent = logSent(world);
  expect(failureOf(await runApply(world, after))).toBeUndefined();
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.filter(({ ms }) => ms % hourMs >= 10 * minuteMs)).toEqual([]);
  expect(planHasChanges(await planOnly(world, after))).toBe(false);
});

test("without the gate the same run sends outside of the window", async () => {
  const world = worldOf(allRules);
  await given(world, configuration([web()]));
  await until(world, 20 * minuteMs);
  const sent = logSent(world);
  await runApply(world, configuration([web({ firmware: "two" })]));
  expect(sent.some(({ ms }) => ms % hourMs >= 10 * minuteMs)).toBe(true);
});

/** VMs that were on, are wanted on, and are not. */
function leftOff(
  world: World,
  wasOn: ReadonlySet<string>,
  { vms }: Configuration,
): readonly string[] {
  return vms.flatMap(({ id, power }) => {
    const now = world.daemon.vms.get(id)?.power;
    const wanted = power === undefined || power === "on";
    return wanted && wasOn.has(id) && now !== undefined && now !== "on" ? [`${id} is ${now}`] : [];
  });
}

/** Killed in the open window; the next run finds it closed, the one after that open again. */
async function tryKill(start: World, after: Configuration, killAt: number): Promise<string[]> {
  const wrong: string[] = [];
  const wasOn = new Set(
    [...start.daemon.vms.values()].filter(({ power }) => power === "on").map(({ id }) => id),
  );
  const killed = await runApply(start, after, killAt);
  const where = killed.end === "killed" ? `killed at ${killAt} (${killed.at})` : "not killed";
  await until(start, 30 * minuteMs);
  const sent = logSent(start);
  const closed = await runApply(start, after);
  if (closed.end !== "finished") wrong.push(`${where}: ${failureOf(closed)}`);
  const ids = new Map<string, string>(after.vms.map(({ name, id }) => [`fake_vm.${name}`, id]));
  const owed = recordedNow(start).restores.filter(({ address, power }) => {
    const id = ids.get(address);
    return id !== undefined && start.daemon.vms.get(id)?.power !== power;
  });
  if (owed.length > 0) wrong.push(`${where}: ${owed.map(({ address }) => address).join()} is owed`);
  for (const text of leftOff(start, wasOn, after)) wrong.push(`${where}: ${text}`);
  // What was begun is ended; nothing else is, and no VM is taken from its users.
  const isBegun = killed.end !== "killed" || killed.points > 5;
  const ends = sent.filter(({ id, closes }) => !closes && /#(shutdown|off|suspend|pause)/.test(id));
  for (const { id } of ends) wrong.push(`${where}: ${id} in the closed window`);
  const gone = after.vms.length < start.daemon.vms.size || !isBegun;
  const deletes = gone ? sent.filter(({ id }) => id.includes("#delete")) : [];
  for (const { id } of deletes) wrong.push(`${where}: ${id} in the closed window`);
  await until(start, 0);
  const last = await runApply(start, after);
  if (failureOf(last) !== undefined) wrong.push(`${where}: ${failureOf(last)}`);
  if (planHasChanges(await planOnly(start, after))) wrong.push(`${where}: not converged`);
  return wrong;
}

test.each(some(scenes, 1))("$name: killed anywhere, no VM stays off", async ({ before, after }) => {
  const wrong: string[] = [];
  let points = 1;
  for (let killAt = 0; killAt <= points; killAt += 1) {
    const world = worldOf(allRules);
    await given(world, before);
    world.policies = [hourly(10 * minuteMs, anyDisruption)];
    await until(world, 0);
    if (killAt === 0) {
      const whole = worldOf(allRules);
      await given(whole, before);
      await until(whole, 0);
      ({ points } = await runApply(whole, after));
      expect(points).toBeGreaterThan(5);
    }
    wrong.push(...(await tryKill(world, after, killAt)));
  }
  expect(wrong).toEqual([]);
});

test("random configurations and edits: what is concerned begins in its window, or not", async () => {
  const wrong: string[] = [];
  let tried = 0;
  for (let seed = 1; tried < amount(5, 60) && seed < 400; seed += 1) {
    const scenario = await createScenario(seed, allRules);
    if (scenario === undefined) continue;
    tried += 1;
    const random = createRandom(seed);
    const world = restoreWorld(scenario.start, random, allRules);
    const openMs = minuteMs * (1 + random.int(3));
    world.policies = [hourly(openMs, anyDisruption)];
    world.window = "wait";
    await until(world, 20 * minuteMs);
    const sent = logSent(world);
    const run = await runApply(world, scenario.b);
    if (failureOf(run) !== undefined) wrong.push(`seed ${seed}: ${failureOf(run)}`);
    if (run.end !== "finished") continue;
    wrong.push(...outside(run.plan, sent, openMs).map((text) => `seed ${seed}: ${text}`));
  }
  expect(tried).toBeGreaterThan(4);
  expect(wrong).toEqual([]);
});

/** Disruptions sent outside of the window, unless something of their group was sent within it. */
function outside(
  plan: Parameters<typeof planHasChanges>[0],
  sent: readonly Sent[],
  openMs: number,
): readonly string[] {
  const within = (ms: number): boolean => ms % hourMs < openMs + 5_000;
  const operations = new Map(plan.operations.map((operation) => [operation.id, operation]));
  return sent.flatMap(({ id, address, ms }, index) => {
    const operation = operations.get(id);
    if (operation === undefined || operation.disrupts.length === 0 || within(ms)) return [];
    const begun = sent
      .slice(0, index)
      .some((other) => (other.address === address || sameWindow(other.id, id)) && within(other.ms));
    return begun
      ? []
      : [`${id} sent ${Math.round((ms % hourMs) / minuteMs)} minutes into the hour`];
  });

  function sameWindow(left: string, right: string): boolean {
    const window = operations.get(left)?.order.window?.id;
    return window !== undefined && window === operations.get(right)?.order.window?.id;
  }
}

/**
 * A scenario: configuration A is applied, B is applied and killed at a point, C (B or an edit of
 * it) is applied and must converge. The oracles look at the daemon, not at what the engine says.
 */

import type { PowerState } from "../../src/model/operation/power.ts";
import type { Plan } from "../../src/model/plan/plan.ts";
import { planHasChanges } from "../../src/model/plan/plan-counts.ts";
import type { Rules } from "../../src/model/plan/rules.ts";
import {
  type Configuration,
  editConfiguration,
  emptyConfiguration,
  randomConfiguration,
  type VmConfig,
} from "./configuration.ts";
import { driftText, failures, planText, type Run, recordedNow } from "./engine-run.ts";
import { addressOfGuests, type Faults, noFaults, type Refusal } from "./fake-daemon.ts";
import { createRandom } from "./random.ts";
import {
  createWorld,
  planOnly,
  restoreWorld,
  runApply,
  type Saved,
  saveWorld,
  type World,
} from "./world.ts";

export type Scenario = {
  readonly seed: number;
  readonly a: Configuration;
  readonly b: Configuration;
  readonly c: Configuration;
  /** The world after A. */
  readonly start: Saved;
  /** Points of an undisturbed run of B. */
  readonly points: number;
};

/**
 * Undefined when one of the configurations cannot be planned even undisturbed. Throws when it can
 * be planned and fails, or is refused for a cycle: nothing had gone wrong yet.
 */
export async function createScenario(seed: number, rules: Rules): Promise<Scenario | undefined> {
  const random = createRandom(seed);
  const a = random.chance(0.25) ? emptyConfiguration : randomConfiguration(random);
  const b = a === emptyConfiguration ? randomConfiguration(random) : editConfiguration(a, random);
  const c = random.chance(0.6) ? b : editConfiguration(b, random);
  const world = createWorld(createRandom(seed + 1), rules);
  const first = await runApply(world, a);
  if (!isGood(first, a)) return undefined;
  const start = saveWorld(world);
  const second = await runApply(world, b);
  if (!isGood(second, b)) return undefined;
  if (!isGood(await runApply(world, c), c)) return undefined;
  return { seed, a, b, c, start, points: second.points };
}

function isGood(run: Run, configuration: Configuration): boolean {
  const isCycle =
    run.end === "refused" && run.plan.diagnostics.some(({ code }) => code === "PLN010");
  if (isCycle && !configuration.vms.some(({ createFirst }) => createFirst === true)) {
    throw new Error(`a cycle, without one in the configuration: ${describe(run)}`);
  }
  if (run.end !== "finished") return false;
  if (!run.applied.succeeded) throw new Error(`undisturbed and all the same: ${failures(run)}`);
  return true;
}

/** B killed at a point, perhaps C as well, then C to the end. Returns what went wrong. */
export async function tryKill(
  scenario: Scenario,
  killAt: number,
  rules: Rules,
): Promise<readonly string[]> {
  const random = createRandom(scenario.seed * 7919 + killAt);
  const world = restoreWorld(scenario.start, random, rules);
  const killed = await runApply(world, scenario.b, killAt);
  if (random.chance(0.5)) await world.clock.advance(random.int(3_000));
  if (random.chance(0.3)) await runApply(world, scenario.c, random.int(scenario.points + 20));
  const last = await lastRun(world, scenario);
  const where = killed.end === "killed" ? `killed at ${killAt} (${killed.at})` : "not killed";
  const problems = await judge(world, scenario, last);
  return problems.map((problem) => `seed ${scenario.seed}, ${where}: ${problem}`);
}

/** C to its end; a plan that waits for an unsettled create is made again when its time is over. */
async function lastRun(world: World, scenario: Scenario): Promise<Run> {
  const run = await runApply(world, scenario.c);
  if (run.end !== "refused" || !run.plan.diagnostics.some((item) => item.code === "PLN014")) {
    return run;
  }
  await world.clock.advance(100_000);
  return runApply(world, scenario.c);
}

const rough: Faults = { refuse: 0.04, lose: 0.04, reset: 0.04, ignore: 0.04, busy: 0.06 };

/** B with faults, to its end; then C without, which must converge. */
export async function tryFaults(
  scenario: Scenario,
  round: number,
  rules: Rules,
): Promise<readonly string[]> {
  const random = createRandom(scenario.seed * 104_729 + round);
  const world = restoreWorld(scenario.start, random, rules);
  world.daemon.faults = rough;
  const run = await runApply(world, scenario.b);
  const left = run.end === "finished" ? leftOff(world, scenario) : [];
  world.daemon.faults = noFaults;
  const last = await lastRun(world, scenario);
  const problems = [...left, ...(await judge(world, scenario, last))];
  return problems.map((problem) => `seed ${scenario.seed}, faults ${round}: ${problem}`);
}

/** After a run that ended by itself, no VM may stand in a state that nobody wanted. */
function leftOff(world: World, scenario: Scenario): readonly string[] {
  const owed = recordedNow(world).restores;
  const problems: string[] = [];
  for (const vm of scenario.b.vms) {
    const before = scenario.a.vms.find((old) => old.name === originOf(scenario.b, vm.name));
    if (scenario.a.vms.some((old) => old.id === vm.id && old !== before)) continue;
    const was = scenario.start.vms.get(before?.id ?? "")?.power;
    const now = world.daemon.vms.get(vm.id)?.power;
    if (was === undefined || now === undefined || now === was || now === vm.power) continue;
    const address = `fake_vm.${vm.name}`;
    const struck = [...world.daemon.faulted].some((name) => name.startsWith(`${address} `));
    if (!struck) problems.push(`${vm.id} was ${was}, is left ${now} after a run without kill`);
    else if (!owed.some((restore) => restore.address === address)) {
      problems.push(`${vm.id} was ${was}, is left ${now}, and nothing remembers it`);
    }
  }
  return problems;
}

/**
 * Refusals that are no fault: a key whose holder left the configuration asks for a `moved` entry;
 * under create-first a key cannot stay, nor can keys swap.
 */
export function isRefusedByRule(plan: Plan, { vms }: Configuration): boolean {
  const createFirst = vms.some((vm) => vm.createFirst === true) ? ["PLN010", "PLN015"] : [];
  return plan.diagnostics.every((item) => ["PLN003", ...createFirst].includes(item.code));
}

async function judge(world: World, scenario: Scenario, last: Run): Promise<readonly string[]> {
  if (last.end === "refused" && isRefusedByRule(last.plan, scenario.c)) return [];
  if (last.end !== "finished") return [`the last run ended ${describe(last)}`];
  const problems: string[] = [];
  if (!last.applied.succeeded) {
    problems.push(`the last run failed: ${failures(last)}`);
  }
  problems.push(...world.daemon.refusals.filter(isViolation).map(refusalText));
  problems.push(...compareWorld(world, scenario), ...madeAnew(world, scenario));
  if (problems.length > 0) return problems;
  const again = await planOnly(world, scenario.c);
  const errors = again.diagnostics.map((item) => item.detail);
  if (errors.length > 0) problems.push(`the second plan has errors: ${errors.join("; ")}`);
  // Nobody else changes the world, so what differs from recorded state was not recorded.
  if (again.drift.length > 0) problems.push(`the second plan has drift: ${driftText(again)}`);
  if (planHasChanges(again)) problems.push(`the second plan is not empty: ${planText(again)}`);
  return problems;
}

/**
 * A VM whose label is the address of another one, which is the same all the time, is kept: but for
 * one whose content leaves, which the plan says is replaced.
 */
function madeAnew(world: World, { a, b, c, start }: Scenario): readonly string[] {
  const alike = (vm: VmConfig, { vms }: Configuration): boolean =>
    vms.some(
      (other) =>
        other.id === vm.id &&
        other.name === vm.name &&
        other.parent === vm.parent &&
        other.echo === vm.echo,
    );
  const holds = ({ folders }: Configuration, { name }: VmConfig, later: Configuration): boolean =>
    folders.every(
      (folder) => folder.vm !== name || later.folders.some((other) => other.name === folder.name),
    );
  const kept = a.vms.filter((vm) => {
    const isLabelled = start.vms.get(vm.id)?.name === addressOfGuests;
    const isHeld = holds(a, vm, b) && holds(a, vm, c) && holds(b, vm, c);
    return vm.echo !== undefined && isLabelled && isHeld && alike(vm, b) && alike(vm, c);
  });
  return kept.flatMap(({ id }) =>
    world.daemon.deleted.includes(id) ? [`${id} was made anew, though nothing differed`] : [],
  );
}

function describe(run: Run): string {
  if (run.end !== "refused") return run.end;
  return `refused: ${run.plan.diagnostics.map((item) => item.detail).join("; ")}`;
}

/**
 * Every refused mutation is a fault, but two: a request that lingered beyond its time limit, and a
 * graceful shutdown of a guest that somebody else has just booted, which falls back to a hard one.
 */
function isViolation({ operation, message, late }: Refusal): boolean {
  return !late && !(operation.verb === "shutdown" && message.includes("tools"));
}

function refusalText(refusal: Refusal): string {
  return `refused: ${refusal.operation.id}: ${refusal.message}`;
}

function compareWorld(world: World, scenario: Scenario): readonly string[] {
  const { c } = scenario;
  const problems: string[] = [];
  const wanted = new Set(c.vms.map((vm) => vm.id));
  for (const id of world.daemon.vms.keys()) {
    if (!wanted.has(id)) problems.push(`${id} exists and nobody wants it`);
  }
  for (const vm of c.vms) {
    const real = world.daemon.vms.get(vm.id);
    if (real === undefined) {
      problems.push(`${vm.id} does not exist`);
      continue;
    }
    const allowed = allowedPower(scenario, vm);
    if (!allowed.includes(real.power)) {
      problems.push(`${vm.id} is ${real.power}, not ${allowed.join(" or ")}`);
    }
    if (vm.echo === undefined && vm.label !== undefined && real.name !== vm.label)
      problems.push(`${vm.id} misnamed`);
    if (vm.firmware !== undefined && real.firmware !== vm.firmware) {
      problems.push(`${vm.id} has firmware ${real.firmware}, not ${vm.firmware}`);
    }
    problems.push(...compareFolders(c, vm, real.folders));
  }
  return problems;
}

function compareFolders(
  c: Configuration,
  vm: VmConfig,
  real: ReadonlyMap<string, string>,
): readonly string[] {
  const wanted = new Map(
    c.folders.filter((item) => item.vm === vm.name).map((item) => [item.path, item.host]),
  );
  const problems: string[] = [];
  for (const [path, host] of wanted) {
    if (real.get(path) !== host)
      problems.push(`${vm.id}/${path} is ${real.get(path)}, not ${host}`);
  }
  for (const path of real.keys()) {
    if (!wanted.has(path)) problems.push(`${vm.id}/${path} exists and nobody wants it`);
  }
  return problems;
}

/** Unset power stays as it was; which of the earlier ones depends on how far B came. */
function allowedPower(scenario: Scenario, vm: VmConfig): readonly PowerState[] {
  if (vm.power !== undefined) return [vm.power];
  const { a, b, c, start } = scenario;
  const nameInB = originOf(c, vm.name, b);
  const inB = b.vms.find((item) => item.name === nameInB);
  const inA = a.vms.find((item) => item.name === originOf(b, nameInB, a));
  const fromA = start.vms.get(inA?.id ?? "")?.power;
  const allowed: PowerState[] = [];
  if (fromA !== undefined) allowed.push(fromA);
  if (inB?.power !== undefined) allowed.push(inB.power);
  if (fromA === undefined) allowed.push("off");
  return allowed;
}

/** The name a VM had before the moves that `later` adds to `earlier`. */
function originOf(later: Configuration, name: string, earlier?: Configuration): string {
  const known = earlier?.moved.length ?? 0;
  let origin = name;
  for (const move of later.moved.slice(known).toReversed()) {
    if (move.to === origin) origin = move.from;
  }
  return origin;
}

/** What must hold of the cloud, whatever happened on the way: asked there, not of the engine. */

import type { PowerState } from "../../src/model/operation/power.ts";
import type { Plan } from "../../src/model/plan/plan.ts";
import { planHasChanges } from "../../src/model/plan/plan-counts.ts";
import type { CloudConfiguration, CloudVmConfig } from "./cloud-configuration.ts";
import type { CloudScenario } from "./cloud-scenario.ts";
import { type CloudWorld, planCloud } from "./cloud-world.ts";
import { driftText, failures, planText, type Run, recordedNow } from "./engine-run.ts";
import type { CloudVm } from "./fake-cloud-objects.ts";

/**
 * What is recorded at an address which left asks for a `moved` entry, and two addresses that change
 * places for two steps; a VM that is owed its power is not left for another. A snapshot whose task
 * nobody remembers any more cannot be told from somebody else's: the plan offers to import it.
 */
function isRefusedByRule(world: CloudWorld, { diagnostics }: Plan): boolean {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  return errors.every(({ code, address = "" }) => {
    if (["PLN003", "PLN025", "PLN026"].includes(code)) return true;
    const isSnapshot = address.startsWith("fake_cloud_snapshot.");
    return code === "PLN002" && isSnapshot && (hasForgottenTask(world) || hasSneaked(world));
  });
}

export async function judgeCloud(
  world: CloudWorld,
  scenario: CloudScenario,
  last: Run,
): Promise<readonly string[]> {
  const { cloud } = world;
  const never = [
    ...cloud.violations,
    ...repeated(world, scenario),
    ...lostSnapshots(world, scenario),
  ];
  if (last.end === "refused") {
    const text = last.plan.diagnostics.map(({ code, detail }) => `${code} ${detail}`).join("; ");
    const ruled = isRefusedByRule(world, last.plan);
    return ruled ? never : [...never, `the last run was refused: ${text}`];
  }
  if (last.end === "killed") return [...never, "the last run was killed"];
  if (!last.applied.succeeded) return [...never, `the last run failed: ${failures(last)}`];
  const again = await planCloud(world, scenario.c);
  return [
    ...never,
    ...compareCloud(world, scenario),
    ...unowned(world, scenario.c),
    ...(planHasChanges(again) ? [`the second plan is not empty: ${planText(again)}`] : []),
    ...unexplainedDrift(again, world, scenario),
  ];
}

/** What somebody else changed stays drift until somebody accepts it, or the configuration says. */
function unexplainedDrift(
  again: Plan,
  { cloud }: CloudWorld,
  { c, start }: CloudScenario,
): readonly string[] {
  const isLeftByOthers = (address: string, attribute: string): boolean => {
    const held = c.snapshots.find(({ name }) => address === `fake_cloud_snapshot.${name}`);
    const config = c.vms.find(
      ({ name }) => address === `fake_cloud_vm.${name}` || name === held?.vm,
    );
    const [now, then] = [cloud.vms.get(config?.id ?? ""), start.vms.get(config?.id ?? "")];
    if (config === undefined || now === undefined || then === undefined) return false;
    const [wanted, field] = fieldsOf[attribute] ?? [];
    if (field === undefined || (wanted !== undefined && config[wanted] !== undefined)) return false;
    return now[field] === then[field];
  };
  const drift = again.drift.filter(
    ({ address, status, attributes }) =>
      status === "missing" ||
      attributes.length === 0 ||
      !attributes.every(({ attribute }) => isLeftByOthers(address, attribute)),
  );
  if (drift.length === 0) return [];
  return [`the second plan reports drift: ${driftText({ ...again, drift })}`];
}

/** Attributes of a VM: what the configuration may want of them, and what holds them at the server. */
const fieldsOf: {
  readonly [attribute: string]: readonly [
    "power" | "datastore" | "nested" | undefined,
    keyof CloudVm,
  ];
} = {
  power_state: ["power", "power"],
  datastore: ["datastore", "datastore"],
  nested_hv_enabled: ["nested", "nested"],
  name: [undefined, "name"],
  vapp_name: [undefined, "vapp"],
  vapp_href: [undefined, "vapp"],
};

/** Somebody has made a snapshot while a run was at work. */
function hasSneaked({ cloud }: CloudWorld): boolean {
  return [...cloud.vms.values()].some(
    ({ snapshot }) => snapshot?.owner === "others" && snapshot.madeMs > 0,
  );
}

/** A successful create that the server has forgotten. */
function hasForgottenTask({ cloud, clock }: CloudWorld): boolean {
  return cloud.tasks.some(
    ({ operation, status, endMs }) =>
      operation === "create" && status === "success" && clock.now() > endMs + 30_000,
  );
}

/** Everything recorded is wanted, and the other way round. */
function unowned(world: CloudWorld, { vms, snapshots }: CloudConfiguration): readonly string[] {
  const wanted = [
    ...vms.map((vm) => `fake_cloud_vm.${vm.name} ${vm.id}`),
    ...snapshots.map((snapshot) => `fake_cloud_snapshot.${snapshot.name}`),
  ];
  const recorded = recordedNow(world).objects.map(({ address, type, identity }) =>
    type === "fake_cloud_vm" ? `${address} ${identity}` : address,
  );
  const [is, shall] = [recorded.toSorted().join(), wanted.toSorted().join()];
  return is === shall ? [] : [`recorded are ${is}, not ${shall}`];
}

function compareCloud(world: CloudWorld, scenario: CloudScenario): readonly string[] {
  const { c } = scenario;
  return [...world.cloud.vms.values()].flatMap((vm) => {
    const wanted = c.vms.find(({ id }) => id === vm.id);
    const problems: string[] = [];
    const allowed = allowedPower(scenario, vm.id);
    if (!allowed.includes(vm.power)) {
      problems.push(`${vm.id} is ${vm.power}, not ${allowed.join(" or ")}`);
    }
    if (wanted?.datastore !== undefined && wanted.datastore !== vm.datastore) {
      problems.push(`${vm.id} is on ${vm.datastore}, not ${wanted.datastore}`);
    }
    if (wanted?.nested !== undefined && wanted.nested !== vm.nested) {
      problems.push(`${vm.id} has nested ${vm.nested}`);
    }
    const label = labelOf(c, vm.id);
    const ours = vm.snapshot?.owner === "us" ? vm.snapshot.label : undefined;
    if (label !== ours) problems.push(`${vm.id} has our snapshot ${ours}, not ${label}`);
    return problems;
  });
}

function configOf({ vms }: CloudConfiguration, id: string): CloudVmConfig | undefined {
  return vms.find((vm) => vm.id === id);
}

function labelOf({ vms, snapshots }: CloudConfiguration, id: string): string | undefined {
  return snapshots.find(({ vm }) => vms.find(({ name }) => name === vm)?.id === id)?.label;
}

/** Unset power stays as it was; which of the earlier ones depends on how far B came. */
function allowedPower(scenario: CloudScenario, id: string): readonly PowerState[] {
  const { a, b, c, start } = scenario;
  const wanted = configOf(c, id);
  if (wanted?.power !== undefined) return [wanted.power];
  const [inA, inB] = [configOf(a, id), configOf(b, id)];
  const was = start.vms.get(id)?.power;
  const allowed: PowerState[] = [];
  if (was !== undefined) allowed.push(was);
  if (inB?.power !== undefined) allowed.push(inB.power);
  // It may have left with B, turned off, and come back with C.
  if (mayPart(a, b, id) || (wanted === undefined && mayPart(b, c, id))) allowed.push("off");
  if (wanted !== undefined) return allowed;
  const parts = [inA, inB].filter((item) => item !== undefined);
  const always = inA !== undefined && parts.every(({ onDestroy }) => onDestroy === "power_off");
  return always && !isReadopted(scenario, id) && !isKept(scenario, id) ? ["off"] : allowed;
}

function mayPart(before: CloudConfiguration, after: CloudConfiguration, id: string): boolean {
  return configOf(before, id)?.onDestroy === "power_off" && configOf(after, id) === undefined;
}

/** Names that the addresses of a VM have had, and moves have given them since. */
function namesOf(id: string, ...configurations: readonly CloudConfiguration[]): Set<string> {
  const names = new Set(configurations.flatMap((item) => configOf(item, id)?.name ?? []));
  for (const { from, to } of configurations.flatMap((item) => item.moved)) {
    if (names.has(from.split(".")[1] ?? "")) names.add(to.split(".")[1] ?? "");
  }
  return names;
}

/** Its address means another VM now: it is forgotten with that, and never turned off. */
function isReadopted({ a, b, c }: CloudScenario, id: string): boolean {
  const names = namesOf(id, a, b, c);
  return [...b.vms, ...c.vms].some((vm) => names.has(vm.name) && vm.id !== id);
}

/** A `removed` entry leaves it as it is. */
function isKept({ a, b, c }: CloudScenario, id: string): boolean {
  return [...namesOf(id, a, b, c)].some((name) => c.removed?.includes(`fake_cloud_vm.${name}`));
}

/** Whatever happened, a wanted change is made once; how often is changed what is wanted? */
function repeated({ cloud }: CloudWorld, scenario: CloudScenario): readonly string[] {
  const { a, b, c, start } = scenario;
  const problems: string[] = [];
  for (const [id, vm] of start.vms) {
    const count = (verb: string): number =>
      cloud.effects.filter((effect) => effect.vm === id && effect.verb === verb).length;
    const check = (verb: string, wanted: number): void => {
      if (count(verb) > wanted) problems.push(`${id}: ${verb} ${count(verb)} times, not ${wanted}`);
    };
    const [inB, inC] = [configOf(b, id), configOf(c, id)];
    check("relocate", switches([vm.datastore, inB?.datastore, inC?.datastore]));
    check("set-nested", switches([vm.nested, inB?.nested, inC?.nested]));
    const holders = [holderOf(a, id), holderOf(b, id), holderOf(c, id)];
    const ours = vm.snapshot?.owner === "us" ? holders[0] : "";
    check("create", switches([ours, holders[1] ?? "", holders[2] ?? ""], ""));
  }
  return problems;
}

/** Which snapshot a VM is to have: address and label. */
function holderOf({ vms, snapshots }: CloudConfiguration, id: string): string | undefined {
  const held = snapshots.find(({ vm }) => vms.find(({ name }) => name === vm)?.id === id);
  return held === undefined ? undefined : `${held.name} ${held.label}`;
}

/** How often a value changes to another that is wanted; unset ones want nothing. */
function switches<T>(values: readonly (T | undefined)[], nothing?: T): number {
  let now: T | undefined;
  let count = 0;
  for (const [index, value] of values.entries()) {
    if (value === undefined) continue;
    if (index > 0 && value !== now && value !== nothing) count += 1;
    now = value;
  }
  return count;
}

function lostSnapshots({ cloud }: CloudWorld, { start }: CloudScenario): readonly string[] {
  return [...start.vms.values()].flatMap(({ id, snapshot }) => {
    const now: CloudVm["snapshot"] = cloud.vms.get(id)?.snapshot;
    const lost = snapshot?.owner === "others" && now?.created !== snapshot.created;
    return lost ? [`${id} has lost the snapshot of others`] : [];
  });
}

/** After a run that ended by itself, no VM may stand in a state that nobody wanted or remembers. */
export function leftOffCloud(world: CloudWorld, scenario: CloudScenario): readonly string[] {
  const owed = new Set(recordedNow(world).restores.map(({ address }) => address));
  return [...world.cloud.vms.values()].flatMap(({ id, power }) => {
    const was = scenario.start.vms.get(id)?.power;
    const wanted = configOf(scenario.b, id);
    if (power === was || power === wanted?.power) return [];
    if (wanted === undefined && power === "off" && mayPart(scenario.a, scenario.b, id)) return [];
    if (!world.cloud.struck.has(id)) return [`${id} was ${was}, is left ${power}`];
    const remembered = [...owed].some((address) => address.endsWith(`.${wanted?.name}`));
    return remembered ? [] : [`${id} was ${was}, is left ${power}, and nothing remembers it`];
  });
}

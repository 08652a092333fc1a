/**
 * What must hold after a killed run and the next one. Looks at the daemon and at its log, never at
 * what the command says about itself.
 */

import type { PowerState, VirtualMachine } from "../../src/simulators/daemon/virtual-machine.ts";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import { killedLimitMs, requestText } from "./kill-bench.ts";
import type { KillScenario, Spec, VmSpec } from "./kill-scenarios.ts";

export type Story = {
  readonly scenario: KillScenario;
  /** What the last run applied: B, or an edit of it. */
  readonly last: Spec;
  /** VMs before the killed run. */
  readonly before: readonly VirtualMachine[];
  readonly after: readonly VirtualMachine[];
  /** Requests of the killed run and of the one after it. */
  readonly log: readonly LoggedRequest[];
  /** Effective mutations of an undisturbed run, when the last run applied the same as the killed. */
  readonly expected: readonly string[] | undefined;
  /** The first run was not killed: after its error it brought VMs back on, to be cycled again. */
  readonly ended: boolean;
};

export function judge(story: Story): readonly string[] {
  const mutations = story.log.filter((entry) => entry.class === "mutate");
  return [
    ...mutations.filter((entry) => !isAllowedRefusal(entry, mutations)).map(refusalText),
    ...compareEffects(story, effectsOf(mutations)),
    ...lostVms(story, mutations),
    ...compareWorld(story),
  ];
}

/** Effective mutations as sorted texts; a hard off is what a graceful shutdown falls back to. */
export function effectsOf(log: readonly LoggedRequest[]): readonly string[] {
  return log
    .filter((entry) => entry.class === "mutate" && entry.effect)
    .map(({ method, path, body }) => `${method} ${path} ${body === "shutdown" ? "off" : body}`)
    .toSorted();
}

/**
 * Refused, and no fault of the client: injected; a graceful shutdown of a guest whose tools do not
 * run; the create of something begun longer ago than its time limit, which may still be on its way.
 */
function isAllowedRefusal(entry: LoggedRequest, all: readonly LoggedRequest[]): boolean {
  if (!entry.refused || entry.fault !== null) return true;
  if (entry.method === "PATCH" && entry.body === "shutdown") return true;
  if (entry.method !== "POST" || entry.path !== "/api/vms") return false;
  const idOf = (one: LoggedRequest): unknown =>
    one.method === "POST" && one.path === "/api/vms" ? JSON.parse(one.body).id : undefined;
  const [first] = all.filter((one) => one !== entry && idOf(one) === idOf(entry));
  if (first === undefined) return false;
  // The limit runs from the journal entry on, a little longer than from the request's arrival.
  return Math.abs(entry.at - first.at) > killedLimitMs * 0.75;
}

function refusalText(entry: LoggedRequest): string {
  return `refused: ${entry.n}: ${requestText(entry)} (${entry.status})`;
}

/** Interrupted or not, the same is done: nothing twice, nothing left out. */
function compareEffects({ expected, ended }: Story, effects: readonly string[]): readonly string[] {
  if (expected === undefined || expected.join("\n") === effects.join("\n")) return [];
  const rest = [...expected];
  const extra: string[] = [];
  for (const effect of effects) {
    const index = rest.indexOf(effect);
    if (index < 0) extra.push(effect);
    else rest.splice(index, 1);
  }
  const tooOften = extra.filter((effect) => !ended || !effect.startsWith("PATCH /api/vms/power/"));
  return [
    ...tooOften.map((effect) => `once too often: ${effect}`),
    ...rest.map((effect) => `never done: ${effect}`),
  ];
}

/** A VM that no configuration replaces or removes is neither deleted nor made again. */
function lostVms(story: Story, mutations: readonly LoggedRequest[]): readonly string[] {
  const { scenario, last } = story;
  return Object.entries(scenario.a).flatMap(([name, vm]) => {
    if ([scenario.b[name], last[name]].some((later) => later === undefined || !isSame(vm, later))) {
      return [];
    }
    const path = `/api/vms/${vm.id}`;
    const deleted = mutations.some(
      (one) => one.effect && one.method === "DELETE" && one.path === path,
    );
    return deleted ? [`${vm.id} was deleted, and nobody wanted that`] : [];
  });
}

function isSame(left: VmSpec, right: VmSpec): boolean {
  return left.id === right.id && left.tag === right.tag && left.parent === right.parent;
}

function compareWorld(story: Story): readonly string[] {
  const problems: string[] = [];
  const wanted = new Map(Object.entries(story.last).map(([name, vm]) => [vm.id, { name, vm }]));
  const seen = new Set<string>();
  for (const real of story.after) {
    seen.add(real.id);
    const want = wanted.get(real.id);
    if (want === undefined) problems.push(`${real.id} exists and nobody wants it`);
    else problems.push(...compareVm(story, want.name, want.vm, real));
  }
  for (const id of wanted.keys()) if (!seen.has(id)) problems.push(`${id} does not exist`);
  return problems;
}

function compareVm(
  story: Story,
  name: string,
  vm: VmSpec,
  real: VirtualMachine,
): readonly string[] {
  const problems: string[] = [];
  const powers = allowedPower(story, name, vm);
  if (!powers.includes(real.power)) {
    problems.push(`${real.id} is ${real.power}, not ${powers.join(" or ")}`);
  }
  if (real.tag !== (vm.tag ?? "")) problems.push(`${real.id} has tag ${real.tag}`);
  if (vm.sharing !== undefined && real.sharing !== vm.sharing) {
    problems.push(`sharing of ${real.id} is ${real.sharing}`);
  }
  const folders = Object.fromEntries(real.folders.map((item) => [item.guestPath, item.hostPath]));
  const wanted = vm.folders ?? {};
  if (JSON.stringify(sorted(folders)) !== JSON.stringify(sorted(wanted))) {
    problems.push(`${real.id} shares ${JSON.stringify(folders)}, not ${JSON.stringify(wanted)}`);
  }
  return problems;
}

function sorted(map: { readonly [name: string]: string }): readonly (readonly string[])[] {
  return Object.entries(map).toSorted(([left], [right]) => (left < right ? -1 : 1));
}

/** Power that is not configured stays as it was, or as the killed run had made it. */
function allowedPower(story: Story, name: string, vm: VmSpec): readonly PowerState[] {
  if (vm.power !== undefined) return [vm.power];
  const { scenario, before } = story;
  const id = scenario.a[name]?.id;
  const was = before.find((one) => one.id === id)?.power ?? "off";
  const made = scenario.b[name]?.power;
  return made === undefined ? [was] : [was, made];
}

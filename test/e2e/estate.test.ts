/**
 * A grown estate over real HTTP: 12 VMs and 20 shared folders made from nothing, then ten edits in a
 * row. Each step sends what its plan shows, with the consent it names and no more; nothing is
 * refused or done twice; nothing remains to be done, and nothing has drifted.
 *
 * `VMFORM_SEED` repeats a run, `VMFORM_ESTATES` says how many estates.
 */

import { afterEach, expect, test } from "vitest";
import { isLongRun } from "../helpers/amount.ts";
import { runInside } from "../helpers/program.ts";
import { createRandom, type Random } from "../simulation/random.ts";
import {
  createEstate,
  type EditName,
  type Estate,
  type EstateVm,
  editEstate,
  editNames,
  movedYaml,
  resourcesYaml,
} from "./estate-configuration.ts";
import { createPlace, type Place } from "./place.ts";
import { comparePreviewed, type ShownOperation } from "./previewed.ts";

const estates = Number(process.env.VMFORM_ESTATES ?? 3);
const firstSeed = Number(process.env.VMFORM_SEED ?? Date.now() % 1_000_000);
const editsInARow = 10;

/** Short, but for the boot of a guest, so that tools and addresses are waited for. */
const durations_ms = {
  create: 2,
  clone: 5,
  power_on: 1,
  tools: 5,
  address: 5,
  power_off: 1,
  shutdown: 2,
  suspend: 1,
  resume: 1,
  delete: 1,
};

let place: Place;
afterEach(() => place.remove());

test.runIf(isLongRun).for(Array.from({ length: estates }, (_none, index) => firstSeed + index))(
  "seed %i: made from nothing, ten edits in a row, destroyed",
  async (seed) => {
    const random = createRandom(seed);
    place = await createPlace({ world: { daemon: { durations_ms } } });
    let estate = createEstate(random);
    write(estate);
    await converge({ vms: [], folders: [], moved: [] }, estate);
    const kinds = shuffled(editNames, random);
    for (let edit = 0; edit < editsInARow; edit += 1) {
      estate = await edited(estate, kinds[edit % kinds.length] ?? "power", random);
    }
    await place.run(0, "destroy", "--auto-approve");
    expect(place.simulators.world().daemon.vms).toEqual([]);
    const { stdout } = await place.run(0, "state", "list", "--json");
    expect(JSON.parse(stdout)).toEqual({ format_version: "1.0", addresses: [] });
  },
);

/** Draws edits of one kind until one is not refused by rule, and converges to it. */
async function edited(before: Estate, kind: EditName, random: Random): Promise<Estate> {
  for (let attempt = 0; attempt < (kind === "keys that swap" ? 3 : 20); attempt += 1) {
    const after = editEstate(before, random, kind);
    write(after);
    if (await isRefusedByRule(after)) continue;
    try {
      await converge(before, after);
    } catch (error) {
      throw new Error(`edit "${kind}"`, { cause: error });
    }
    return after;
  }
  // Keys that swap are refused whichever they are; the estate stays as it was.
  if (kind !== "keys that swap") throw new Error(`every edit "${kind}" was refused`);
  write(before);
  return before;
}

/**
 * A key that is recorded elsewhere asks for a `moved` entry; under create-first a key cannot stay,
 * nor can keys swap: told while planning, before anything is done. Any other refusal fails.
 */
async function isRefusedByRule(estate: Estate): Promise<boolean> {
  const { code, stdout, stderr } = await runInside(place.folder, ["plan", ...allow]);
  if (code === 0) return false;
  const codes = (stdout + stderr).match(/\b[A-Z]{3}\d{3}\b/g) ?? [];
  const createFirst = estate.vms.some((vm) => vm.createFirst) ? ["PLN010", "PLN015"] : [];
  const byRule = codes.every((found) => ["PLN003", ...createFirst].includes(found));
  if (codes.length > 0 && byRule) return true;
  throw new Error(`the plan is refused:\n${stdout}${stderr}`);
}

const allow = ["--allow", "power-off,power-cycle,replace,destroy,discard-state"];

/** The parts of a plan as JSON that are used here. */
type Shown = {
  readonly operations: readonly ShownOperation[];
  readonly consent: readonly { readonly disruption: string }[];
};

async function converge(before: Estate, after: Estate): Promise<void> {
  const expected = after.vms.map((vm) => expectedVm(before, after, vm));
  const { operations, consent } = await shownPlan();
  const named = [...new Set(consent.map(({ disruption }) => disruption))];
  const consented = named.length === 0 ? [] : ["--allow", named.join(",")];
  const sent = await place.mutations(() => place.run(0, "apply", "--auto-approve", ...consented));
  expect(sent.filter((entry) => entry.refused)).toEqual([]);
  expect(comparePreviewed(operations, sent)).toEqual([]);
  const unwanted = await place.mutations(async () => {
    await place.run(0, "plan", "--detailed-exitcode");
    await place.run(0, "drift");
  });
  expect(unwanted).toEqual([]);
  const { vms } = place.simulators.world().daemon;
  expect(vms.map(worldVm).toSorted(byId)).toEqual(expected.toSorted(byId));
}

async function shownPlan(): Promise<Shown> {
  await place.run(0, "plan", ...allow, "--out", place.file("plan"));
  const shown = await place.run(0, "show", place.file("plan"), "--json");
  return JSON.parse(shown.stdout) as Shown;
}

function write(estate: Estate): void {
  place.write(resourcesYaml(estate), movedYaml(estate));
}

type WorldVm = ReturnType<Place["simulators"]["world"]>["daemon"]["vms"][number];

/** What is compared of a VM; what the configuration leaves open is as it was. */
type Compared = {
  readonly id: string;
  readonly power: string;
  readonly name?: string;
  readonly tag?: string;
  readonly folders: { readonly [path: string]: string };
};

function expectedVm(before: Estate, after: Estate, vm: EstateVm): Compared {
  const own = after.folders.filter((folder) => folder.vm === vm.name);
  return {
    id: vm.id,
    power: vm.power ?? earlierPower(before, after, vm) ?? "off",
    name: vm.label ?? vm.id,
    tag: vm.tag ?? "",
    folders: Object.fromEntries(
      own.map(({ path, host, writable }) => [path, `${host} ${writable ? 4 : 0}`]),
    ),
  };
}

function worldVm({ id, power, name, tag, folders }: WorldVm): Compared {
  const shares = folders.map((one) => [one.guestPath, `${one.hostPath} ${one.flags}`] as const);
  return { id, power, name, tag, folders: Object.fromEntries(shares) };
}

/** Power of the object that has this VM's address, or had the one it was moved from. */
function earlierPower(before: Estate, after: Estate, { name }: EstateVm): string | undefined {
  let origin = name;
  for (const move of after.moved.slice(before.moved.length).toReversed()) {
    if (move.to === origin) origin = move.from;
  }
  const earlier = before.vms.find((vm) => vm.name === origin);
  return earlier === undefined ? undefined : place.power(earlier.id);
}

function byId(left: Compared, right: Compared): number {
  return left.id < right.id ? -1 : 1;
}

function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  const drawn = items.map((item) => ({ item, at: random.next() }));
  return drawn.toSorted((left, right) => left.at - right.at).map(({ item }) => item);
}

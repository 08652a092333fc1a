/** The `appliance` part of a world file: settings and what is there at the start. */

import { applianceDisks } from "../appliance-layout.ts";
import type { ApplianceMachine } from "../appliance-machine.ts";
import type { Cursor } from "../decode.ts";
import { isAbsent, readChoice, readCount, readItems, readMembers, readText } from "../decode.ts";
import type {
  ApplianceDurations,
  AppliancePartition,
  ApplianceUser,
  ApplianceWorld,
  HealthColour,
} from "./appliance-state.ts";
import { healthColours, usableKb } from "./appliance-state.ts";
import type { ApplianceRules, ApplianceRulesDocument } from "./settings.ts";
import { readApplianceRules } from "./settings.ts";

export type ApplianceDocument = {
  readonly durations_ms?: { readonly resize?: number; readonly sample?: number };
  readonly rules?: ApplianceRulesDocument;
  /** `root` with the password `secret` by default. */
  readonly users?: readonly ApplianceUser[];
  /** Key of a VM of the manager; by default `vcsa`, which is made if it is not there. */
  readonly vm?: string;
  readonly health?: HealthColour;
};

/** Key of the appliance's VM unless the world file names another. */
export const defaultVm = "vcsa";

const memberNames = [
  "durations_ms",
  "rules",
  "users",
  "vm",
  "health",
] satisfies (keyof ApplianceDocument)[];

/** `machineAt` gives the VM with a key, as the manager's world has it. */
export function readApplianceDocument(
  cursor: Cursor,
  nowMs: number,
  machineAt: (key: string) => ApplianceMachine | undefined,
): ApplianceWorld {
  const member = readMembers(cursor, memberNames);
  const rules = readApplianceRules(member("rules"));
  const vm = readText(member("vm"), defaultVm);
  const machine = machineAt(vm);
  if (machine === undefined && !isAbsent(member("vm"))) {
    cursor.report(member("vm").path, `the manager has no VM ${JSON.stringify(vm)}`);
  }
  return {
    durations: readApplianceDurations(member("durations_ms")),
    rules,
    users: readUsers(member("users")),
    vm: machine === undefined ? null : vm,
    health: readChoice(member("health"), healthColours, "green"),
    partitions: partitionsOf(rules, machine, nowMs),
    resizes: [],
    nextNumber: 1,
  };
}

export function readApplianceDurations(cursor: Cursor): ApplianceDurations {
  const member = readMembers(cursor, ["resize", "sample"]);
  return {
    resize: readCount(member("resize"), 0, 100),
    sample: readCount(member("sample"), 100, 300_000),
  };
}

/** All partitions fill their disks at the start. */
function partitionsOf(
  rules: ApplianceRules,
  machine: ApplianceMachine | undefined,
  nowMs: number,
): readonly AppliancePartition[] {
  return applianceDisks(rules.release).flatMap(({ number, partition }) => {
    const disk = machine?.disks.find((each) => each.number === number);
    if (disk === undefined) return [];
    const kb = usableKb(disk.sizeKb);
    const usedKb = Math.floor(kb * 0.3);
    return [{ name: partition, disk: number, sizes: [{ fromMs: nowMs, kb }], usedKb }];
  });
}

function readUsers(cursor: Cursor): readonly ApplianceUser[] {
  const written = [{ name: "root", password: "secret" }];
  return readItems(isAbsent(cursor) ? { ...cursor, value: written } : cursor).map((item) => {
    const member = readMembers(item, ["name", "password"]);
    return { name: readText(member("name")), password: readText(member("password")) };
  });
}

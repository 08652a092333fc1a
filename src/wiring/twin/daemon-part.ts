/** The part of a world that a survey of a daemon makes, and recorded state where it is silent. */

import { compact } from "../../lib/compact.ts";
import type { Survey, SurveyedMachine } from "../../model/provider/survey.ts";
import type { RecordedObject } from "../../model/recorded/recorded.ts";
import type { WorldDocument } from "../../simulators/world.ts";
import { type Given, keyed, type TwinPart } from "./part.ts";

type DaemonDocument = NonNullable<WorldDocument["daemon"]>;
type VmDocument = NonNullable<NonNullable<DaemonDocument["vms"]>[string]>;

export function daemonPart({ machines }: Survey, { durations, recorded }: Given): TwinPart {
  const daemon: DaemonDocument = {
    durations_ms: durations,
    vms: keyed(
      machines,
      ({ id }) => id,
      (machine) => vmOf(machine, recorded),
    ),
  };
  return {
    world: { daemon },
    login: {},
    measured: new Set(),
    assumed: ["guests have tools, and shut down when they are asked to"],
  };
}

const powers: { readonly [power: string]: "on" | "off" | "suspended" | "paused" } = {
  on: "on",
  off: "off",
  suspended: "suspended",
  paused: "paused",
};

function vmOf(machine: SurveyedMachine, recorded: readonly RecordedObject[]): VmDocument {
  const { id, power = "", folders = [] } = machine;
  const isOn = power === "on";
  const { attributes: known = {} } = recorded.find(isVm(id)) ?? {};
  const text = (name: string): string | undefined => {
    const value = known[name];
    return typeof value === "string" ? value : undefined;
  };
  const shared = isOn ? folders : recordedFolders(id, recorded);
  return {
    power: powers[power] ?? "off",
    sharing: known["folder_sharing"] === true || folders.length > 0,
    folders: keyed(
      shared,
      ({ name }) => name,
      ({ hostPath, writable }) => ({ host_path: hostPath, writable }),
    ),
    ...compact({
      name: isOn ? machine.name : text("name"),
      tag: isOn ? machine.tag : text("tag"),
      address: machine.address,
    }),
  };
}

function isVm(id: string): (object: RecordedObject) => boolean {
  return ({ type, identity }) => type === "daemon_vm" && identity === id;
}

function recordedFolders(
  vm: string,
  recorded: readonly RecordedObject[],
): NonNullable<SurveyedMachine["folders"]> {
  return recorded.flatMap(({ type, identity, attributes }) => {
    const { host_path: hostPath, writable } = attributes;
    const isIts = type === "daemon_shared_folder" && identity.startsWith(`${vm}/`);
    if (!isIts || typeof hostPath !== "string") return [];
    const name = identity.slice(vm.length + 1);
    return [{ name, hostPath, writable: writable !== false }];
  });
}

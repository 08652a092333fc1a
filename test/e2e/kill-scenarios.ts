/**
 * What the kill loop runs: configuration A is applied undisturbed, the run of B is killed, and the
 * next run applies B, or an edit of it, to the end.
 */

import type { PowerState } from "../../src/simulators/daemon/virtual-machine.ts";
import { limitsOf } from "./type-limits.ts";

export type VmSpec = {
  readonly id: string;
  /** Name of the VM it is cloned from. */
  readonly parent?: string;
  readonly power?: PowerState;
  readonly tag?: string;
  readonly sharing?: boolean;
  /** Shared folders by name, each with its path on the host. */
  readonly folders?: { readonly [name: string]: string };
};
/** VMs by resource name. */
export type Spec = { readonly [name: string]: VmSpec };

export type KillScenario = {
  readonly name: string;
  readonly a: Spec;
  /** Changed behind the back before A is applied again: power of VMs whose `power` A leaves open. */
  readonly outside?: { readonly [id: string]: PowerState };
  readonly b: Spec;
  /** Edits of B, each with what it is. */
  readonly edits: { readonly [what: string]: Spec };
};

export type Limits = { readonly [group: string]: string };

/** The configuration as YAML; every VM and folder has the time limits. */
export function specYaml(origin: string, spec: Spec, limits: Limits): string {
  const lines = ["providers:", `  daemon: { url: ${JSON.stringify(origin)} }`, "resources:"];
  for (const [name, vm] of Object.entries(spec)) {
    const { id, parent, power, tag, sharing, folders = {} } = vm;
    const attributes = {
      id,
      ...(parent === undefined ? {} : { parent_id: `\${daemon_vm.${parent}.id}` }),
      ...(power === undefined ? {} : { power }),
      ...(tag === undefined ? {} : { tag }),
      ...(sharing === undefined ? {} : { folder_sharing: sharing }),
      timeouts: limitsOf("daemon_vm", limits),
    };
    lines.push(`  daemon_vm.${name}: ${JSON.stringify(attributes)}`);
    for (const [path, host] of Object.entries(folders)) {
      const folder = {
        vm_id: `\${daemon_vm.${name}.id}`,
        guest_path: path,
        host_path: host,
        timeouts: limitsOf("daemon_shared_folder", limits),
      };
      lines.push(`  daemon_shared_folder.${name}_${path}: ${JSON.stringify(folder)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

const base: VmSpec = { id: "base", power: "off" };

const grow: KillScenario = (() => {
  const left: VmSpec = { id: "left", parent: "base", power: "on" };
  const right: VmSpec = { id: "right", parent: "base", power: "off" };
  const lone: VmSpec = { id: "lone", power: "on", sharing: true, folders: { src: "/srv/src" } };
  const b: Spec = { base, left, right, lone };
  return {
    name: "grow",
    a: { base },
    b,
    edits: {
      "a VM added": { ...b, more: { id: "more", parent: "base", power: "on" } },
      "a VM removed": { base, right, lone },
      "power changed": { ...b, left: { ...left, power: "suspended" } },
      "an id changed": { ...b, right: { ...right, id: "right-2" } },
      "a tag changed": { ...b, lone: { ...lone, tag: "blue" } },
    },
  };
})();

const change: KillScenario = (() => {
  const keep: VmSpec = { id: "keep", sharing: true, folders: { src: "/srv/src" } };
  const old: VmSpec = { id: "old", power: "on" };
  const nap: VmSpec = { id: "nap", power: "on" };
  const b: Spec = { base, keep: { ...keep, tag: "green" }, nap: { ...nap, power: "suspended" } };
  return {
    name: "change",
    a: { base, keep: { ...keep, tag: "blue" }, old, nap },
    outside: { keep: "on" },
    b,
    edits: {
      "a VM added": { ...b, more: { id: "more", parent: "base", power: "on" } },
      "a VM removed": { base, nap: b.nap ?? nap },
      "the removed VM is back": { ...b, old },
      "power changed": { ...b, nap },
      "an id changed": { ...b, keep: { ...keep, id: "keep-2", tag: "green" } },
      "a tag changed": { ...b, keep: { ...keep, tag: "red" } },
    },
  };
})();

const windows: KillScenario = (() => {
  const parent: VmSpec = { id: "parent" };
  const lab: VmSpec = { id: "lab", power: "off", sharing: true };
  const share: VmSpec = { id: "share", power: "on", sharing: true };
  const hold: VmSpec = { id: "hold", power: "on" };
  const rest: VmSpec = { id: "rest", power: "suspended" };
  const child: VmSpec = { id: "child", parent: "parent" };
  const labWith: VmSpec = { ...lab, folders: { data: "/srv/data" } };
  const b: Spec = {
    parent,
    child,
    lab: labWith,
    share,
    hold: { ...hold, power: "paused" },
    rest: { ...rest, power: "off" },
  };
  return {
    name: "windows",
    a: { parent, lab, share: { ...share, folders: { out: "/srv/out" } }, hold, rest },
    outside: { parent: "on" },
    b,
    edits: {
      "a VM added": { ...b, more: { id: "more", parent: "lab" } },
      "a VM removed": { ...without(b, "child") },
      "power changed": { ...b, lab: { ...labWith, power: "on" }, rest },
      "the folder is dropped": { ...b, lab },
      "an id changed": { ...b, child: { ...child, id: "child-2" } },
      "a tag changed": { ...b, lab: { ...labWith, tag: "red" } },
    },
  };
})();

function without(spec: Spec, name: string): Spec {
  return Object.fromEntries(Object.entries(spec).filter(([key]) => key !== name));
}

export const killScenarios: readonly KillScenario[] = [grow, change, windows];

/** Observing a VM: by its id, or by what its configuration calls it. */

import { closestName } from "../../../lib/text.ts";
import type { Observation } from "../../../model/provider/observation.ts";
import { count, failed, missing } from "../../kit/reading.ts";
import { plainName, vmIdOf } from "../client/moref.ts";
import { vmIn } from "../machine/names.ts";
import { toolsAttribute } from "../machine/power.ts";
import { vmObservation, vmTrouble } from "../machine/vm-attributes.ts";
import type { VmProperties } from "../machine/vm-properties.ts";
import { plainTerm } from "../machine/vm-terms.ts";
import { type Asked, absent, lookupText, type Pass } from "./pass.ts";

/** Id of the VM: the recorded one, or the one that the lookup gives. */
export function wantedVm(object: Asked): string | undefined {
  if (object.identity !== "") return object.identity;
  const moref = lookupText(object, "moref");
  return moref === undefined ? undefined : vmIdOf(moref);
}

/** What only a search of the complete list can find. */
export function isSearch(object: Asked): boolean {
  if (object.identity !== "") return false;
  return wantedVm(object) === undefined;
}

export async function observeVm(pass: Pass, object: Asked): Promise<Observation> {
  const id = wantedVm(object);
  if (id === undefined) return searchVm(pass, object);
  const machine = await pass.machines.byId(id);
  if (machine.status !== "found") return absent(machine);
  const difference =
    object.identity === "" ? await differenceOf(pass, object, machine.vm) : undefined;
  if (difference === undefined) return found(pass, object, machine.vm);
  return missing(`${id} is ${difference}`);
}

/** Of several none is taken: which one is meant, only a person knows. */
async function searchVm(pass: Pass, object: Asked): Promise<Observation> {
  const terms = termsOf(object);
  if (terms.length === 0) return failed("nothing says which VM is meant");
  const { vms } = await pass.machines.all();
  const matches: VmProperties[] = [];
  const named: VmProperties[] = [];
  for (const vm of vms.values()) {
    if (vm.isTemplate) continue;
    if ((await differenceOf(pass, object, vm)) === undefined) matches.push(vm);
    else if (vm.name === lookupText(object, "name")) named.push(vm);
  }
  const wanted = terms.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(" and ");
  const [match, ...more] = matches;
  if (match === undefined) {
    const others = (await Promise.all(named.map((vm) => describe(pass, vm)))).join("; ");
    const hint = others === "" ? await alikeIn(pass, object, vms.values()) : `; there is ${others}`;
    return missing(`no VM has ${wanted} in the complete list of ${count(vms.size)}${hint}`);
  }
  if (more.length === 0) return found(pass, object, match);
  return {
    status: "unreadable",
    rule: "failed",
    reason: `${matches.length} VMs have ${wanted}; set path or moref`,
    matches: await Promise.all(matches.map((vm) => describe(pass, vm))),
  };
}

/** What was perhaps meant: a template, the same in the server's spelling, or nearly the same. */
async function alikeIn(pass: Pass, object: Asked, vms: Iterable<VmProperties>): Promise<string> {
  for (const [name, wanted] of termsOf(object)) {
    if (name === "instance_uuid") continue;
    const shown = new Map<string, VmProperties>();
    for (const vm of vms) {
      const text = await shownAs(pass, name, vm);
      if (text !== undefined) shown.set(text, vm);
    }
    const term = plainTerm(name, wanted);
    const isMeant = (text: string): boolean => plainName(text) === plainName(term);
    const closest = [...shown.keys()].find(isMeant) ?? closestName(term, shown.keys());
    const vm = closest === undefined ? undefined : shown.get(closest);
    if (vm === undefined) continue;
    const what = vm.isTemplate ? "a template, which cannot be run," : "one";
    return `; there is ${what} of ${name} ${JSON.stringify(closest)}`;
  }
  return "";
}

type Term = readonly [name: "name" | "path" | "instance_uuid", value: string];

function termsOf(object: Asked): readonly Term[] {
  return (["name", "path", "instance_uuid"] as const).flatMap((name) => {
    const value = lookupText(object, name);
    return value === undefined ? [] : [[name, value] as const];
  });
}

/** How a VM is other than it is looked up as; undefined when it is not. */
async function differenceOf(
  pass: Pass,
  object: Asked,
  vm: VmProperties,
): Promise<string | undefined> {
  for (const [name, wanted] of termsOf(object)) {
    const shown = await shownAs(pass, name, vm);
    if (plainTerm(name, wanted) !== plainTerm(name, shown ?? "")) {
      return `of ${name} ${JSON.stringify(shown ?? "")}, not ${JSON.stringify(wanted)}`;
    }
  }
  return undefined;
}

async function shownAs(pass: Pass, name: Term[0], vm: VmProperties): Promise<string | undefined> {
  switch (name) {
    case "name":
      return vm.name;
    case "instance_uuid":
      return vm.instanceUuid;
    case "path":
      return pass.machines.pathOf(vm);
  }
}

async function found(pass: Pass, object: Asked, shown: VmProperties): Promise<Observation> {
  const trouble = vmTrouble(shown);
  if (trouble !== undefined) return failed(trouble);
  // Which of several datastores hold its disks, only they tell.
  const vm = shown.datastores.length > 1 ? await pass.machines.withDevices(shown) : shown;
  const { attributes: asked, recorded = {} } = object;
  const tellsTools = asked.includes(toolsAttribute) || recorded[toolsAttribute] !== undefined;
  const observation = vmObservation(pass.ports, vm, { attributes: asked, tellsTools });
  if (observation === undefined) return failed(`VM ${vm.name} has no power that can be told`);
  // As it was written before, where that is the same path.
  const known = lookupText(object, "path") ?? vmIn(recorded).path;
  if (known === undefined && !asked.includes("path")) return observation;
  const path = await pass.machines.pathOf(vm);
  if (path === undefined) return observation;
  const isSame = known !== undefined && plainTerm("path", known) === path;
  return { ...observation, attributes: { ...observation.attributes, path: isSame ? known : path } };
}

async function describe(pass: Pass, vm: VmProperties): Promise<string> {
  const path = await pass.machines.pathOf(vm);
  const host = vm.host === undefined ? undefined : pass.ports.hostNames.get(vm.host);
  const where = path === undefined ? "" : ` at ${path}`;
  return `${vm.id}${where}${host === undefined ? "" : ` on host ${host}`}`;
}

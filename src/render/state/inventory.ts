/**
 * Recorded VMs as an inventory of Ansible: hosts with their variables, and groups of them. Values
 * are those last read; a sensitive one is in no inventory. Guests and servers choose them, and
 * Ansible runs what it takes for a template: what looks like one is marked as text.
 */

import { isIP } from "node:net";
import type { TypeRegistry } from "../../model/provider/provider.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import { parseAddress } from "../../model/value/address.ts";
import { isList, type Value, type ValueMap } from "../../model/value/value.ts";
import { isSensitive } from "../text/value/sensitivity.ts";

export type Inventory = {
  /** Variables by host. */
  readonly hosts: ReadonlyMap<string, ValueMap>;
  /** Hosts by group, both in order. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
};

/** Every object of a type that has power, by its name where that means one of them alone. */
export function inventoryOf(state: RecordedState, types: TypeRegistry): Inventory {
  const machines = state.objects.filter(
    ({ type, objectKey, status }) =>
      types[type]?.power !== undefined && objectKey === "current" && status === "ready",
  );
  const names = hostNames(machines);
  const hosts = new Map<string, ValueMap>();
  const groups = new Map<string, string[]>();
  for (const [index, machine] of machines.entries()) {
    const host = names[index] ?? machine.address;
    hosts.set(host, hostVariables(machine, types));
    for (const group of groupsOf(machine)) {
      const members = groups.get(group);
      if (members === undefined) groups.set(group, [host]);
      else members.push(host);
    }
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  return { hosts, groups: new Map(sorted.map(([group, members]) => [group, members.sort()])) };
}

/** What `--list` writes: the form is Ansible's own, with the variables of all hosts at once. */
export function inventoryJson({ hosts, groups }: Inventory): ValueMap {
  const children = [...groups.keys()].sort();
  return {
    _meta: { hostvars: Object.fromEntries(hosts) },
    all: { children: [...children, "ungrouped"] },
    ...Object.fromEntries([...groups].map(([group, members]) => [group, { hosts: [...members] }])),
  };
}

/**
 * A machine that is reached through two interfaces is recorded twice under one name: then each host
 * is called after its address. So is one whose name means something else to Ansible.
 */
function hostNames(machines: readonly RecordedObject[]): readonly string[] {
  const wanted = machines.map(({ attributes: { name, id }, identity }) =>
    [name, id, identity].find((each) => typeof each === "string" && each !== ""),
  );
  const count = new Map<unknown, number>();
  for (const name of wanted) count.set(name, (count.get(name) ?? 0) + 1);
  const taken: ReadonlySet<unknown> = new Set<string>([
    ...machines.map(({ address }) => address),
    ...machines.flatMap((machine) => groupsOf(machine)),
    ...["all", "ungrouped", "_meta", "localhost", "127.0.0.1"],
  ]);
  return machines.map(({ address }, index) => {
    const name = wanted[index];
    const isPlain = typeof name === "string" && /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name);
    return isPlain && count.get(name) === 1 && !taken.has(name) ? name : address;
  });
}

function hostVariables(machine: RecordedObject, types: TypeRegistry): ValueMap {
  const { address, type, provider, identity, attributes } = machine;
  const open = Object.entries(attributes).filter(([name]) => !isSensitive(types, type, name));
  const { ip_address: reached } = attributes;
  return {
    // Else it could be an option of ssh.
    ...(typeof reached === "string" && isIP(reached) > 0 ? { ansible_host: reached } : {}),
    vmform_address: asText(address),
    vmform_type: type,
    vmform_provider: provider,
    vmform_identity: asText(identity),
    vmform_attributes: asText(Object.fromEntries(open)),
  };
}

/** What begins a template of Jinja, or says that other signs do. */
const template = /\{[{%#]|^#jinja2:/;

/** Each text that Ansible would run as a template is marked as one that it must not. */
function asText(value: Value): Value {
  if (typeof value === "string") return template.test(value) ? { __ansible_unsafe: value } : value;
  if (isList(value)) return value.map(asText);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, asText(each)]));
}

/** By type, provider, module, tag and power, each as a word that Ansible takes as a group. */
function groupsOf({ address, type, provider, attributes }: RecordedObject): readonly string[] {
  const { tag, power_state: power, vapp_name: vapp } = attributes;
  const modules = parseAddress(address)?.modules ?? [];
  const of = (kind: string, value: Value | undefined): readonly string[] =>
    typeof value === "string" && value !== "" ? [groupName(`${kind}_${value}`)] : [];
  return [
    ...of("type", type),
    ...of("provider", provider),
    ...of("module", modules.map(({ name }) => name).join("_")),
    ...of("tag", tag),
    ...of("power", power),
    ...of("vapp", vapp),
  ];
}

function groupName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_]/g, "_");
}

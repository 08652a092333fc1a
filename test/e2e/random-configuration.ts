/** Random configurations of daemon VMs and shared folders, as YAML. */

import fc from "fast-check";

type Power = "on" | "off" | "suspended" | "paused";

export type RandomVm = {
  /** Position of the VM it is cloned from, taken modulo the number of VMs before it. */
  readonly parent: number | undefined;
  readonly power: Power | undefined;
  readonly name: string | undefined;
  readonly tag: string | undefined;
  /** Puts the address of an earlier VM that is on into the tag. */
  readonly addressInTag: boolean;
  readonly sharing: boolean | undefined;
  /** Shared folders by name, each with its path on the host; only with sharing. */
  readonly folders: { readonly [name: string]: { readonly host: string; readonly write: boolean } };
};
export type RandomConfiguration = readonly RandomVm[];

const text = fc.constantFrom("blue", "a b", "ünï", "0123", "on", "#1", "x: y", 'q"q', "${");

const vm: fc.Arbitrary<RandomVm> = fc.record({
  parent: fc.option(fc.nat(4), { nil: undefined }),
  power: fc.constantFrom<(Power | undefined)[]>(
    "on",
    "on",
    "on",
    "off",
    "suspended",
    "paused",
    undefined,
  ),
  name: fc.option(text, { nil: undefined, freq: 2 }),
  tag: fc.option(text, { nil: undefined, freq: 2 }),
  addressInTag: fc.boolean(),
  sharing: fc.constantFrom(true, true, false, undefined),
  folders: fc.dictionary(
    fc.constantFrom("src", "out", "my docs"),
    fc.record({ host: fc.constantFrom("/srv/a", "/srv/b c"), write: fc.boolean() }),
    { maxKeys: 2 },
  ),
});

/** One to five VMs. */
export const configuration: fc.Arbitrary<RandomConfiguration> = fc.array(vm, {
  minLength: 1,
  maxLength: 5,
});

export const vmId = (index: number): string => `vm-${index}`;

/** YAML of the configuration; the origin is the daemon's. */
export function toYaml(origin: string, vms: RandomConfiguration): string {
  const lines = ["providers:", `  daemon: { url: ${quote(origin)} }`, "resources:"];
  for (const [index, one] of vms.entries()) {
    lines.push(`  daemon_vm.v${index}:`, `    id: ${vmId(index)}`);
    const { parent, power, name, sharing } = one;
    if (parent !== undefined && index > 0) {
      lines.push(`    parent_id: \${daemon_vm.v${parent % index}.id}`);
    }
    if (power !== undefined) lines.push(`    power: ${power}`);
    if (name !== undefined) lines.push(`    name: ${quote(name)}`);
    const tag = tagOf(vms, index);
    if (tag !== undefined) lines.push(`    tag: ${tag}`);
    if (sharing !== undefined) lines.push(`    folder_sharing: ${sharing}`);
    lines.push("    timeouts: { create: 5m, update: 5m, delete: 5m, power: 5m, wait: 5m }");
    if (sharing === true) lines.push(...folderLines(index, one));
  }
  lines.push("outputs:");
  for (const index of vms.keys()) {
    lines.push(`  ip_${index}: { value: '\${daemon_vm.v${index}.ip_address}' }`);
  }
  return `${lines.join("\n")}\n`;
}

/** Not the address of the VM it is cloned from: that one would have to be on, and off to be copied. */
function tagOf(vms: RandomConfiguration, index: number): string | undefined {
  const one = vms[index];
  if (one === undefined) return undefined;
  const { tag, addressInTag, parent } = one;
  const running = vms.findIndex(
    ({ power }, at) =>
      at < index && power === "on" && (parent === undefined || parent % index !== at),
  );
  if (addressInTag && running >= 0) return `"at \${daemon_vm.v${running}.ip_address}"`;
  return tag === undefined ? undefined : quote(tag);
}

function folderLines(index: number, { folders }: RandomVm): readonly string[] {
  return Object.entries(folders).flatMap(([name, { host, write }]) => [
    `  daemon_shared_folder.v${index}_${name.replace(" ", "_")}:`,
    `    vm_id: \${daemon_vm.v${index}.id}`,
    `    guest_path: ${quote(name)}`,
    `    host_path: ${quote(host)}`,
    ...(write ? [] : ["    writable: false"]),
  ]);
}

/** A double-quoted YAML text, without expressions. */
function quote(value: string): string {
  return JSON.stringify(value.replaceAll("${", () => "$${"));
}

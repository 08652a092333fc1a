/** Random simulated worlds of all interfaces, as somebody may have left them. */

import fc from "fast-check";

const odd = fc.constantFrom(
  ...["web-1", "web-2", "web-10", "web.1", "Web 1", "db", "db1", "0815", "in", "true", "über"],
  ...["a b", "a/b", "${x}", "$${x}", "x: y", "#1", "- x", 'q"q', "'", "`", "null", "~", "for_each"],
  ...["4c4c4544-0042-3010-8051-b4c04f4d5931", "{a}", "[0]", "%{x}", "a\\b", "each.key", "日本"],
);
const oddId = odd.filter((text) => !text.includes("/"));
const plainKey = fc.stringMatching(/^[a-z][a-z0-9]{0,3}$/);
const power = fc.constantFrom<("on" | "off" | "suspended")[]>("on", "off", "suspended");

const daemonVm = fc.record(
  {
    name: odd,
    tag: odd,
    power: fc.oneof(power, fc.constant("paused" as const)),
    sharing: fc.boolean(),
    folders: fc.dictionary(
      fc.constantFrom("src", "out", "my docs", "${y}"),
      fc.record({
        host_path: fc.constantFrom("/srv/a", "/srv/b c", "/${HOME}", "C:\\x"),
        writable: fc.boolean(),
      }),
      { maxKeys: 3 },
    ),
  },
  { requiredKeys: ["power"] },
);

const cloudVm = fc.record({
  name: odd,
  power,
  datastore: fc.constantFrom("old", "fast"),
  deployed: fc.constant(true),
  nested: fc.boolean(),
  hardware_version: fc.constantFrom(8, 9, 10),
});

type Format = "thin" | "zeroedthick" | "sesparse";

const managerVm = fc.record({
  name: odd,
  power,
  datastore: fc.constantFrom("hdd", "ssd"),
  hardware_version: fc.constantFrom(8, 9, 10),
  tools: fc.constantFrom<("running" | "absent")[]>("running", "absent"),
  connection: fc.constantFrom(
    ...(["connected", "connected", "connected", "disconnected", "orphaned"] as const),
  ),
  disks: fc.array(
    fc.record({
      size_mb: fc.integer({ min: 1, max: 5000 }),
      format: fc.constantFrom<Format[]>("thin", "zeroedthick", "sesparse"),
    }),
    { maxLength: 3 },
  ),
  template: fc.boolean(),
});

const alarm = fc.record({ user: odd, enabled: fc.boolean(), description: odd });

/** Users and what else is the place's own are added by it. */
export const estate = fc.record({
  daemon: fc.record({ vms: fc.dictionary(oddId, daemonVm, { maxKeys: 6 }) }),
  vapps: fc
    .array(fc.record({ name: odd, vms: fc.array(cloudVm, { maxLength: 4 }) }), { maxLength: 3 })
    .map(withKeys),
  vms: fc.dictionary(plainKey, managerVm, { maxKeys: 5 }),
  alarms: fc.dictionary(odd, alarm, { maxKeys: 3 }),
});

type Vapps<Vm> = readonly { readonly name: string; readonly vms: readonly Vm[] }[];

/** No two VMs of a cloud have one key. */
function withKeys<Vm>(vapps: Vapps<Vm>) {
  return Object.fromEntries(
    vapps.map(({ name, vms }, at) => [
      `vapp_${at}`,
      { name, vms: Object.fromEntries(vms.map((vm, index) => [`vm_${at}_${index}`, vm])) },
    ]),
  );
}

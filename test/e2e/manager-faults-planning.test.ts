/**
 * What stands against a change at a host manager or an appliance is found while planning: told with
 * its numbers and the way out, nothing sent, and everything else goes on.
 */

import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import type { OutsideChange } from "../../src/simulators/core.ts";
import { some } from "../helpers/amount.ts";
import { isMutation, type Resources } from "./cloud-place.ts";
import {
  createManagerPlace,
  type ManagerPlace,
  type ManagerPlaceOptions,
} from "./manager-place.ts";

const apply = ["apply", "--auto-approve", "--allow", "power-off,power-cycle,destroy,reclaim,grow"];

let place: ManagerPlace;
afterEach(() => place.remove());

/** The VM with this key, and what is wanted of a disk of it. */
function disk(vm: string, more: Resources[string]): Resources {
  return {
    [`manager_vm.${vm}`]: { name: vm },
    [`manager_disk.${vm}`]: { vm: `\${manager_vm.${vm}.moref}`, ...more },
  };
}

function reclaim(vm: string, more: Resources[string] = {}): Resources {
  return {
    [`manager_vm.${vm}`]: { name: vm },
    [`manager_disk_reclaim.${vm}`]: { vm: `\${manager_vm.${vm}.moref}`, ...more },
  };
}

const alarm = { "manager_login_alarm.a": { name: "adm logs in", user_name: "LAB.LOCAL\\adm" } };

type Row = {
  readonly name: string;
  readonly resources: Resources;
  readonly options?: ManagerPlaceOptions;
  readonly changes?: readonly OutsideChange[];
  readonly code: string;
  readonly says: readonly RegExp[];
  /** A mistake in the configuration itself: nothing else is done either. */
  readonly stopsAll?: true;
};

const rows: readonly Row[] = [
  {
    name: "a disk that is to become smaller",
    resources: disk("web", { label: "Hard disk 1", size_gb: 5 }),
    code: "MGR014",
    says: [/The disk has 10 GB, and 5 GB are wanted/, /at least 10/],
  },
  {
    name: "a disk below a snapshot",
    resources: disk("held", { label: "Hard disk 1", size_gb: 20 }),
    code: "MGR015",
    says: [/has 1 snapshot \("before"\)/, /Remove the snapshots first/],
  },
  {
    name: "a disk that is not there",
    resources: disk("web", { label: "Hard disk 9", size_gb: 20 }),
    code: "PLN0",
    says: [/Hard disk 9/],
  },
  {
    name: "nested virtualization on a host that cannot",
    resources: { "manager_vm.weak": { name: "weak", nested_hv_enabled: true } },
    code: "MGR012",
    says: [/esx-02\.example.*nestedHVSupported is false/, /Move the VM to a host that can/],
  },
  {
    name: "nested virtualization on hardware that is too old",
    resources: { "manager_vm.old": { name: "old", nested_hv_enabled: true } },
    code: "MGR011",
    says: [/virtual hardware version 8; 9 is needed/],
  },
  {
    name: "a manager that is too old for nested virtualization",
    resources: { "manager_vm.web": { name: "web", nested_hv_enabled: true } },
    options: { rules: { api_version: "5.0" } },
    code: "MGR010",
    says: [/speaks version 5\.0; 5\.1 is needed/],
  },
  {
    name: "a sparse format on hardware that is too old",
    resources: { "manager_vm.old": { name: "old", delta_disk_format: "seSparseFormat" } },
    code: "MGR017",
    says: [/virtual hardware version 8; 9 is needed/],
  },
  {
    name: "space of a VM whose disks are of another kind",
    resources: reclaim("weak"),
    code: "MGR1",
    says: [/thin/, /sparse/],
  },
  {
    name: "space of a disk of another kind",
    resources: reclaim("web", { disk_id: "2000" }),
    code: "MGR1",
    says: [/zeroedthick/],
  },
  {
    name: "an alarm of that name that nobody has recorded",
    resources: alarm,
    changes: [{ add_manager_alarm: { name: "adm logs in", user: "LAB.LOCAL\\adm" } }],
    code: "PLN002",
    says: [/vmform import 'manager_login_alarm\.a' 'adm logs in'/],
  },
  {
    name: "an alarm of a single host",
    resources: alarm,
    options: {
      rules: { kind: "host" },
      hosts: { esx: {} },
      vms: { held: { power: "off" }, vcsa: { power: "on", disks: "appliance" } },
    },
    code: "PLN005",
    says: [/alarm/],
  },
  {
    name: "storage of an appliance that is to become smaller",
    resources: { "appliance_storage.this": { sizes_gb: { updatemgr: 50 } } },
    code: "APL004",
    says: [/updatemgr is to have 50 GB, and its filesystem shows 99\.5 GB already/],
  },
  {
    name: "storage of an appliance by a name that is near",
    resources: { "appliance_storage.this": { sizes_gb: { seats: 50 } } },
    code: "APL",
    says: [/did you mean seat/],
    stopsAll: true,
  },
];

test.each(some(rows, 5))(
  "$name",
  async ({ resources, options = {}, changes = [], code, says, ...row }) => {
    place = await createManagerPlace(options);
    for (const change of changes) await place.change(change);
    // What stands against the one must not stand against the other.
    const beside = { "manager_vm.beside": { name: "vcsa" } };
    place.write({ ...resources, ...beside });
    const before = JSON.stringify(place.simulators.world().manager.vms);
    for (const words of [["plan"], apply, [...apply, "--allow-partial"]]) {
      const { stdout, stderr } = await place.run(1, ...words);
      const said = `${stdout}\n${stderr}`;
      expect(said).toContain(`(${code}`);
      for (const each of says) expect(said).toMatch(each);
    }
    expect(place.simulators.log().filter(isMutation)).toEqual([]);
    expect(JSON.stringify(place.simulators.world().manager.vms)).toBe(before);
    if (row.stopsAll === true) return;
    const recorded = readFileSync(place.file("state/default.json"), "utf8");
    expect(recorded).not.toContain(Object.keys(resources).at(-1));
    expect(recorded).toContain("manager_vm.beside");
  },
);

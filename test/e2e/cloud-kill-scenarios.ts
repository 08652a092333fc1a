/**
 * What the kill loop of the cloud runs: configuration A is applied undisturbed to VMs in a known
 * state, the run of B is killed, and the next run applies B, or an edit of it, to the end.
 */

import { limitsOf } from "./type-limits.ts";

export type CloudVmState = {
  readonly power: "on" | "off" | "suspended";
  /** Default: unless off. */
  readonly deployed?: boolean;
  /** Key of a datastore. */
  readonly datastore: string;
  readonly nested: boolean;
  readonly snapshot: boolean;
};

/** By the VM's key. */
export type CloudStates = { readonly [vm: string]: CloudVmState };

/** Attributes by address. */
export type Resources = {
  readonly [address: string]: { readonly [attribute: string]: string | boolean };
};

export type CloudEdit = {
  readonly resources: Resources;
  readonly end: CloudStates;
  /** It takes a power cycle of its own, whatever became of the first one. */
  readonly cycles?: true;
};

export type CloudKillScenario = {
  readonly name: string;
  /** VMs whose guests have no tools. */
  readonly toolless: readonly string[];
  readonly start: CloudStates;
  /** None: the killed run is the first one. */
  readonly a: Resources | undefined;
  readonly b: Resources;
  /** After B. */
  readonly end: CloudStates;
  /** Edits of B, each with what it is. */
  readonly edits: { readonly [what: string]: CloudEdit };
};

/** Consent to everything: refusals are tested elsewhere. */
export const consent = ["--allow", "power-off,power-cycle,replace,destroy,discard-state,readopt"];

/** The configuration as YAML; every resource has the time limits. */
export function cloudYaml(
  origin: string,
  secretFile: string,
  resources: Resources,
  timeouts: { readonly [group: string]: string },
): string {
  const settings = { url: origin, user: "admin", org: "System", password: { file: secretFile } };
  const lines = [`providers: { cloud: ${JSON.stringify(settings)} }`, "resources:"];
  for (const [address, attributes] of Object.entries(resources)) {
    const own = limitsOf(address, timeouts);
    lines.push(`  ${address}: ${JSON.stringify({ ...attributes, timeouts: own })}`);
  }
  return `${lines.join("\n")}${lines.length > 2 ? "" : " {}"}\n`;
}

const on: CloudVmState = { power: "on", datastore: "hdd", nested: false, snapshot: false };
const off: CloudVmState = { ...on, power: "off" };
const suspended: CloudVmState = { ...on, power: "suspended" };

/** The VM of the scenario, `name` in vApp `name`, with these attributes besides. */
function only(name: string, attributes: Resources[string] = {}): Resources {
  return { [`cloud_vm.${name}`]: { name, vapp_name: name, ...attributes } };
}

function snapshotOf(name: string, label: string): Resources {
  return { [`cloud_snapshot.${name}`]: { vm: `\${cloud_vm.${name}.href}`, name: label } };
}

const move: CloudKillScenario = {
  name: "move",
  toolless: [],
  start: { move: on },
  a: only("move", { datastore: "hdd" }),
  b: only("move", { datastore: "ssd" }),
  end: { move: { ...on, datastore: "ssd" } },
  edits: {
    "moved elsewhere": {
      resources: only("move", { datastore: "nvme" }),
      end: { move: { ...on, datastore: "nvme" } },
    },
    "also turned off": {
      resources: only("move", { datastore: "ssd", power: "off" }),
      end: { move: { ...off, datastore: "ssd" } },
    },
  },
};

/** Two VMs of one vApp, whose work must not overlap. */
const pair: CloudKillScenario = (() => {
  const vm = (name: string, more: Resources[string]): Resources => ({
    [`cloud_vm.${name}`]: { name, vapp_name: "pair", ...more },
  });
  const b: Resources = {
    ...vm("left", { datastore: "ssd" }),
    ...vm("right", { datastore: "ssd", power: "on" }),
    ...snapshotOf("left", "moved"),
  };
  const end: CloudStates = {
    left: { ...on, datastore: "ssd", snapshot: true },
    right: { ...on, datastore: "ssd" },
  };
  return {
    name: "pair",
    toolless: [],
    start: { left: on, right: off },
    a: { ...vm("left", {}), ...vm("right", {}) },
    b,
    end,
    edits: {
      "right suspended": {
        resources: { ...b, ...vm("right", { datastore: "ssd", power: "suspended" }) },
        end: { ...end, right: { ...suspended, datastore: "ssd" } },
      },
    },
  };
})();

const power: CloudKillScenario = {
  name: "power",
  toolless: [],
  start: { power: off },
  a: only("power", { power: "off" }),
  b: only("power", { power: "on" }),
  end: { power: on },
  edits: {
    "to be suspended": {
      resources: only("power", { power: "suspended" }),
      end: { power: suspended },
    },
  },
};

/** Shutting down fails without tools, and undeploying by force takes its place. */
const halt: CloudKillScenario = {
  name: "halt",
  toolless: ["halt"],
  start: { halt: on },
  a: only("halt", { power: "on" }),
  b: only("halt", { power: "off" }),
  end: { halt: off },
  edits: {
    "on after all": { resources: only("halt", { power: "on" }), end: { halt: on } },
  },
};

/** Off, changed, and on again, though nobody configures its power. */
const window: CloudKillScenario = {
  name: "window",
  toolless: [],
  start: { window: on },
  a: only("window", { nested_hv_enabled: false }),
  b: only("window", { nested_hv_enabled: true, datastore: "ssd" }),
  end: { window: { ...on, nested: true, datastore: "ssd" } },
  edits: {
    "no longer nested": {
      resources: only("window", { nested_hv_enabled: false, datastore: "ssd" }),
      end: { window: { ...on, datastore: "ssd" } },
      cycles: true,
    },
  },
};

const snap: CloudKillScenario = {
  name: "snap",
  toolless: [],
  start: { snap: on },
  a: only("snap"),
  b: { ...only("snap"), ...snapshotOf("snap", "first") },
  end: { snap: { ...on, snapshot: true } },
  edits: {
    "another name": {
      resources: { ...only("snap"), ...snapshotOf("snap", "second") },
      end: { snap: { ...on, snapshot: true } },
    },
    "not wanted": { resources: only("snap"), end: { snap: on } },
  },
};

const unsnap: CloudKillScenario = {
  name: "unsnap",
  toolless: [],
  start: { unsnap: on },
  a: { ...only("unsnap"), ...snapshotOf("unsnap", "first") },
  b: only("unsnap"),
  end: { unsnap: on },
  edits: {
    "wanted again": {
      resources: { ...only("unsnap"), ...snapshotOf("unsnap", "first") },
      end: { unsnap: { ...on, snapshot: true } },
    },
  },
};

/** Adopted, which sends nothing. */
const adopt: CloudKillScenario = {
  name: "adopt",
  toolless: [],
  start: { adopt: on },
  a: undefined,
  b: only("adopt", { datastore: "hdd", power: "on" }),
  end: { adopt: on },
  edits: {
    "also moved": {
      resources: only("adopt", { datastore: "ssd", power: "on" }),
      end: { adopt: { ...on, datastore: "ssd" } },
    },
  },
};

/** Leaves the configuration and is turned off; another one stays. */
const part: CloudKillScenario = (() => {
  const stays = { "cloud_vm.stays": { name: "stays", vapp_name: "part" } };
  const leaves = {
    "cloud_vm.leaves": { name: "leaves", vapp_name: "part", on_destroy: "power_off" },
  };
  const end: CloudStates = { leaves: off, stays: on };
  return {
    name: "part",
    toolless: [],
    start: { leaves: on, stays: on },
    a: { ...stays, ...leaves },
    b: stays,
    end,
    edits: {
      "the other one is moved": {
        resources: { "cloud_vm.stays": { ...stays["cloud_vm.stays"], datastore: "ssd" } },
        end: { ...end, stays: { ...on, datastore: "ssd" } },
      },
    },
  };
})();

/** Suspended, and its memory is given up. */
const wake: CloudKillScenario = {
  name: "wake",
  toolless: [],
  start: { wake: suspended },
  a: only("wake", { power: "suspended" }),
  b: only("wake", { power: "off" }),
  end: { wake: off },
  edits: { "resumed instead": { resources: only("wake", { power: "on" }), end: { wake: on } } },
};

export const cloudKillScenarios: readonly CloudKillScenario[] = [
  move,
  pair,
  power,
  halt,
  window,
  snap,
  unsnap,
  adopt,
  part,
  wake,
];

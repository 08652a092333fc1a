/** The first configuration of each provider, and the world that a simulator begins with. */

export type FirstConfiguration = {
  /** What it manages, for who has to choose. */
  readonly manages: string;
  /** What its first configuration is about, for the first line of the file. */
  readonly about: string;
  readonly settings: FirstSettings;
  /** The address is the usual one; else it only shows what one looks like. */
  readonly usualUrl?: true;
  /** Environment variable with the password; a provider without a login has none. */
  readonly password?: string;
  /** What stands below `resources:`. */
  readonly resources: readonly string[];
  /** What stands in `world.yaml`. */
  readonly world: readonly string[];
};

/** Settings of a provider but the password, in the order in which they are asked for. */
export type FirstSettings = { readonly url: string } & {
  readonly [name in "user" | "org"]?: string;
};

export type FirstSetting = keyof FirstSettings;

export const firstConfigurations: { readonly [provider: string]: FirstConfiguration } = {
  daemon: {
    manages: "VMs of a local VM daemon",
    about: "VMs of a local VM daemon.",
    settings: { url: "http://127.0.0.1:8080" },
    usualUrl: true,
    resources: [
      "# Made by vmform, and off at first.",
      "daemon_vm.first:",
      "  id: first",
      "  power: off",
    ],
    world: ["daemon: {}"],
  },
  cloud: {
    manages: "VMs of a cloud",
    about: "VMs of a cloud that exist already: vmform adopts them.",
    settings: { url: "https://cloud.example.com", user: "admin", org: "system" },
    password: "CLOUD_PASSWORD",
    resources: [
      "# Found by its name, and never created or deleted.",
      "cloud_vm.web:",
      "  name: web",
      "  vapp_name: shop",
      "  power: on",
    ],
    world: [
      "cloud:",
      "  users: [{ name: admin, password: secret }]",
      "  vapps: { shop: { vms: { web: { power: off } } } }",
    ],
  },
  manager: {
    manages: "VMs and disks of a host manager",
    about: "VMs of a host manager that exist already: vmform adopts them.",
    settings: { url: "https://manager.example.com", user: "admin" },
    password: "MANAGER_PASSWORD",
    resources: [
      "# Found by its name, and never created or deleted.",
      "manager_vm.web:",
      "  name: web",
      "  power: on",
    ],
    world: [
      "manager:",
      "  users: [{ name: admin, password: secret }]",
      "  vms: { web: { power: off } }",
    ],
  },
  appliance: {
    manages: "the storage of an appliance",
    about: "The storage of an appliance: its filesystems grow with its disks.",
    settings: { url: "https://appliance.example.com", user: "root" },
    password: "APPLIANCE_PASSWORD",
    resources: [
      "# Sizes of partitions by their purpose. They only grow, after the disks below them.",
      "appliance_storage.this:",
      "  sizes_gb: { log: 10 }",
    ],
    world: [
      "manager: { vms: { appliance: { power: on, disks: appliance } } }",
      "appliance:",
      "  users: [{ name: root, password: secret }]",
      "  vm: appliance",
    ],
  },
};

/** The first configuration of each provider, and the world that a simulator begins with. */

export type FirstConfiguration = {
  /** What it is about, for the first line of the file. */
  readonly about: string;
  /** Settings of the provider but the password. */
  readonly settings: readonly string[];
  /** Environment variable with the password; a provider without a login has none. */
  readonly password?: string;
  /** What stands below `resources:`. */
  readonly resources: readonly string[];
  /** What stands in `world.yaml`. */
  readonly world: readonly string[];
};

export const firstConfigurations: { readonly [provider: string]: FirstConfiguration } = {
  daemon: {
    about: "VMs of a local VM daemon.",
    settings: ['url: "http://127.0.0.1:8080"'],
    resources: [
      "# Made by vmform, and off at first.",
      "daemon_vm.first:",
      "  id: first",
      "  power: off",
    ],
    world: ["daemon: {}"],
  },
  cloud: {
    about: "VMs of a cloud that exist already: vmform adopts them.",
    settings: ['url: "https://cloud.example.com"', "user: admin", "org: system"],
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
    about: "VMs of a host manager that exist already: vmform adopts them.",
    settings: ['url: "https://manager.example.com"', "user: admin"],
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
    about: "The storage of an appliance: its filesystems grow with its disks.",
    settings: ['url: "https://appliance.example.com"', "user: root"],
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

/** Generated from schemas/world.schema.json, faults.schema.json and simulator/* by scripts/generate-types.mjs; not for editing by hand. */

/**
 * Its UUID, as links have it; made of the seed and the key by default.
 */
export type CloudId = string;
/**
 * The guest's tools, whenever the VM is on: `running` (or true), or `absent` (or false): shutting down and rebooting the guest fail in their tasks.
 */
export type CloudTools = true | false | "running" | "absent";
/**
 * Colour of the storage's health.
 */
export type ApplianceHealth = "green" | "yellow" | "orange" | "red" | "gray";

/**
 * By the name of its definition.
 */
export interface Documents {
  WorldFile: WorldFile;
  FaultRule: FaultRule;
  FaultScript: FaultScript;
  AppliancePart: AppliancePart;
  ApplianceDurations: ApplianceDurations;
  ApplianceRules: ApplianceRules;
  ApplianceUserEntry: ApplianceUserEntry;
  ApplianceHealth: ApplianceHealth;
  CloudPart: CloudPart;
  CloudDurations: CloudDurations;
  CloudRules: CloudRules;
  CloudUserEntry: CloudUserEntry;
  CloudManagerEntry: CloudManagerEntry;
  CloudDatastoreEntry: CloudDatastoreEntry;
  CloudId: CloudId;
  CloudSnapshotEntry: CloudSnapshotEntry;
  CloudVappEntry: CloudVappEntry;
  CloudVmEntry: CloudVmEntry;
  CloudTools: CloudTools;
  WorldChange: WorldChange;
  ClockAdvance: ClockAdvance;
  ConsoleOpening: ConsoleOpening;
  DaemonPart: DaemonPart;
  DaemonDurations: DaemonDurations;
  DaemonRules: DaemonRules;
  DaemonVmEntry: DaemonVmEntry;
  DaemonFolderEntry: DaemonFolderEntry;
  ManagerPart: ManagerPart;
  ManagerDurations: ManagerDurations;
  ManagerRules: ManagerRules;
  ManagerUserEntry: ManagerUserEntry;
  ManagerHostEntry: ManagerHostEntry;
  ManagerDatastoreEntry: ManagerDatastoreEntry;
  ManagerVmEntry: ManagerVmEntry;
  ManagerSnapshotEntry: ManagerSnapshotEntry;
  ManagerDiskEntry: ManagerDiskEntry;
  ManagerAlarmEntry: ManagerAlarmEntry;
  ManagerLoginEntry: ManagerLoginEntry;
}
/**
 * What simulators hold at their start. Everything may be left out.
 */
export interface WorldFile {
  seed: number;
  daemon: DaemonPart;
  cloud: CloudPart;
  manager: ManagerPart;
  appliance: AppliancePart;
}
/**
 * The daemon: settings, and the VMs that are there at the start.
 */
export interface DaemonPart {
  durations_ms: DaemonDurations;
  rules: DaemonRules;
  vms: {
    [k: string]: DaemonVmEntry;
  };
}
/**
 * How long the daemon's work takes, milliseconds.
 */
export interface DaemonDurations {
  create: number;
  clone: number;
  power_on: number;
  tools: number;
  address: number;
  shutdown_ready: number;
  power_off: number;
  shutdown: number;
  suspend: number;
  resume: number;
  pause: number;
  unpause: number;
  delete: number;
}
/**
 * How the daemon behaves where facts are open.
 */
export interface DaemonRules {
  on_when_on: 200 | 500;
  clone_of_running_parent: "refused" | "allowed";
  address_missing: 408 | 500;
  sharing_required: boolean;
  running_text: "powered on" | "tools_running";
  paused_text: string;
  host_paths?: string[];
}
/**
 * A VM of the daemon.
 */
export interface DaemonVmEntry {
  id?: string;
  name?: string;
  tag: string;
  power: "on" | "off" | "suspended" | "paused";
  tools: boolean;
  address?: string;
  sharing: boolean;
  folders: {
    [k: string]: DaemonFolderEntry;
  };
}
/**
 * A folder of the host that a VM shares.
 */
export interface DaemonFolderEntry {
  host_path: string;
  writable: boolean;
}
/**
 * The cloud: settings, and what is there at the start.
 */
export interface CloudPart {
  durations_ms: CloudDurations;
  rules: CloudRules;
  users: CloudUserEntry[];
  managers: {
    [k: string]: CloudManagerEntry;
  };
  datastores: {
    [k: string]: CloudDatastoreEntry;
  };
  vapps: {
    [k: string]: CloudVappEntry;
  };
}
/**
 * How long the cloud's tasks take, milliseconds.
 */
export interface CloudDurations {
  queued: number;
  pre_running: number;
  cancel: number;
  power_on: number;
  power_off: number;
  shutdown: number;
  reset: number;
  reboot: number;
  suspend: number;
  discard: number;
  undeploy: number;
  relocate: number;
  create_snapshot: number;
  remove_snapshots: number;
  revert_snapshot: number;
  nested: number;
  update: number;
  delete: number;
}
/**
 * How the cloud behaves where facts are open, and what servers differ in.
 */
export interface CloudRules {
  dialect: "neutral" | "vendor";
  xml: "plain" | "prefixed";
  versions: string[];
  session_minutes: number;
  expired_session: 401 | 403;
  page_size_max: number;
  task_days: number;
  progress: "computed" | "absent" | "zero";
  recent_success_tasks: "listed" | "absent";
  cancel: "works" | "ignored";
  nested_power: "off" | "any";
  nested_supported: boolean;
  administrator_vm_query: "all" | "none";
  discard_undeploys: boolean;
  public_url?: string;
}
/**
 * A user of the cloud.
 */
export interface CloudUserEntry {
  name: string;
  org: string;
  password: string;
  role?: "system_administrator" | "organization_administrator" | "user";
  withheld: ("power" | "snapshot" | "nested" | "relocate")[];
}
/**
 * An infrastructure manager; references such as `vm-101` are unique only within it.
 */
export interface CloudManagerEntry {
  id?: CloudId;
  name?: string;
}
/**
 * A datastore of the cloud.
 */
export interface CloudDatastoreEntry {
  id?: CloudId;
  name?: string;
  manager?: string;
  moref?: string;
  capacity_mb: number;
  used_mb: number;
  enabled: boolean;
}
/**
 * A vApp.
 */
export interface CloudVappEntry {
  id?: CloudId;
  name?: string;
  org: string;
  owner: string;
  template: boolean;
  vms: {
    [k: string]: CloudVmEntry;
  };
}
/**
 * A VM of the cloud.
 */
export interface CloudVmEntry {
  vm?: string;
  vapp?: string;
  id?: CloudId;
  name?: string;
  description: string;
  power: "on" | "off" | "suspended";
  deployed?: boolean;
  status?: -1 | 0 | 1 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 20 | 21;
  datastore?: string;
  host: string;
  moref?: string;
  hardware_version: number;
  nested: boolean;
  tools: CloudTools;
  cpus: number;
  memory_mb: number;
  storage_mb: number;
  guest_os: string;
  admin_password?: string;
  storage_profile: string;
  independent_disk: boolean;
  snapshot?: CloudSnapshotEntry;
  withheld: ("power" | "snapshot" | "nested" | "relocate")[];
}
/**
 * The snapshot of a VM; none by default.
 */
export interface CloudSnapshotEntry {
  created?: string;
  powered_on: boolean;
  size_bytes: number;
}
/**
 * The manager: settings, and what is there at the start.
 */
export interface ManagerPart {
  durations_ms: ManagerDurations;
  rules: ManagerRules;
  users: ManagerUserEntry[];
  hosts: {
    [k: string]: ManagerHostEntry;
  };
  datastores: {
    [k: string]: ManagerDatastoreEntry;
  };
  vms: {
    [k: string]: ManagerVmEntry;
  };
  alarms: {
    [k: string]: ManagerAlarmEntry;
  };
  logins: ManagerLoginEntry[];
}
/**
 * How long the manager's work takes, milliseconds.
 */
export interface ManagerDurations {
  queued: number;
  cancel: number;
  power_on: number;
  power_off: number;
  suspend: number;
  reset: number;
  guest_shutdown: number;
  tools: number;
  reconfigure: number;
  relocate: number;
  wipe: number;
  shrink: number;
}
/**
 * How the manager behaves where facts are open, and what servers differ in.
 */
export interface ManagerRules {
  kind: "manager" | "host";
  api_version: string;
  later_version: "served" | "refused";
  session_minutes: number;
  objects_max: number;
  task_minutes: number;
  login_domain: string;
  refusals: "task" | "answer";
  nested_power: "off" | "any";
  relocate: "applied" | "format_ignored" | "ignored";
  guest_shutdown: "works" | "ignored";
  power_off_suspended: "refused" | "works";
  cancel: "works" | "ignored";
  progress: "computed" | "absent";
  alarm_expression: "bare" | "wrapped";
  reclaim_misuse: "refused" | "ignored";
  browser: "enabled" | "absent" | "unavailable";
  browser_nonce: "quoted" | "unquoted" | "absent";
  browser_fault: "typed" | "table";
  clock_skew_ms: number;
  datacenter: string;
}
/**
 * A user of the manager.
 */
export interface ManagerUserEntry {
  name: string;
  password: string;
  rights: "all" | "read";
}
/**
 * A host.
 */
export interface ManagerHostEntry {
  name?: string;
  moref?: string;
  nested_supported: boolean;
}
/**
 * A datastore of the manager.
 */
export interface ManagerDatastoreEntry {
  name?: string;
  moref?: string;
  capacity_gb: number;
  used_gb: number;
  capacity_mb?: number;
  used_mb?: number;
  accessible: boolean;
  hosts?: string[];
}
/**
 * A VM of the manager.
 */
export interface ManagerVmEntry {
  name?: string;
  moref?: string;
  folder?: string;
  host?: string;
  datastore?: string;
  power: "on" | "off" | "suspended";
  hardware_version: number;
  nested?: boolean;
  tools: "running" | "absent";
  connection: "connected" | "disconnected" | "inaccessible" | "orphaned";
  unreadable: string[];
  snapshots: ManagerSnapshotEntry[];
  disks: ManagerDiskEntry[] | string;
  uuid?: string;
  instance_uuid?: string;
  cpus: number;
  memory_mb: number;
  guest_os: string;
  template: boolean;
}
/**
 * A snapshot.
 */
export interface ManagerSnapshotEntry {
  name: string;
  description: string;
}
/**
 * A disk.
 */
export interface ManagerDiskEntry {
  key?: number;
  uuid?: string;
  path?: string;
  size_gb?: number;
  size_mb?: number;
  format: "thin" | "zeroedthick" | "eagerzeroedthick" | "sesparse" | "unknown";
  label?: string;
  datastore?: string;
  used_gb?: number;
  used_mb?: number;
  stale_gb: number;
  linked: boolean;
  delta_disk_format?: string;
  grain_size_kb: number;
}
/**
 * A login alarm.
 */
export interface ManagerAlarmEntry {
  moref?: string;
  user: string;
  enabled: boolean;
  description: string;
}
/**
 * A login before the start.
 */
export interface ManagerLoginEntry {
  user: string;
  ip_address: string;
  seconds_ago: number;
}
/**
 * The appliance: settings, and what is there at the start.
 */
export interface AppliancePart {
  durations_ms: ApplianceDurations;
  rules: ApplianceRules;
  users: ApplianceUserEntry[];
  vm?: string;
  health: ApplianceHealth;
}
/**
 * How long the appliance's work takes, milliseconds.
 */
export interface ApplianceDurations {
  resize: number;
  sample: number;
}
/**
 * How the appliance behaves: its release, and choices where facts are open.
 */
export interface ApplianceRules {
  release: "6.5" | "6.7" | "7.0";
  session_minutes: number;
  basic: "accepted" | "refused";
  storage_list: "full" | "empty";
  monitoring: "full" | "sparse" | "empty";
  offers: "all" | "resize";
}
/**
 * A user of the appliance.
 */
export interface ApplianceUserEntry {
  name: string;
  password: string;
}
/**
 * A rule: which requests, and at most one thing that goes wrong; `delay_ms` and `change` may stand alone or beside it.
 */
export interface FaultRule {
  name?: string;
  interface?: "daemon" | "cloud" | "manager" | "appliance";
  on: string;
  query?: string;
  body?: string;
  nth: number;
  times: number | string;
  delay_ms: number;
  change?: WorldChange;
  reply?: {
    status: number;
    headers: {
      [k: string]: string;
    };
    body: string;
    effect: boolean;
  };
  foreign?: {
    status: number;
    effect: boolean;
  };
  busy?: true;
  refusal?: {
    status: number;
    message: string;
    minor_code?: string;
  };
  task?: {
    end: string;
    message: string;
    minor_code?: string;
    effect?: boolean;
    meanwhile?: string;
    lost: boolean;
  };
  reset?: "before" | "during" | "after";
  cut?: number;
  hang?: "before" | "after";
}
/**
 * A change behind vmform's back: one of these.
 */
export interface WorldChange {
  power_vm?: {
    id: string;
    power: "on" | "off" | "suspended" | "paused";
  };
  create_vm?: DaemonVmEntry & {
    id: string;
    [k: string]: unknown;
  };
  delete_vm?: {
    id: string;
  };
  rename_vm?: {
    id: string;
    name: string;
  };
  tag_vm?: {
    id: string;
    tag: string;
  };
  share_vm?: {
    id: string;
    sharing: boolean;
  };
  add_folder?: {
    id: string;
    guest_path: string;
    host_path: string;
    writable: boolean;
  };
  remove_folder?: {
    id: string;
    guest_path: string;
  };
  power_cloud_vm?: {
    vm: string;
    power: "on" | "off" | "suspended";
    deployed?: boolean;
    status?: -1 | 0 | 1 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 20 | 21;
  };
  add_cloud_vm?: CloudVmEntry & {
    vm: string;
    vapp: string;
    [k: string]: unknown;
  };
  delete_cloud_vm?: {
    vm: string;
  };
  move_cloud_vm?: {
    vm: string;
    datastore: string;
  };
  rename_cloud_vm?: {
    vm: string;
    name: string;
  };
  nest_cloud_vm?: {
    vm: string;
    enabled: boolean;
  };
  tools_cloud_vm?: {
    vm: string;
    tools: CloudTools;
  };
  snapshot_cloud_vm?: {
    vm: string;
    remove: boolean;
  };
  deny_cloud_vm?: {
    vm: string;
    user?: string;
    denied: boolean;
  };
  set_cloud_role?: {
    user: string;
    role: "system_administrator" | "organization_administrator" | "user";
  };
  change_cloud_datastore?: {
    datastore: string;
    name?: string;
    enabled?: boolean;
  };
  start_cloud_task?: {
    vm?: string;
    vapp?: string;
    duration_ms: number;
    operation: string;
    user: string;
  };
  end_cloud_sessions?: {
    user?: string;
  };
  power_manager_vm?: {
    vm: string;
    power: "on" | "off" | "suspended";
  };
  change_manager_vm?: {
    vm: string;
    name?: string;
    nested?: boolean;
    host?: string;
    datastore?: string;
    tools?: "running" | "absent";
    connection?: "connected" | "disconnected" | "inaccessible" | "orphaned";
  };
  delete_manager_vm?: {
    vm: string;
  };
  snapshot_manager_vm?: {
    vm: string;
    name: string;
    remove: boolean;
  };
  change_manager_disk?: {
    vm: string;
    disk: string | number;
    size_gb?: number;
    stale_gb?: number;
  };
  start_manager_task?: {
    vm: string;
    duration_ms: number;
    operation: string;
    user: string;
  };
  forget_manager_tasks?: {
    vm?: string;
  };
  log_in_manager_user?: {
    user: string;
    ip_address: string;
  };
  add_manager_alarm?: {
    name: string;
    user: string;
  };
  change_manager_alarm?: {
    name: string;
    new_name?: string;
    description?: string;
    enabled?: boolean;
    user?: string;
  };
  remove_manager_alarm?: {
    name: string;
  };
  end_manager_sessions?: {
    user?: string;
  };
  change_appliance?: {
    health: ApplianceHealth;
  };
  start_appliance_resize?: {
    duration_ms: number;
  };
  end_appliance_sessions?: {};
}
/**
 * Which requests to the simulators go wrong, and how.
 */
export interface FaultScript {
  faults: FaultRule[];
}
/**
 * Moves the simulated clock forward.
 */
export interface ClockAdvance {
  ms: number;
}
/**
 * Opens a console with a screen ticket.
 */
export interface ConsoleOpening {
  ticket: string;
}

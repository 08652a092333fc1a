/** "Did you mean": names people bring along from other tools, and slips of the finger. */

import { closestName } from "../../../lib/text.ts";
import { compareAddresses } from "../../../model/value/address.ts";

/**
 * Spellings of peers, without case and punctuation, to our names; the first that the block has is
 * meant. Sources: the command lines, provider schemas and interfaces these users know.
 */
const peerSpellings: { readonly [spelling: string]: readonly string[] } = {
  // Blocks and what stands beside attributes.
  terraform: ["vmform"],
  settings: ["vmform"],
  provider: ["providers"],
  variable: ["variables"],
  vars: ["variables"],
  local: ["locals"],
  resource: ["resources"],
  output: ["outputs"],
  foreach: ["for_each"],
  each: ["for_each"],
  dependson: ["depends_on"],
  dependencies: ["depends_on"],
  timeout: ["timeouts"],
  var: ["variables"],
  datasource: ["data"],
  into: ["to"],
  withitems: ["for_each"],
  loop: ["for_each"],
  protect: ["prevent_destroy"],
  errormessage: ["message"],
  secret: ["sensitive"],
  // Types of variables.
  bool: ["boolean"],
  str: ["string"],
  text: ["string"],
  int: ["integer"],
  float: ["number"],
  double: ["number"],
  array: ["list"],
  tuple: ["list"],
  set: ["list"],
  object: ["map"],
  dict: ["map"],
  // Virtual machines.
  vmname: ["name"],
  displayname: ["name"],
  vmid: ["vm_id", "id"],
  vm: ["vm_id", "vm"],
  parentid: ["parent_id"],
  parent: ["parent_id"],
  clone: ["parent_id"],
  clonefrom: ["parent_id"],
  source: ["parent_id"],
  template: ["parent_id"],
  templateuuid: ["parent_id"],
  vapptemplateid: ["parent_id"],
  copyfromvmid: ["parent_id"],
  state: ["power"],
  poweron: ["power"],
  powered: ["power"],
  powerstate: ["power"],
  status: ["power"],
  running: ["power"],
  started: ["power"],
  tags: ["tag"],
  label: ["tag", "label"],
  annotation: ["tag"],
  metadataentry: ["tag"],
  customattributes: ["tag"],
  customvalues: ["tag"],
  sharedfolders: ["folder_sharing"],
  foldersharing: ["folder_sharing"],
  shutdownwaittimeout: ["shutdown_timeout"],
  shutdowntimeout: ["shutdown_timeout"],
  ip: ["ip_address"],
  ipaddress: ["ip_address"],
  nestedvirt: ["nested_hv_enabled"],
  nestedhv: ["nested_hv_enabled"],
  nestedhypervisor: ["nested_hv_enabled"],
  nestedhvenabled: ["nested_hv_enabled"],
  exposehardwarevirtualization: ["nested_hv_enabled"],
  containername: ["vapp_name"],
  ds: ["datastore"],
  datastoreid: ["datastore"],
  datastorename: ["datastore"],
  destinationdatastore: ["datastore"],
  storageprofile: ["datastore"],
  linkedclone: ["delta_disk_format"],
  deltadiskformat: ["delta_disk_format"],
  vmversion: ["hardware_version"],
  // Disks and shares.
  size: ["size_gb"],
  sizeinmb: ["size_gb"],
  disksize: ["size_gb"],
  capacitygb: ["size_gb"],
  diskkey: ["disk_id"],
  diskid: ["disk_id"],
  guestpath: ["guest_path"],
  hostpath: ["host_path"],
  sharename: ["guest_path"],
  flags: ["writable"],
  readonly: ["writable"],
  // Connections.
  endpoint: ["url"],
  server: ["url"],
  host: ["url"],
  hostname: ["url"],
  address: ["url"],
  baseurl: ["url"],
  vsphereserver: ["url"],
  vcenterserver: ["url"],
  username: ["user"],
  login: ["user"],
  insecure: ["allow_unverified_ssl"],
  insecureconnection: ["allow_unverified_ssl"],
  validatecerts: ["allow_unverified_ssl"],
  maxretrytimeout: ["request_timeout"],
  apitimeout: ["request_timeout"],
  sessiontimeout: ["request_timeout"],
};

/** The name of `candidates` that was most likely meant, if any is near. */
export function meantName(written: string, candidates: Iterable<string>): string | undefined {
  const names = [...candidates];
  const spelling = written.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const known = Object.hasOwn(peerSpellings, spelling) ? (peerSpellings[spelling] ?? []) : [];
  return known.find((name) => names.includes(name)) ?? closestName(written, names);
}

/** `Did you mean x?`, or undefined when nothing is near. */
export function didYouMean(written: string, candidates: Iterable<string>): string | undefined {
  const meant = meantName(written, candidates);
  return meant === undefined ? undefined : `Did you mean ${meant}?`;
}

/**
 * Like `didYouMean` for `type.name` or `data.type.name`: within a type that exists only the names
 * are compared, since equal types would make any two short names look alike.
 */
export function didYouMeanResource(written: string, keys: Iterable<string>): string | undefined {
  const all = [...keys];
  const [, type = "", name = ""] = /^((?:data\.)?[^.[]*)[.[]?([^.[]*)/.exec(written) ?? [];
  const names = all.flatMap((key) =>
    key.startsWith(`${type}.`) ? key.slice(type.length + 1) : [],
  );
  if (names.includes(name)) return `Did you mean ${type}.${name}?`;
  if (names.length === 0) return didYouMean(written, all);
  const meant = closestName(name, names);
  if (meant !== undefined) return `Did you mean ${type}.${meant}?`;
  const sorted = [...names].sort(compareAddresses);
  const some = sorted.slice(0, 5).map((known) => `${type}.${known}`);
  return `Declared: ${some.join(", ")}${names.length > some.length ? " and others" : ""}.`;
}

/** `on, off or paused`. */
export function listWords(words: readonly string[], conjunction = "or"): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${conjunction} ${words.at(-1) ?? ""}`;
}

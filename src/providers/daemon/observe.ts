/**
 * Reading: one pass over the wanted objects. Existence is decided by the complete list of VMs alone
 * (a VM that is off refuses to show itself), power by its own request, and the rest only while the
 * VM is on (specification, section B; wire facts B.4).
 */

import type { DecodeReply, HttpReply } from "../../http/call.ts";
import { excerpt } from "../../http/reply.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import type { Observation, UnreadableReason, Wanted } from "../../model/provider/observation.ts";
import type { Attributes, Value } from "../../model/value/value.ts";
import { once, oncePer } from "../kit/once.ts";
import { pathSegment } from "../kit/path-segment.ts";
import { failed, missing, observeEach, silent, unlistedAmong } from "../kit/reading.ts";
import { type ObservedPower, powerOfText } from "./power.ts";
import {
  daemonError,
  envelopeOf,
  foreign,
  isOk,
  isSharingOff,
  type ReplyContext,
  readEnvelope,
  readNames,
  readObject,
} from "./reply.ts";
import { folderParts, folderTypeName, writableFlag } from "./shared-folder.ts";
import { vmTypeName } from "./vm.ts";

/** Sends one GET below `/api` and decodes its reply. Throws `RemoteError`. */
export type Get = <T>(path: string, decode: DecodeReply<T>) => Promise<T>;

type Missing = { readonly missing: string };
type Power = { readonly state: ObservedPower };
/** Names of a VM's shares, or how the daemon says that sharing is switched off. */
type Shares = { readonly names: ReadonlySet<string> } | { readonly off: string };

/** What one pass has learned; each promise is asked for once, however many objects need it. */
type Pass = {
  readonly get: Get;
  readonly list: () => Promise<ReadonlySet<string>>;
  /** A second list, for VMs that vanished after the first. */
  readonly listAgain: () => Promise<ReadonlySet<string>>;
  readonly power: (id: string) => Promise<Power | Missing>;
  readonly shares: (vm: string) => Promise<Shares>;
};

/** Same order, one observation each; a failure concerns only the objects that it hides. */
export async function observe(
  get: Get,
  wanted: readonly Wanted[],
): Promise<readonly Observation[]> {
  const unlisted = new Set<RemoteError>();
  const pass = startPass(get, unlisted);
  return observeEach(
    wanted,
    {
      [vmTypeName]: (object) => observeVm(pass, object),
      [folderTypeName]: (object) => observeFolder(pass, object),
    },
    // Without the list nothing of the daemon can be read.
    (error) => (unlisted.has(error) ? silent(error.message) : failed(error.message)),
  );
}

/**
 * Ids of all VMs, or of those with one of the tags (wire facts B.3, endpoint 3). Throws
 * `RemoteError` for anything that is not such a list.
 */
export function listVms(get: Get, tags: readonly string[] = []): Promise<readonly string[]> {
  const context: ReplyContext = { class: "read", what: "list of VMs" };
  const query = tags.length === 0 ? "" : `?tags=${tags.map(pathSegment).join(",")}`;
  return get(`/vms${query}`, (reply) => readNames(reply, context));
}

/** Shares of these VMs; one that is off, or gone, does not tell of its own. */
export async function listFolders(
  get: Get,
  vms: readonly string[],
): Promise<readonly { readonly type: string; readonly identity: string }[]> {
  const listed = await Promise.all(
    vms.map(async (vm) => {
      try {
        const shares = await readShares(get, vm);
        return "off" in shares ? [] : [...shares.names].map((name) => `${vm}/${name}`);
      } catch (error) {
        const isSilent =
          error instanceof RemoteError && ["precondition", "not-found"].includes(error.kind);
        if (isSilent) return [];
        throw error;
      }
    }),
  );
  return listed.flat().map((identity) => ({ type: folderTypeName, identity }));
}

/** `unlisted` learns the error of a list that cannot be read. */
function startPass(get: Get, unlisted: Set<RemoteError>): Pass {
  const list = once(async () => {
    try {
      return new Set(await listVms(get));
    } catch (error) {
      if (error instanceof RemoteError) unlisted.add(error);
      throw error;
    }
  });
  const listAgain = once(async () => new Set(await listVms(get)));
  const pass: Pass = {
    get,
    list,
    listAgain,
    power: oncePer((id) => readPower(pass, id)),
    shares: oncePer((vm) => readShares(get, vm)),
  };
  return pass;
}

async function observeVm(pass: Pass, object: Wanted): Promise<Observation> {
  const id = object.identity;
  const power = await pass.power(id);
  if ("missing" in power) return missing(power.missing);
  const isOn = power.state === "on";
  const [details, address] = await Promise.all([
    isOn ? readDetails(pass.get, id) : byRule,
    object.attributes.includes("ip_address") ? readAddress(pass.get, id, isOn) : nothing,
  ]);
  return {
    status: "found",
    identity: id,
    attributes: { id, power_state: power.state, ...details.attributes, ...address.attributes },
    unreadable: { ...details.unreadable, ...address.unreadable },
    ...(address.reasons === undefined ? {} : { reasons: address.reasons }),
  };
}

type Part = {
  readonly attributes: Attributes;
  readonly unreadable: { readonly [attribute: string]: UnreadableReason };
  readonly reasons?: { readonly [attribute: string]: string };
};

const nothing: Part = { attributes: {}, unreadable: {} };
const byRule: Part = { attributes: {}, unreadable: { name: "by rule", tag: "by rule" } };

/** Endpoint 6, after the list. The VM may vanish in between: then a second list decides. */
async function readPower(pass: Pass, id: string): Promise<Power | Missing> {
  const listed = await pass.list();
  if (!listed.has(id)) return { missing: unlistedAmong(listed.size) };
  const context: ReplyContext = { class: "read", what: `power of VM ${id}` };
  try {
    return await pass.get(`/vms/power/${pathSegment(id)}`, (reply) => {
      const { message } = readEnvelope(reply, context);
      const state = powerOfText(message);
      if (state === undefined) throw foreign(reply, context, "names no power state");
      return { state };
    });
  } catch (error) {
    if (!(error instanceof RemoteError) || error.kind !== "not-found") throw error;
    const now = await pass.listAgain();
    if (now.has(id)) throw error;
    return { missing: unlistedAmong(now.size) };
  }
}

/** Endpoint 4, allowed only while the VM is on. An empty text means "not set". */
async function readDetails(get: Get, id: string): Promise<Part> {
  const context: ReplyContext = { class: "read", what: `VM ${id}` };
  try {
    return await get(`/vms/${pathSegment(id)}`, (reply) => {
      const vm = readObject(reply, context);
      if (vm.get("id") !== id) throw foreign(reply, context, `instead of VM ${id}`);
      const attributes = { name: setText(vm.get("name")), tag: setText(vm.get("tag")) };
      return { attributes, unreadable: {} };
    });
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    // It was turned off between the two requests.
    if (error.kind === "precondition") return byRule;
    return { attributes: {}, unreadable: { name: "failed", tag: "failed" } };
  }
}

function setText(value: Value | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Endpoint 7. The daemon answers with an error, or 408, as long as the guest has no address. */
async function readAddress(get: Get, id: string, isOn: boolean): Promise<Part> {
  if (!isOn) return { attributes: { ip_address: null }, unreadable: {} };
  const context: ReplyContext = { class: "read", what: `address of VM ${id}` };
  try {
    return await get(`/vms/${pathSegment(id)}/ipaddress`, (reply) => {
      const { address, reason } = addressOf(reply, context);
      const reasons = reason === undefined ? {} : { reasons: { ip_address: reason } };
      return { attributes: { ip_address: address }, unreadable: {}, ...reasons };
    });
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const reasons = { ip_address: error.message };
    return { attributes: {}, unreadable: { ip_address: "failed" }, reasons };
  }
}

/** `reason`: the daemon's own words for there being no address yet. */
type Address = { readonly address: string | null; readonly reason?: string };

function addressOf(reply: HttpReply, context: ReplyContext): Address {
  if (isOk(reply.status)) return { address: setText(readEnvelope(reply, context).message.trim()) };
  const envelope = envelopeOf(reply);
  // The body of 408 may be the envelope or a bare text.
  if (reply.status !== 408 && envelope === undefined) throw daemonError(reply, context);
  const words = excerpt(envelope?.message ?? reply.text);
  const answer = `the daemon answered ${envelope?.code ?? reply.status}`;
  return { address: null, reason: words === "" ? answer : `${answer}: ${words}` };
}

async function observeFolder(pass: Pass, object: Wanted): Promise<Observation> {
  const { vm, name } = folderParts(object.identity);
  const power = await pass.power(vm);
  if ("missing" in power) return missing(`VM ${vm} is ${power.missing}`);
  if (power.state !== "on") return vmNotReady(`VM ${vm} is ${power.state}, not on`);
  try {
    const shares = await pass.shares(vm);
    if ("off" in shares) return { ...vmNotReady(shares.off), unset: true };
    const { names } = shares;
    if (!names.has(name)) {
      return missing(`${unlistedAmong(names.size, "shared folder")} of VM ${vm}`);
    }
    const attributes = await readFolder(pass.get, vm, name);
    return { status: "found", identity: object.identity, attributes, unreadable: {} };
  } catch (error) {
    // Off since the power was read, or the guest's tools do not run yet.
    if (error instanceof RemoteError && error.kind === "precondition") {
      return vmNotReady(error.message);
    }
    throw error;
  }
}

function vmNotReady(reason: string): Extract<Observation, { status: "unreadable" }> {
  return { status: "unreadable", rule: "by rule", reason };
}

/** Endpoint 10. */
async function readShares(get: Get, vm: string): Promise<Shares> {
  const context: ReplyContext = { class: "read", what: `shared folders of VM ${vm}` };
  const path = `/vms/${pathSegment(vm)}/folders`;
  return get(path, (reply) =>
    isSharingOff(reply)
      ? { off: daemonError(reply, context).message }
      : { names: new Set(readNames(reply, context)) },
  );
}

/** Endpoint 11. */
function readFolder(get: Get, vm: string, name: string): Promise<Attributes> {
  const context: ReplyContext = { class: "read", what: `shared folder ${name} of VM ${vm}` };
  const path = `/vms/${pathSegment(vm)}/folders/${pathSegment(name)}`;
  return get(path, (reply) => {
    const folder = readObject(reply, context);
    const [host, flags] = [folder.get("hostPath"), folder.get("flags")];
    if (folder.get("guestPath") !== name || typeof host !== "string" || typeof flags !== "number") {
      throw foreign(reply, context, "instead of guestPath, hostPath and flags");
    }
    const writable = (flags & writableFlag) !== 0;
    return { vm_id: vm, guest_path: name, host_path: host, writable };
  });
}

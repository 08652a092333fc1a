/**
 * Observing the snapshot of a VM. An identity without an instant stands for whatever snapshot there
 * is; one with it only for the snapshot made then.
 */

import type { Observation, Wanted } from "../../../model/provider/observation.ts";
import { failed, missing } from "../../kit/reading.ts";
import { instantText } from "../client/instant.ts";
import { isSince } from "../client/versions.ts";
import { snapshotIdentity, snapshotParts } from "../vm/snapshot.ts";
import { isGone } from "../vm/task.ts";
import type { VmDocument } from "../vm/vm-document.ts";
import { absentVm } from "./absence.ts";
import type { Pass } from "./pass.ts";

/** Throws `RemoteError` when the VM cannot be read. */
export async function observeSnapshot(pass: Pass, object: Wanted): Promise<Observation> {
  const { vm, createdAt } = snapshotParts(object.identity);
  let document: VmDocument;
  try {
    document = await pass.vm(vm);
  } catch (error) {
    if (!isGone(error)) throw error;
    return ofAbsentVm(pass, vm, object);
  }
  const { snapshot, name, vapp, moref } = document;
  if (snapshot === undefined) {
    const reason =
      `VM ${name} does not say whether it has a snapshot; ` +
      `API ${pass.client.apiVersion} may not know snapshots, which need 5.1`;
    // An older version never tells; a newer one should have.
    const rule = isSince(pass.client.apiVersion, "5.1") ? "failed" : "by rule";
    return { status: "unreadable", rule, reason };
  }
  if (snapshot === null) {
    return missing(`VM ${name} was read and has no snapshot`);
  }
  if (createdAt !== undefined && createdAt !== snapshot.createdAt) {
    const made = instantText(snapshot.createdAt);
    const proof = `VM ${name} was read and has another snapshot, made at ${made}`;
    return { ...missing(proof), instead: true };
  }
  return {
    status: "found",
    identity: snapshotIdentity(vm, snapshot.createdAt),
    attributes: {
      vm,
      created_at: snapshot.createdAt,
      powered_on: snapshot.poweredOn,
      size_bytes: snapshot.sizeBytes,
      ...(vapp === undefined ? {} : { vapp_href: vapp }),
      ...(moref === undefined ? {} : { vm_moref: moref }),
    },
    unreadable: {},
  };
}

/** A snapshot goes with its VM, if that is gone indeed. */
async function ofAbsentVm(pass: Pass, vm: string, object: Wanted): Promise<Observation> {
  const list = await pass.inventory.all();
  if (list.has(vm)) {
    return failed(
      `VM ${vm} is listed, but may not be read: rights were lost; ` +
        "an administrator can give them back",
    );
  }
  const of = await absentVm(pass, vm, object);
  return of.status === "missing" ? missing(`its VM is ${of.proof}`) : of;
}

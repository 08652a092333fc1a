/**
 * Whether a VM that is not listed is gone. A refusal alone proves nothing: the cloud answers 403
 * for what does not exist and for what is not yours (wire facts A.6). A system administrator sees
 * everything, so that a complete list without the VM counts; anybody else may just have lost a
 * right to it, unless its vApp can still be read and does not hold it.
 */

import type { RemoteError } from "../../../model/operation/remote-error.ts";
import type { Observation, Wanted } from "../../../model/provider/observation.ts";
import type { Value } from "../../../model/value/value.ts";
import { failed, missing, unlistedAmong } from "../../kit/reading.ts";
import { apiPathOf } from "../client/href.ts";
import { vmIn } from "../vm/names.ts";
import { isGone } from "../vm/task.ts";
import { powerOfVm, unknownPower, type VmDocument } from "../vm/vm-document.ts";
import type { Pass } from "./pass.ts";

/** Throws `RemoteError` when the VM answers with another error. */
export async function absentVm(pass: Pass, path: string, object: Wanted): Promise<Observation> {
  const { size } = await pass.inventory.all();
  const listing = unlistedAmong(size);
  let refusal: RemoteError;
  try {
    return unlisted(pass, object, path, await pass.vm(path));
  } catch (error) {
    if (!isGone(error)) throw error;
    refusal = error;
  }
  const answer = `a read of ${path} is answered ${refusal.status ?? refusal.kind}`;
  if (pass.client.who.isSystem) return missing(`${listing}, and ${answer}`);
  const vapp = vappOf(pass, path, object);
  const lost = `${listing}, and ${answer}: it was deleted, or your rights on it were lost`;
  if (vapp === undefined) return failed(lost);
  try {
    const { vms } = await pass.vapp(vapp);
    if (vms.has(path)) return failed(`${lost} (its vApp ${vapp} still holds it)`);
  } catch (error) {
    if (!isGone(error)) throw error;
    return failed(`${lost} (so were those on its vApp ${vapp}, or it is gone too)`);
  }
  return missing(`${listing}, ${answer}, and its vApp ${vapp} does not hold it`);
}

/** A query may lag behind; what the VM itself says holds. */
function unlisted(pass: Pass, object: Wanted, path: string, vm: VmDocument): Observation {
  const power = powerOfVm(vm);
  if (power === undefined) return failed(unknownPower(vm.name, vm.status));
  const { hardwareVersion, nested, vapp } = vm;
  const attributes: { [name: string]: Value } = {
    href: path,
    name: vm.name,
    power_state: power,
    ...(vapp === undefined ? {} : { vapp_href: vapp }),
    ...(hardwareVersion === undefined ? {} : { hardware_version: hardwareVersion }),
    ...(nested === undefined ? {} : { nested_hv_enabled: nested }),
  };
  const asksNested = object.attributes.includes("nested_hv_enabled") && nested === undefined;
  return {
    status: "found",
    identity: path,
    attributes,
    unreadable: {
      datastore: pass.client.who.isSystem ? "failed" : "by rule",
      ...(asksNested ? { nested_hv_enabled: "by rule" as const } : {}),
    },
  };
}

function vappOf(pass: Pass, path: string, { recorded = {} }: Wanted): string | undefined {
  return apiPathOf(vmIn(recorded).vapp_href ?? pass.memory.vapps.get(path) ?? "");
}

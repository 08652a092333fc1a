/**
 * VMs as their own resources show them, for many at a time: several of one vApp cost one read of
 * the vApp, which holds each of them whole (wire facts A.3.4). What a vApp leaves out is asked of
 * the VM itself.
 */

import { oncePer } from "../../kit/once.ts";
import { orElse } from "../../kit/refusal.ts";
import type { CloudClient } from "../client/client.ts";
import { apiPathOf } from "../client/href.ts";
import { isSince } from "../client/versions.ts";
import { readVapp, type VappDocument } from "../vm/vapp-document.ts";
import { readVm, type VmDocument } from "../vm/vm-document.ts";

export type VmSource = {
  /** Throws `RemoteError`. */
  readonly vm: (path: string) => Promise<VmDocument>;
  /** Throws `RemoteError`. */
  readonly vapp: (path: string) => Promise<VappDocument>;
};

/**
 * `paths`: the VMs that will be asked for. `vapps`: links of their vApps, which become known while
 * lists are read.
 */
export function openVms(
  client: CloudClient,
  paths: ReadonlySet<string>,
  vapps: ReadonlyMap<string, string>,
): VmSource {
  const vapp = oncePer((path) => readVapp(client, path));
  const shared = sharedBy(paths, vapps);
  const vm = oncePer(async (path) => {
    const at = apiPathOf(vapps.get(path) ?? "");
    const held = at !== undefined && shared(at) ? await heldIn(vapp(at), path) : undefined;
    return held !== undefined && isWhole(client, held) ? held : readVm(client, path);
  });
  return { vm, vapp };
}

/** Whether several of the VMs are in a vApp; counted anew only when more is known of them. */
function sharedBy(
  paths: ReadonlySet<string>,
  vapps: ReadonlyMap<string, string>,
): (vapp: string) => boolean {
  let known = -1;
  let counts = new Map<string, number>();
  return (vapp) => {
    if (known !== vapps.size) {
      known = vapps.size;
      counts = new Map();
      for (const path of paths) {
        const at = apiPathOf(vapps.get(path) ?? "");
        if (at !== undefined) counts.set(at, (counts.get(at) ?? 0) + 1);
      }
    }
    return (counts.get(vapp) ?? 0) > 1;
  };
}

/** A vApp that cannot be read says nothing of its VMs. */
function heldIn(reading: Promise<VappDocument>, path: string): Promise<VmDocument | undefined> {
  return orElse(
    async () => (await reading).vm(path),
    () => undefined,
  );
}

/** Something absent inside a vApp is not absent of the VM. */
function isWhole({ apiVersion }: CloudClient, vm: VmDocument): boolean {
  const { status, isDeployed, nested, snapshot, hardwareVersion } = vm;
  if (status === "" || isDeployed === undefined || hardwareVersion === undefined) return false;
  return !isSince(apiVersion, "5.1") || (nested !== undefined && snapshot !== undefined);
}

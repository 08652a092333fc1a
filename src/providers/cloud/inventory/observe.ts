/**
 * Reading: one pass over the wanted objects. One paged query answers what it can for all of them;
 * a VM itself is asked only for what no query answers and somebody needs.
 */

import type { Observation, Wanted } from "../../../model/provider/observation.ts";
import { observeEach } from "../../kit/reading.ts";
import type { CloudClient } from "../client/client.ts";
import { snapshotTypeName, vmIn, vmTypeName } from "../vm/names.ts";
import { snapshotParts } from "../vm/snapshot.ts";
import { type CloudMemory, type InventoryPorts, openInventory } from "./inventory.ts";
import { observeSnapshot } from "./observe-snapshot.ts";
import { needsVm, observeVm } from "./observe-vm.ts";
import { identityOf, type Pass } from "./pass.ts";
import { openVms } from "./vm-source.ts";

/** Same order, one observation each; a failure concerns only the objects that it hides. */
export async function observe(
  ports: InventoryPorts,
  wanted: readonly Wanted[],
): Promise<readonly Observation[]> {
  const { client, memory } = ports;
  const vms = wanted.filter(({ type }) => type === vmTypeName);
  const paths = new Map(
    vms.flatMap((object) => {
      const path = identityOf(object);
      return path === undefined ? [] : [[path, knownName(object)] as const];
    }),
  );
  const names = new Set(vms.flatMap((object) => nameOf(object) ?? []));
  const pass: Pass = {
    client,
    memory,
    inventory: openInventory(ports, { paths, names }),
    ...openVms(client, documentsOf(client, wanted), knowVapps(memory, wanted)),
  };
  return observeEach(wanted, {
    [vmTypeName]: (object) => observeVm(pass, object),
    [snapshotTypeName]: (object) => observeSnapshot(pass, object),
  });
}

/** Paths of the VMs that are asked for themselves, as far as it is known before. */
function documentsOf(client: CloudClient, wanted: readonly Wanted[]): ReadonlySet<string> {
  return new Set(
    wanted.flatMap((object) => {
      if (object.type === snapshotTypeName) return [snapshotParts(object.identity).vm];
      return needsVm(client, object, object.recorded ?? {}) ? (identityOf(object) ?? []) : [];
    }),
  );
}

/** As recorded, where no list has told it yet; what is read from now on is added. */
function knowVapps({ vapps }: CloudMemory, wanted: readonly Wanted[]): CloudMemory["vapps"] {
  for (const object of wanted) {
    const { vapp_href: href } = vmIn(object.recorded ?? {});
    const path =
      object.type === snapshotTypeName ? snapshotParts(object.identity).vm : identityOf(object);
    if (href !== undefined && path !== undefined && !vapps.has(path)) vapps.set(path, href);
  }
  return vapps;
}

function knownName({ recorded = {}, lookup = {} }: Wanted): string | undefined {
  return vmIn(recorded).name ?? vmIn(lookup).name;
}

function nameOf(object: Wanted): string | undefined {
  return identityOf(object) === undefined ? vmIn(object.lookup ?? {}).name : undefined;
}

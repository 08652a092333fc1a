/**
 * Reading: one pass over the wanted objects. One paged query answers what it can for all of them;
 * a VM itself is asked only for what no query answers and somebody needs.
 */

import type { Observation, Wanted } from "../../model/observation.ts";
import { RemoteError } from "../../model/remote-error.ts";
import type { CloudClient } from "./client.ts";
import { type InventoryPorts, oncePer, openInventory } from "./inventory.ts";
import { observeSnapshot } from "./observe-snapshot.ts";
import { observeVm } from "./observe-vm.ts";
import { failed, identityOf, type Pass } from "./pass.ts";
import { snapshotTypeName } from "./snapshot.ts";
import { vmTypeName } from "./vm.ts";
import { readVm, vmsOfVapp } from "./vm-document.ts";

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
    vm: oncePer((path) => readVm(client, path)),
    vapp: oncePer((path) => readVapp(client, path)),
  };
  return Promise.all(
    wanted.map(async (object) => {
      try {
        return await observeOne(pass, object);
      } catch (error) {
        if (error instanceof RemoteError) return failed(error.message);
        throw error;
      }
    }),
  );
}

function knownName({ recorded = {}, lookup = {} }: Wanted): string | undefined {
  return [recorded.name, lookup.name].find((name) => typeof name === "string");
}

function nameOf(object: Wanted): string | undefined {
  const name = object.lookup?.name;
  return identityOf(object) === undefined && typeof name === "string" ? name : undefined;
}

function observeOne(pass: Pass, object: Wanted): Promise<Observation> {
  switch (object.type) {
    case vmTypeName:
      return observeVm(pass, object);
    case snapshotTypeName:
      return observeSnapshot(pass, object);
    default:
      throw new Error(`the cloud has no objects of type ${object.type}`);
  }
}

/** Wire facts A.3.4. */
async function readVapp(client: CloudClient, path: string): Promise<ReadonlySet<string>> {
  const { root } = await client.get(path, { root: "VApp" });
  return vmsOfVapp(root);
}

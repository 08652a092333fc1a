/** The inventory as a tree of references: parents, children, everything below, paths of names. */

import { isSameRef, type Reference, refTo } from "../soap/soap-value.ts";
import { isKindOf } from "../soap/wsdl.ts";
import { fixedIds } from "../world/inventory.ts";
import type { ManagerState } from "../world/manager-state.ts";
import type { ContainerView } from "../world/session-record.ts";

type TreeState = Pick<ManagerState, "rules" | "hosts" | "folders" | "vms" | "datastores">;

/** Children of a folder, datacenter or cluster; none of everything else. */
export function childrenOf(state: TreeState, ref: Reference): readonly Reference[] {
  const ids = fixedIds(state.rules.kind);
  switch (ref.id) {
    case ids.rootFolder:
      return [refTo("Datacenter", ids.datacenter)];
    case ids.datacenter:
      return [ids.vmFolder, ids.hostFolder, ids.datastoreFolder, ids.networkFolder].map((id) =>
        refTo("Folder", id),
      );
    case ids.hostFolder:
      return [clusterOf(state)];
    case ids.cluster:
      return [
        refTo("ResourcePool", ids.resourcePool),
        ...state.hosts.map((host) => refTo("HostSystem", host.id)),
      ];
    case ids.datastoreFolder:
      return [...state.datastores.keys()].map((id) => refTo("Datastore", id));
    default:
      return ref.ref === "Folder" ? inVmFolder(state, ref.id) : [];
  }
}

function clusterOf({ rules }: TreeState): Reference {
  const type = rules.kind === "manager" ? "ClusterComputeResource" : "ComputeResource";
  return refTo(type, fixedIds(rules.kind).cluster);
}

function inVmFolder(state: TreeState, folderId: string): readonly Reference[] {
  return [
    ...state.folders
      .filter((folder) => folder.parentId === folderId)
      .map((folder) => refTo("Folder", folder.id)),
    ...[...state.vms.values()]
      .filter((vm) => vm.folderId === folderId)
      .map((vm) => refTo("VirtualMachine", vm.id)),
  ];
}

/** Undefined for the root. */
export function parentOf(state: TreeState, ref: Reference): Reference | undefined {
  const { vms, folders } = state;
  const ids = fixedIds(state.rules.kind);
  if (ref.ref === "VirtualMachine") return refTo("Folder", vms.get(ref.id)?.folderId ?? "");
  if (ref.ref === "HostSystem") return clusterOf(state);
  if (ref.ref === "Datastore") return refTo("Folder", ids.datastoreFolder);
  if (ref.ref === "Datacenter") return refTo("Folder", ids.rootFolder);
  if (ref.id === ids.cluster) return refTo("Folder", ids.hostFolder);
  if (ref.id === ids.resourcePool) return clusterOf(state);
  if (ref.id === ids.rootFolder) return undefined;
  const folder = folders.find((each) => each.id === ref.id);
  return folder === undefined
    ? refTo("Datacenter", ids.datacenter)
    : refTo("Folder", folder.parentId);
}

/** What a container view sees: direct children, or everything below; of the wanted types. */
export function entitiesBelow(
  state: TreeState,
  { container, types, recursive }: Omit<ContainerView, "kind">,
): readonly Reference[] {
  const found = new Map<string, Reference>();
  const visit = (ref: Reference): void => {
    for (const child of [...childrenOf(state, ref), ...vmsIn(state, ref)]) {
      if (found.has(child.id)) continue;
      found.set(child.id, child);
      if (recursive) visit(child);
    }
  };
  visit(container);
  return [...found.values()].filter(
    ({ ref }) => types.length === 0 || types.some((type) => isKindOf(ref, type)),
  );
}

/** Views find the VMs of a host and of a pool as well, which paths of names do not lead through. */
function vmsIn({ rules, vms }: TreeState, ref: Reference): readonly Reference[] {
  const isPool = ref.id === fixedIds(rules.kind).resourcePool;
  return [...vms.values()]
    .filter((vm) => (isPool ? !vm.template : ref.ref === "HostSystem" && vm.hostId === ref.id))
    .map((vm) => refTo("VirtualMachine", vm.id));
}

export type NameOf = (ref: Reference) => string;

/** The entity at an inventory path, such as `dc/vm/shop/web`. */
export function findByPath(state: TreeState, path: string, nameOf: NameOf): Reference | undefined {
  let at = refTo("Folder", fixedIds(state.rules.kind).rootFolder);
  for (const name of path.split("/").filter((part) => part !== "")) {
    const next = childrenOf(state, at).find((child) => nameOf(child) === name);
    if (next === undefined) return undefined;
    at = next;
  }
  return at;
}

/** The entity is below the other one, or the same. */
export function isBelow(state: TreeState, ref: Reference, above: Reference): boolean {
  for (let at: Reference | undefined = ref; at !== undefined; at = parentOf(state, at)) {
    if (isSameRef(at, above)) return true;
  }
  return false;
}

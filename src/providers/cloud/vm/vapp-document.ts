/** A vApp as its own resource shows it: the VMs it holds, each whole, and what runs (A.3.4). */

import { attributeOf, childrenOf, type XmlElement } from "../../../lib/xml/xml.ts";
import type { CloudClient } from "../client/client.ts";
import type { CloudTask } from "./task.ts";
import { decodeVm, tasksOf, type VmDocument } from "./vm-document.ts";
import { vmPathOf } from "./vm-path.ts";

export type VappDocument = {
  readonly name: string;
  /** Paths of the VMs that it holds and this session sees. */
  readonly vms: ReadonlySet<string>;
  /** Undefined: it does not hold it. Throws `RemoteError` for one that cannot be understood. */
  readonly vm: (path: string) => VmDocument | undefined;
  /** Tasks of it and of its VMs that have not ended: any keeps all of it busy (wire facts A.7). */
  readonly running: readonly CloudTask[];
};

export async function readVapp(client: CloudClient, path: string): Promise<VappDocument> {
  const { root } = await client.get(path, { root: "VApp" });
  return decodeVapp(root);
}

function decodeVapp(root: XmlElement): VappDocument {
  const elements = childrenOf(root, root.namespace, "Children").flatMap((list) =>
    childrenOf(list, root.namespace, "Vm"),
  );
  const vms = new Map<string, XmlElement>();
  for (const element of elements) {
    const path = vmPathOf(attributeOf(element, "href") ?? "");
    if (path !== undefined) vms.set(path, element);
  }
  return {
    name: attributeOf(root, "name") ?? "",
    vms: new Set(vms.keys()),
    vm: (path) => {
      const element = vms.get(path);
      return element === undefined ? undefined : decodeVm(element);
    },
    running: [root, ...elements].flatMap((each) => tasksOf(each)).filter((it) => !it.hasEnded),
  };
}

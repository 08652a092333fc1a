/** The provider of the cloud REST API (specification, section A): VMs and their snapshots. */

import { providerOf } from "../kit/provider.ts";
import { snapshotType } from "./vm/snapshot.ts";
import { vmType } from "./vm/vm.ts";

const types = [vmType, snapshotType];
const data = ["cloud_query", "cloud_vm", "cloud_datastore", "cloud_vapp"];

export const cloudProvider = providerOf("cloud", { types, data }, async () => {
  const { cloudSessions } = await import("./session.ts");
  return cloudSessions;
});

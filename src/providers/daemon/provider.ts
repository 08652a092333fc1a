/** The provider of the local VM daemon (specification, section B): VMs and their shared folders. */

import { providerOf } from "../kit/provider.ts";
import { folderType } from "./shared-folder.ts";
import { vmType } from "./vm.ts";

const types = [vmType, folderType];
const data = ["daemon_vms"];

export const daemonProvider = providerOf("daemon", { types, data }, async () => {
  const { daemonSessions } = await import("./session.ts");
  return daemonSessions;
});

/** Provider packages: found where they were fetched, loaded when a configuration names one. */

import type { PackageLoader } from "../commands/environment.ts";
import type { PackageFolder } from "../modules/provider-packages.ts";
import { type Watch, watchPackage } from "./package-guard.ts";

/** What most runs do not need is not loaded with the rest. */
export function packageLoader(root: string, watch: Watch): PackageLoader {
  const find = async (source: string): Promise<PackageFolder> => {
    const { packageFolders } = await import("../modules/provider-packages.ts");
    return packageFolders(root)(source);
  };
  return {
    load: async (source) => {
      const found = await find(source);
      if (!found.ok) return found;
      watchPackage(source.replace(/^npm:/, ""), watch);
      const { loadPackage } = await import("../providers/package/load.ts");
      return loadPackage(found.folder, found.from);
    },
    isMissing: async (source) => {
      const found = await find(source);
      return !found.ok && found.isToFetch === true;
    },
  };
}

/** Provider packages: found where they were fetched, loaded when a configuration names one. */

import type { PackageLoader } from "../commands/environment.ts";

/** What most runs do not need is not loaded with the rest. */
export function packageLoader(root: string): PackageLoader {
  return async (source) => {
    const { packageFolders } = await import("../modules/provider-packages.ts");
    const found = packageFolders(root)(source);
    if (!found.ok) return found;
    const { loadPackage } = await import("../providers/package/load.ts");
    return loadPackage(found.folder, found.from);
  };
}

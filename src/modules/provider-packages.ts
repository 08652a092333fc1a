/** The folder of a provider package: one of its own, or what was fetched and locked. */

import { join } from "node:path";
import { openPackages } from "./packages.ts";
import { parseSource } from "./source.ts";

export type PackageFolder =
  /** `from` where no registry says by its name and version what it is. */
  | { readonly ok: true; readonly folder: string; readonly from?: string }
  | {
      readonly ok: false;
      readonly detail: string;
      readonly fix: string;
      /** It is elsewhere, and may be fetched. */
      readonly isToFetch?: true;
    };

/** Finds folders of packages for a root module. Does not throw. */
export function packageFolders(root: string): (text: string) => PackageFolder {
  const packages = openPackages(root);
  return (text) => {
    const parsed = parseSource(text);
    if (!parsed.ok) return parsed;
    const { source } = parsed;
    if (source.kind === "local") return { ok: true, folder: join(root, source.path), from: text };
    try {
      const found = packages.find(source);
      if (found.kind === "found") {
        const folder = join(found.folder, source.folder);
        return { ok: true, folder, ...(source.kind === "npm" ? {} : { from: text }) };
      }
      if (found.kind === "absent") {
        const fix = "Fetch it with: vmform init";
        return { ok: false, detail: `${source.origin} is not fetched.`, fix, isToFetch: true };
      }
      const detail = `${source.origin} is not what was locked: somebody changed ${found.folder}.`;
      return { ok: false, detail, fix: "Fetch it anew with: vmform init", isToFetch: true };
    } catch (error) {
      const detail = error instanceof Error ? `${error.message}.` : String(error);
      return { ok: false, detail, fix: "Mend or remove it, and make it anew with: vmform init" };
    }
  };
}

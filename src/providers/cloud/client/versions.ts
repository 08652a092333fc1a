/**
 * Versions of the API: what a server offers, and which one is spoken. They are texts of dotted
 * numbers: `5.10` is later than `5.9` and is not `5.1` (wire facts A.1.5).
 */

import { childrenOf, textOf, type XmlElement } from "../../../lib/xml/xml.ts";
import { refusal } from "../../kit/refusal.ts";
import { apiPathOf } from "./href.ts";

export type OfferedVersion = {
  readonly version: string;
  /** Where to log in for this version; version 1.0 has a path of its own. */
  readonly loginPath: string;
};

/** Spoken without a setting, best first: those this provider is written for. */
const preferred = ["5.1", "1.5"];

const loginPathDefault = "/api/sessions";

/** Negative when `left` is earlier, 0 when equal, positive when later. */
function compareVersions(left: string, right: string): number {
  const [a, b] = [left.split("."), right.split(".")];
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = Number(a[index] ?? 0) - Number(b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether `version` has what came with `since`. */
export function isSince(version: string, since: string): boolean {
  return compareVersions(version, since) >= 0;
}

/**
 * The versions of a `SupportedVersions` document, oldest first. Its namespace is one of its own;
 * siblings that are not known (`AlphaVersion`) are passed over. Undefined when the document is
 * none.
 */
export function readVersions(root: XmlElement): readonly OfferedVersion[] | undefined {
  if (root.local !== "SupportedVersions") return undefined;
  const offered: OfferedVersion[] = [];
  for (const info of childrenOf(root, root.namespace, "VersionInfo")) {
    const [version] = childrenOf(info, root.namespace, "Version").map((each) => trimmed(each));
    if (version === undefined || !/^\d+(\.\d+)*$/.test(version)) continue;
    const [login] = childrenOf(info, root.namespace, "LoginUrl").map((each) => trimmed(each));
    offered.push({ version, loginPath: apiPathOf(login ?? "") ?? loginPathDefault });
  }
  return offered.toSorted((left, right) => compareVersions(left.version, right.version));
}

/**
 * The version to speak. Throws `RemoteError` of kind invalid, listing what is offered, when the
 * wanted one, or every version this provider is written for, is not.
 */
export function chooseVersion(
  offered: readonly OfferedVersion[],
  wanted: string | undefined,
): OfferedVersion {
  for (const version of wanted === undefined ? preferred : [wanted]) {
    const found = offered.find((each) => each.version === version);
    if (found !== undefined) return found;
  }
  const list = offered.map((each) => each.version).join(", ");
  const message =
    wanted === undefined
      ? `the cloud offers neither API version ${preferred.join(" nor ")}, only ${list}; ` +
        "set api_version to try one of them"
      : `the cloud does not offer api_version ${wanted}; it offers ${list}`;
  throw refusal("invalid", message);
}

function trimmed(element: XmlElement): string {
  return textOf(element).trim();
}

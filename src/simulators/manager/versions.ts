/**
 * Versions of the interface: which ones a server speaks, how it tells them, and which one a request
 * is in. Later servers have versions of three and of four parts (wire facts D.3; public clients
 * hold the list).
 */

import type { Answer, SimulatorRequest } from "../kit/answer.ts";
import { unchanged } from "../kit/answer.ts";
import { isAtLeast } from "../kit/version.ts";
import type { ManagerFault } from "./soap/fault.ts";
import { invalidRequest } from "./soap/fault.ts";
import { vimNamespace } from "./soap/soap-decode.ts";
import type { ManagerState } from "./world/manager-state.ts";

/** The latest first. */
const releases: readonly string[] = [
  "9.0.0.0",
  "8.0.3.0",
  "8.0.2.0",
  "8.0.1.0",
  "8.0.0.0",
  "7.0.3.2",
  "7.0.3.1",
  "7.0.3.0",
  "7.0.2.1",
  "7.0.2.0",
  "7.0.1.1",
  "7.0.1.0",
  "7.0.0.2",
  "7.0.0.0",
  "6.9.1",
  "6.8.7",
  "6.7.3",
  "6.7.2",
  "6.7.1",
  "6.7",
  "6.5",
  "6.0",
  "5.5",
  "5.1",
  "5.0",
];

/**
 * The header may be missing. A later version than the server's, or a word that is none, is served
 * in the server's own: public clients name their own latest one to whatever server there is, and
 * ask for the versions only where it turned out to matter. `later_version: refused` is such a
 * place.
 */
export function requestedVersion(
  { rules }: Pick<ManagerState, "rules">,
  request: SimulatorRequest,
): string | ManagerFault {
  const action = (request.headers["soapaction"] ?? "").replaceAll('"', "").trim();
  if (action === "" || action === vimNamespace) return rules.api_version;
  const version = /^urn:vim25\/(\d+(?:\.\d+)*)$/.exec(action)?.[1];
  if (version !== undefined && isAtLeast(rules.api_version, version)) return version;
  return rules.later_version === "served" && action.startsWith(`${vimNamespace}/`)
    ? rules.api_version
    : invalidRequest(`Unsupported version URI "${action}"`);
}

/** The versions that the header may name, the latest first; needs no login. */
export function listVersions({ rules }: Pick<ManagerState, "rules">): Answer {
  // 7.0 and 7.0.0.0 are one version.
  const prior = releases.filter((each) => !isAtLeast(each, rules.api_version));
  const versions = prior.map((version) => `<version>${version}</version>`);
  const body =
    '<?xml version="1.0" encoding="UTF-8"?>\n<namespaces version="1.0">\n<namespace>' +
    `<name>${vimNamespace}</name><version>${rules.api_version}</version>` +
    `<priorVersions>${versions.join("")}</priorVersions></namespace>\n</namespaces>\n`;
  return unchanged({ status: 200, headers: { "content-type": "text/xml" }, body });
}

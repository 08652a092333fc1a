/**
 * Releases by the forms of the interface they brought; a later appliance speaks those of earlier
 * ones as well (wire facts C.1, C.2). The first form is tried first.
 */

import type { RequestPreview } from "../../../model/operation/operation.ts";

const releases = ["6.5", "6.7", "7.0"] as const;
/** `6.5`: no sizes in replies. `6.7`: a resize that tells sizes. `7.0`: the same below `/api`. */
export type Release = (typeof releases)[number];

/** What differs between `/rest` and `/api` besides their prefix. */
export type Dialect = {
  readonly prefix: "/rest" | "/api" | "";
  readonly sessionPath: string;
  /** Replies stand in `{ "value": … }`; `maybe` where nothing says so. */
  readonly wrapped: boolean | "maybe";
};

export const restDialect: Dialect = {
  prefix: "/rest",
  sessionPath: "/rest/com/vmware/cis/session",
  wrapped: true,
};

export const apiDialect: Dialect = { prefix: "/api", sessionPath: "/api/session", wrapped: false };

/**
 * The paths of the specification as they stand there, directly below the url (section C): what is
 * in front of a vendor's appliance, or speaks its form, has no prefix. Of sessions nothing is said.
 */
export const plainDialect: Dialect = {
  prefix: "",
  sessionPath: restDialect.sessionPath,
  wrapped: "maybe",
};

/** As settings name the prefixes. */
export const dialects = { rest: restDialect, api: apiDialect, none: plainDialect } as const;
export type PrefixName = keyof typeof dialects;

export function isPrefixName(text: unknown): text is PrefixName {
  return typeof text === "string" && Object.hasOwn(dialects, text);
}

export function prefixName({ prefix }: Dialect): PrefixName {
  return prefix === "/rest" ? "rest" : prefix === "/api" ? "api" : "none";
}

export function isRelease(text: unknown): text is Release {
  return releases.some((release) => release === text);
}

export function dialectOf(release: Release): Dialect {
  return release === "7.0" ? apiDialect : restDialect;
}

/**
 * Growing all partitions to their disks: one request without parameters (specification, section C;
 * wire facts C.2). `Content-Type` is wanted even though there is no body.
 */
export function resizeRequest(release: Release, named?: PrefixName): RequestPreview {
  const contentType = "application/json";
  const { prefix } = named === undefined ? dialectOf(release) : dialects[named];
  const path =
    release === "6.5"
      ? `${prefix}/appliance/system/storage/resize`
      : `${prefix}/appliance/system/storage?action=resize-ex`;
  return { method: "POST", path, contentType };
}

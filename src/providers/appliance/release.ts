/**
 * Releases by the forms of the interface they brought; a later appliance speaks those of earlier
 * ones as well (wire facts C.1, C.2). The first form is tried first.
 */

import type { RequestPreview } from "../../model/operation.ts";

const releases = ["6.5", "6.7", "7.0"] as const;
/** `6.5`: no sizes in replies. `6.7`: a resize that tells sizes. `7.0`: the same below `/api`. */
export type Release = (typeof releases)[number];

/** What differs between `/rest` and `/api` besides their prefix. */
export type Dialect = {
  readonly prefix: "/rest" | "/api";
  readonly sessionPath: string;
  /** Replies stand in `{ "value": … }`. */
  readonly wrapped: boolean;
};

export const restDialect: Dialect = {
  prefix: "/rest",
  sessionPath: "/rest/com/vmware/cis/session",
  wrapped: true,
};

export const apiDialect: Dialect = { prefix: "/api", sessionPath: "/api/session", wrapped: false };

export function isRelease(text: string): text is Release {
  return releases.some((release) => release === text);
}

export function dialectOf(release: Release): Dialect {
  return release === "7.0" ? apiDialect : restDialect;
}

/**
 * Growing all partitions to their disks: one request without parameters (specification, section C;
 * wire facts C.2). `Content-Type` is wanted even though there is no body.
 */
export function resizeRequest(release: Release): RequestPreview {
  const contentType = "application/json";
  const { prefix } = dialectOf(release);
  const path =
    release === "6.5"
      ? `${prefix}/appliance/system/storage/resize`
      : `${prefix}/appliance/system/storage?action=resize-ex`;
  return { method: "POST", path, contentType };
}

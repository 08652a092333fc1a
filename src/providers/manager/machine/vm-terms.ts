/** What a VM is looked up by, as people write it. */

import type { Value } from "../../../model/value/value.ts";

/** A path may stand between slashes; UUIDs are written in either case. */
export function plainTerm(name: string, value: string): string {
  if (name === "path") return value.replaceAll(/^\/+|\/+$/g, "");
  return name === "instance_uuid" ? value.toLowerCase() : value;
}

export function isSameTerm(attribute: string, wanted: Value, actual: Value): boolean {
  if (typeof wanted !== "string" || typeof actual !== "string") return false;
  return plainTerm(attribute, wanted) === plainTerm(attribute, actual);
}

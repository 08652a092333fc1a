/**
 * JSON for others is spelled one way: members in snake_case, and every document says which form it
 * has. Names that are data (attributes, outputs) are never spelled anew.
 */

import type { Value, ValueMap } from "../../model/value/value.ts";

/** Version of the form of documents; within version 1 members are only added. */
const formatVersion = "1.0";

/** The members of one map, without those that are undefined. What they hold stays as it is. */
export function publicMembers(map: { readonly [name: string]: Value | undefined }): ValueMap {
  const members: { [name: string]: Value } = {};
  for (const [name, value] of Object.entries(map)) {
    if (value !== undefined) members[snakeCase(name)] = value;
  }
  return members;
}

/** A document: the only thing that its command writes. */
export function publicDocument(members: ValueMap): ValueMap {
  return "format_version" in members ? members : { format_version: formatVersion, ...members };
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Format versions of recorded state. There is one so far; a later one adds a pure step
 * `upgradeFrom1` here, with a fixture of what it takes and gives.
 */

import type { JsonValue } from "../../lib/json.ts";
import { StateFormatError } from "./format-error.ts";

const stateFormatVersion = 1;

/**
 * The same state in the format of this version, still unchecked. Throws `StateFormatError` for a
 * value without a version, and for a version that only a later vmform can read: to guess at it
 * could lose what that one recorded.
 */
export function upgradeState(value: JsonValue): JsonValue {
  const version = isObject(value) ? value.formatVersion : undefined;
  if (version === stateFormatVersion) return value;
  if (typeof version === "number" && Number.isSafeInteger(version) && version > 0) {
    throw new StateFormatError(
      "newer",
      `has format version ${version}; this vmform reads versions up to ${stateFormatVersion}`,
    );
  }
  throw new StateFormatError("damaged", "has no format version and is no recorded state");
}

function isObject(value: JsonValue): value is { readonly [name: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

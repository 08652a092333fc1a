/** Takes secret inputs out of a request before it is shown. */

import { createSecretMask, maskedText } from "../../lib/mask.ts";
import {
  isList,
  isMap,
  isUnknown,
  type PlannedAttributes,
  type PlannedValue,
} from "../../model/value/value.ts";

export type RequestMask = {
  text(text: string): string;
  value(value: PlannedValue): PlannedValue;
};

/** Masks every leaf of the secret inputs, wherever and in whatever form a request carries it. */
export function requestMask(
  inputs: PlannedAttributes,
  isSecret: (attribute: string) => boolean,
): RequestMask {
  const secrets = new Set<string>();
  for (const [attribute, value] of Object.entries(inputs)) {
    if (isSecret(attribute)) collectLeaves(value, secrets);
  }
  const mask = createSecretMask([...secrets]);
  const text = (original: string): string => mask.mask(original);
  const value = (original: PlannedValue): PlannedValue => {
    if (typeof original === "string") return text(original);
    if (original === null || typeof original === "boolean" || isUnknown(original)) return original;
    if (isList(original)) return original.map(value);
    if (isMap(original)) {
      return Object.fromEntries(
        Object.entries(original).map(([name, item]) => [name, value(item)]),
      );
    }
    return secrets.has(String(original)) ? maskedText : original;
  };
  return { text, value };
}

/** Truth values are no secrets by themselves: masking them would hide every other one. */
function collectLeaves(value: PlannedValue, leaves: Set<string>): void {
  if (value === null || typeof value === "boolean") return;
  if (typeof value !== "object") leaves.add(String(value));
  else if (!isUnknown(value)) {
    for (const item of Object.values(value)) collectLeaves(item, leaves);
  }
}

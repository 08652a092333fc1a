/** Seals of tests: of a key, so that nothing is derived, and none. */

import type { Seal } from "../../src/model/recorded/seal.ts";
import { type Key, keyOf } from "../../src/store/seal/keys.ts";
import { createSeal, type Keys, noKeys } from "../../src/store/seal/seal.ts";

export function plainSeal(location = "here"): Seal {
  return createSeal(location, noKeys);
}

/** A key by a digit. */
export function testKey(digit = "1"): Key {
  const key = keyOf("key", digit.repeat(64));
  if (typeof key === "string") throw new Error(key);
  return key;
}

export function testKeys(keys: Partial<Keys> = {}): Keys {
  return { first: testKey(), former: [], unencrypted: "refused", ...keys };
}

export function keySeal(keys: Partial<Keys> = {}, location = "here"): Seal {
  return createSeal(location, testKeys(keys));
}

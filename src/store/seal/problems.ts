/** What goes wrong with the encryption of recorded state, one function and one code per cause. */

import type { StoreError } from "../../model/recorded/store.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import { warning } from "../../state/codes.ts";
import { storeError } from "../kit/problems.ts";

export function keyless(location: string): StoreError {
  return storeError(
    "STO060",
    `What is in ${location} is encrypted, and the configuration names no key.`,
    "Name it where the configuration has the block vmform: encryption: { passphrase: … } or " +
      "{ key: … }.",
  );
}

export function otherKey(location: string, keyId: string): StoreError {
  return storeError(
    "STO061",
    `What is in ${location} is encrypted with a key (id ${keyId}) that is none of those that ` +
      "the configuration names. It is not damaged.",
    "Give the right one. If keys were changed, add the one before to vmform.encryption.former.",
  );
}

export function unencrypted(location: string): StoreError {
  return storeError(
    "STO062",
    `What is in ${location} is not encrypted, and the configuration requires that it is.`,
    "If it was never encrypted, set vmform.encryption.unencrypted: read until vmform state " +
      "reseal has encrypted it. Else find out who has written it.",
  );
}

export function unusableKey(setting: string, why: string, cause?: unknown): StoreError {
  return storeError(
    "STO063",
    `The key that ${setting} names cannot be used: ${why}.`,
    "Give it where the setting says. What is encrypted cannot be read without its key.",
    cause,
  );
}

export function elsewhere(location: string, what: string): StoreError {
  return storeError(
    "STO064",
    `In ${location}, a sealed text (${what}) is not what was sealed there: it was taken from ` +
      "another place or state, or changed on purpose.",
    "Find out who can write there, and go back to a backup.",
  );
}

/** Some of it is not as it would be written now. */
export function oldSeal(location: string, writes: "sealed" | "plain"): Diagnostic {
  const what =
    writes === "sealed"
      ? "is not all encrypted with the first key yet"
      : "is still encrypted, and would be written unencrypted";
  return warning(nowhere, "STO065", {
    detail: `What is recorded in ${location} ${what}.`,
    fix: "The next change writes it anew. To do that now: vmform state reseal",
  });
}

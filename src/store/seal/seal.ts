/**
 * Sealing what is recorded: AES-256-GCM of `node:crypto`, each text under a key of its own.
 *
 *  - `seal.ts` sealing and opening texts
 *  - `keys.ts` what comes of a passphrase or a key
 *  - `token.ts` the form of a sealed text
 *  - `problems.ts` what goes wrong, in words
 *
 * Every text has a salt of 32 random bytes, from which and from the master key its key and nonce
 * are derived. So nothing has to be counted or remembered that two runs, a killed run or a machine
 * put back to a snapshot could count twice, and however many texts there are, no limit of random
 * nonces of 96 bits comes near. Equal random bytes twice would give away two texts, not the key.
 */

import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { stringifyJson } from "../../lib/json.ts";
import type { EncryptionSettings, Seal, SealedAt } from "../../model/recorded/seal.ts";
import {
  type Derived,
  derive,
  hiddenName,
  isOfToday,
  type Key,
  newDerivation,
  saltBytes,
  textKey,
} from "./keys.ts";
import { elsewhere, keyless, otherKey, unencrypted } from "./problems.ts";
import { decodeToken, encodeToken, headOf, headWithoutSalt, isSealed } from "./token.ts";

/** The first one writes, where anything is encrypted. */
export type Keys = Pick<EncryptionSettings, "unencrypted"> & {
  readonly first: Key | undefined;
  readonly former: readonly Key[];
};

/** Of a place where no encryption is configured. */
export const noKeys: Keys = { first: undefined, former: [], unencrypted: "written" };

type Writing = { readonly derivation: string; readonly derived: Derived };

/** `location` is for messages: where that is kept which is sealed and opened. */
export function createSeal(location: string, keys: Keys): Seal {
  const { first, former } = keys;
  const all = [...(first === undefined ? [] : [first]), ...former];
  // Of a passphrase one salt serves a whole state: deriving anew for each text would take hours.
  let derivation: string | undefined;
  const writing = (): Writing => {
    if (first === undefined) throw new Error("nothing is sealed without a key");
    // Deriving takes long: a saved plan beside it has the same salt.
    derivation ??= first.derivation ?? newDerivation(first);
    first.derivation ??= derivation;
    const derived = derive(first, derivation);
    if (derived === undefined) throw new Error(`no key comes of ${derivation}`);
    return { derivation, derived };
  };
  const acceptPlain = (): void => {
    if (keys.unencrypted === "refused") throw unencrypted(location);
  };
  return {
    writes: first === undefined ? "plain" : "sealed",
    acceptPlain,
    seal: (text, at) => (first === undefined ? text : sealWith(writing(), text, at)),
    open: (text, at) => {
      if (!isSealed(text)) {
        acceptPlain();
        return text;
      }
      if (all.length === 0) throw keyless(location);
      const token = decodeToken(text);
      for (const key of all) {
        const derived = derive(key, token.derivation);
        if (derived?.id !== token.keyId) continue;
        const opened = decrypt(derived, token, at);
        if (opened === undefined) throw elsewhere(location, at.what);
        if (key === first && isOfToday(token.derivation)) {
          derivation ??= token.derivation;
          first.derivation ??= derivation;
        }
        return opened;
      }
      throw otherKey(location, token.keyId);
    },
    isNew: (text) => {
      if (first === undefined) return !isSealed(text);
      // Nothing was opened that this would be told from.
      if (derivation === undefined) return false;
      return text.startsWith(headWithoutSalt(derivation, writing().derived.id));
    },
    hide: (name) =>
      first === undefined
        ? createHash("sha256").update(name).digest("hex")
        : hiddenName(writing().derived, name),
  };
}

/** Of a place whose keys cannot be had: nothing is read or written there, and that is why. */
export function unusableSeal(why: Error): Seal {
  const fail = (): never => {
    throw why;
  };
  return { writes: "sealed", seal: fail, open: fail, acceptPlain: fail, isNew: fail, hide: fail };
}

const cipherName = "aes-256-gcm";
const tagLength = { authTagLength: 16 };

function sealWith({ derivation, derived }: Writing, text: string, at: SealedAt): string {
  const salt = randomBytes(saltBytes);
  const { key, nonce } = textKey(derived, salt);
  const head = headOf(derivation, derived.id, salt);
  const cipher = createCipheriv(cipherName, key, nonce, tagLength);
  cipher.setAAD(placeBytes(head, at));
  const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return encodeToken(head, data);
}

/** Undefined when it is not what was sealed by this key as of this place. */
function decrypt(
  derived: Derived,
  { head, salt, data }: ReturnType<typeof decodeToken>,
  at: SealedAt,
): string | undefined {
  const { key, nonce } = textKey(derived, salt);
  const end = data.length - tagLength.authTagLength;
  const decipher = createDecipheriv(cipherName, key, nonce, tagLength);
  decipher.setAAD(placeBytes(head, at));
  decipher.setAuthTag(data.subarray(end));
  try {
    const opened = Buffer.concat([decipher.update(data.subarray(0, end)), decipher.final()]);
    return opened.toString("utf8");
  } catch {
    return undefined;
  }
}

function placeBytes(head: string, at: SealedAt): Buffer {
  return Buffer.from(`${head}\n${stringifyJson(at, { sortKeys: true })}`, "utf8");
}

/**
 * Keys of the encryption of recorded state. From each come, by HKDF-SHA256 under words of their
 * own, an id that tells which key it is, a key for names that are hidden, and a key for each text.
 */

import { createHmac, hkdfSync, randomBytes, scryptSync } from "node:crypto";
import type { KeySetting } from "../../model/recorded/seal.ts";

export type Key = {
  readonly kind: KeySetting["kind"];
  /** The passphrase, or the 32 bytes. */
  readonly secret: Buffer;
  /** What came of a passphrase, by how it was derived. */
  readonly derived: Map<string, Derived>;
  /** How what it seals next is derived, once it has sealed or opened anything. */
  derivation?: string;
};

/** What a key, and a passphrase with its salt, comes to. */
export type Derived = {
  /** Tells which key it is, and nothing of it. */
  readonly id: string;
  readonly master: Buffer;
};

const keyBytes = 32;
const nonceBytes = 12;
/** Of the salt of each text. */
export const saltBytes = 32;
/** People choose passphrases; shorter ones are found by trying, whatever is done with them. */
const passphraseCharactersMin = 16;

/** As OWASP recommends: 128 MiB and some tenths of a second for each that is tried. */
const cost = "s17-8-1";
/** How a key of 32 bytes is derived: it is taken as it is. */
const asItIs = "k";

/** How a key derives what a new state is sealed by: `k`, or `s17-8-1-SALT` of a passphrase. */
export function newDerivation({ kind }: Pick<Key, "kind">): string {
  return kind === "key" ? asItIs : `${cost}-${randomBytes(16).toString("base64url")}`;
}

/** Whether it is one that would be chosen today. */
export function isOfToday(derivation: string): boolean {
  return derivation === asItIs || derivation.startsWith(`${cost}-`);
}

/**
 * Undefined where the key is of the other kind, and of parameters that would cost more than any
 * state of ours was ever written with: whoever can write there shall not stop who reads.
 */
export function derive(key: Key, derivation: string): Derived | undefined {
  const known = key.derived.get(derivation);
  if (known !== undefined) return known;
  const master = masterOf(key, derivation);
  if (master === undefined) return undefined;
  const id = hkdf(master, "", "vmform key id 1", 8).toString("hex");
  const derived: Derived = { id, master };
  key.derived.set(derivation, derived);
  return derived;
}

const memoryMax = 1024 ** 3;

function masterOf({ kind, secret }: Key, derivation: string): Buffer | undefined {
  if (kind === "key") return derivation === asItIs ? secret : undefined;
  const match = /^s(\d{1,2})-(\d{1,2})-(\d{1,2})-([\w-]+)$/.exec(derivation);
  if (match === null) return undefined;
  const [, log, r, p] = match.map(Number);
  if (log === undefined || r === undefined || p === undefined) return undefined;
  const memory = 128 * 2 ** log * r;
  if (log < 1 || r < 1 || p < 1 || p > 16 || memory > memoryMax) return undefined;
  const salt = Buffer.from(match[4] ?? "", "base64url");
  const options = { N: 2 ** log, r, p, maxmem: memory + 128 * r * (p + 2) + 2 ** 20 };
  return scryptSync(secret, salt, keyBytes, options);
}

/** Key and nonce of one text. */
export function textKey(
  { master }: Derived,
  salt: Buffer,
): { readonly key: Buffer; readonly nonce: Buffer } {
  const bytes = hkdf(master, salt, "vmform text 1", keyBytes + nonceBytes);
  return { key: bytes.subarray(0, keyBytes), nonce: bytes.subarray(keyBytes) };
}

export function hiddenName({ master }: Derived, name: string): string {
  const key = hkdf(master, "", "vmform names 1", keyBytes);
  return createHmac("sha256", key).update(name).digest("hex");
}

function hkdf(master: Buffer, salt: Buffer | string, info: string, length: number): Buffer {
  return Buffer.from(hkdfSync("sha256", master, salt, info, length));
}

/** A key from the text of a secret, or why it is none; quotes nothing of it. */
export function keyOf(kind: KeySetting["kind"], text: string): Key | string {
  const derived = new Map<string, Derived>();
  if (kind === "passphrase") {
    return [...text].length < passphraseCharactersMin
      ? `has fewer than ${passphraseCharactersMin} characters`
      : { kind, secret: Buffer.from(text.normalize("NFC"), "utf8"), derived };
  }
  const bytes = bytesOf(text.trim());
  return bytes?.length === keyBytes
    ? { kind, secret: bytes, derived }
    : `is not ${keyBytes} bytes as base64 or hexadecimal digits`;
}

function bytesOf(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex");
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, "base64");
  return undefined;
}

/**
 * The form of a sealed text: one word, `vmform-sealed.1.DERIVATION.KEY.SALT.DATA.CHECKSUM`. `KEY`
 * is the id of the key, `DATA` what AES-256-GCM gives with its tag behind it. The checksum needs no
 * key: it tells a damaged text from one that is not ours to open.
 */

import { checksumText } from "../../lib/checksum.ts";
import { StateFormatError } from "../../state/form/format-error.ts";
import { sealedMark } from "../../state/form/sealed-text.ts";

const version = 1;

export type Token = {
  readonly derivation: string;
  readonly keyId: string;
  readonly salt: Buffer;
  readonly data: Buffer;
  /** All that stands before the data. */
  readonly head: string;
};

export function isSealed(text: string): boolean {
  return text.startsWith(sealedMark);
}

/** What stands before the data. */
export function headOf(derivation: string, keyId: string, salt: Buffer): string {
  return `${headWithoutSalt(derivation, keyId)}${salt.toString("base64url")}.`;
}

export function headWithoutSalt(derivation: string, keyId: string): string {
  return `${sealedMark}${version}.${derivation}.${keyId}.`;
}

export function encodeToken(head: string, data: Buffer): string {
  const body = `${head}${data.toString("base64url")}`;
  return `${body}.${checksumText(body)}`;
}

const form = /^([\w-]+)\.([0-9a-f]{16})\.([\w-]{43})\.([\w-]+)$/;
const tagBytes = 16;

/** Throws `StateFormatError`. */
export function decodeToken(text: string): Token {
  const end = text.lastIndexOf(".");
  const body = text.slice(0, end);
  if (checksumText(body) !== text.slice(end + 1)) throw damaged();
  const rest = body.slice(sealedMark.length);
  const given = Number(/^\d+(?=\.)/.exec(rest)?.[0]);
  if (given > version) {
    const what = `is encrypted in form ${given}, of a later vmform`;
    throw new StateFormatError("newer", what);
  }
  const match = form.exec(rest.slice(`${version}.`.length));
  if (given !== version || match === null) throw damaged();
  const [, derivation = "", keyId = "", salt = "", data = ""] = match;
  const bytes = Buffer.from(data, "base64url");
  if (bytes.length < tagBytes) throw damaged();
  const token = { derivation, keyId, salt: Buffer.from(salt, "base64url"), data: bytes };
  return { ...token, head: headOf(derivation, keyId, token.salt) };
}

function damaged(): StateFormatError {
  return new StateFormatError("damaged", "is encrypted, and was cut or changed since");
}

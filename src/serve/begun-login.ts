/**
 * Logins that were begun, kept by the browsers that began them: sealed, since one that this server
 * keeps could be crowded out by whoever begins many.
 */

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

export type BegunLogin = {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** A page of ours. */
  readonly to: string;
  readonly atMs: number;
};

export type LoginSeal = {
  readonly seal: (begun: BegunLogin) => string;
  /** Undefined for what this process has not sealed. */
  readonly open: (text: string) => BegunLogin | undefined;
};

const ivBytes = 12;
const tagBytes = 16;

export function createLoginSeal(): LoginSeal {
  const key = randomBytes(32);
  return {
    seal: (begun) => {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv("aes-256-gcm", key, iv);
      const sealed = Buffer.concat([cipher.update(JSON.stringify(begun), "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
    },
    open: (text) => {
      const bytes = Buffer.from(text, "base64url");
      if (bytes.length <= ivBytes + tagBytes) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes));
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      try {
        const sealed = bytes.subarray(ivBytes + tagBytes);
        const plain = Buffer.concat([decipher.update(sealed), decipher.final()]);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sealed by us alone
        return JSON.parse(plain.toString("utf8")) as BegunLogin;
      } catch {
        return undefined;
      }
    },
  };
}

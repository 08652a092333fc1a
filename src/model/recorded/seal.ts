/** Encryption of what is recorded, as a port: texts are sealed where a store hands them on. */

import type { SecretReference } from "../value/secret-reference.ts";

/**
 * Where a sealed text stands. It is authenticated and not kept: a text opened as of another place
 * is refused. `what` says of which kind it is.
 */
export type SealedAt = {
  readonly what: string;
  readonly [part: string]: string | number;
};

/** Of one recorded state. Without a key, texts stay as they are, and sealed ones are refused. */
export type Seal = {
  /** Whether texts are encrypted from now on. */
  readonly writes: "sealed" | "plain";
  /** One word of printable ASCII without quotes, or the text itself. Never the same one twice. */
  readonly seal: (text: string, at: SealedAt) => string;
  /**
   * The text again, also of one that was never sealed where those are accepted. Throws `StoreError`
   * for a key that is missing or another one, `StateFormatError` for what was damaged.
   */
  readonly open: (text: string, at: SealedAt) => string;
  /** Throws `StoreError` where what is not encrypted is not accepted. */
  readonly acceptPlain: () => void;
  /** Whether `seal` would give such a text now, to be asked of one that was opened. */
  readonly isNew: (text: string) => boolean;
  /** A name by which something is found again and which tells nothing of it: a hash, with a key. */
  readonly hide: (name: string) => string;
};

export type KeySetting = {
  /** A `key` is 32 bytes as base64 or hexadecimal digits. */
  readonly kind: "passphrase" | "key";
  readonly secret: SecretReference;
};

/** What is configured of it. */
export type EncryptionSettings = {
  /** Folder of the configuration: what secrets name is relative to it. */
  readonly directory: string;
  /** By which is written; absent where `unencrypted` is `written`. */
  readonly first?: KeySetting;
  /** By which is read besides. */
  readonly former: readonly KeySetting[];
  /** Of what is not encrypted. */
  readonly unencrypted: "refused" | "read" | "written";
};

/** Whether nobody is asked for a key: no program is started and no server spoken to. */
export function hasKeysAtHand(settings: EncryptionSettings | undefined): boolean {
  if (settings === undefined) return true;
  const { first, former } = settings;
  const kinds = [...(first === undefined ? [] : [first]), ...former].map(
    ({ secret }) => secret.kind,
  );
  return kinds.every((kind) => kind === "env" || kind === "file");
}

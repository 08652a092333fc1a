/** The encryption that settings ask for, with the secrets they name. */

import type { SecretMask } from "../../lib/mask.ts";
import type { EncryptionSettings, KeySetting, Seal } from "../../model/recorded/seal.ts";
import { StoreError } from "../../model/recorded/store.ts";
import { SecretError } from "../../secrets/secret-error.ts";
import { type Key, keyOf } from "../../store/seal/keys.ts";
import { unusableKey } from "../../store/seal/problems.ts";
import { createSeal, type Keys, noKeys, unusableSeal } from "../../store/seal/seal.ts";
import { settingSecretReader } from "../secrets.ts";

/** Seals of places, by what is configured for them. Each secret is read once. */
export type Seals = {
  /** Throws `StoreError` for keys that cannot be had. */
  readonly sealFor: (location: string, settings: EncryptionSettings | undefined) => Promise<Seal>;
  /** The same, where that is told when something is sealed or opened: a lock needs no key. */
  readonly lateSealFor: Seals["sealFor"];
};

export function createSeals(mask: SecretMask): Seals {
  const known = new Map<string, Promise<Keys>>();
  const keysFor = (settings: EncryptionSettings): Promise<Keys> => {
    const name = JSON.stringify(settings);
    const keys = known.get(name) ?? readKeys(settings, mask);
    known.set(name, keys);
    return keys;
  };
  const sealFor: Seals["sealFor"] = async (location, settings) =>
    createSeal(location, settings === undefined ? noKeys : await keysFor(settings));
  return {
    sealFor,
    lateSealFor: (location, settings) =>
      sealFor(location, settings).catch((error: unknown) => {
        if (error instanceof StoreError) return unusableSeal(error);
        throw error;
      }),
  };
}

/** Throws `StoreError`. Every key that is named has to be there: one may be what is needed. */
async function readKeys(settings: EncryptionSettings, mask: SecretMask): Promise<Keys> {
  const { directory, unencrypted } = settings;
  const read = (setting: KeySetting, where: string): Promise<Key> =>
    readKey(setting, where, directory, mask);
  const first = settings.first && (await read(settings.first, "vmform.encryption"));
  const former: Key[] = [];
  for (const [index, setting] of settings.former.entries()) {
    former.push(await read(setting, `vmform.encryption.former[${index}]`));
  }
  return { first, former, unencrypted };
}

async function readKey(
  { kind, secret }: KeySetting,
  where: string,
  directory: string,
  mask: SecretMask,
): Promise<Key> {
  const setting = `${where}.${kind}`;
  let text: string;
  try {
    text = await settingSecretReader(directory, mask, secret).read(secret);
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    throw unusableKey(setting, error.message, error);
  }
  const key = keyOf(kind, text);
  if (typeof key === "string") throw unusableKey(setting, `it ${key}`);
  return key;
}

/** `vmform.encryption`: by which keys recorded state and saved plans are encrypted. */

import type { Configuration } from "../../model/generated/config.ts";
import type { KeySetting } from "../../model/recorded/seal.ts";
import type { StoreSettings } from "../../model/recorded/store-settings.ts";
import { secretSetting } from "./secret-setting.ts";

type EncryptionBlock = NonNullable<NonNullable<Configuration["vmform"]>["encryption"]>;

export type Wrong = { readonly detail: string; readonly fix: string };

/** Secrets are relative to `directory`. Nothing without the block. */
export function encryptionSettings(
  block: EncryptionBlock | undefined,
  directory: string,
): Pick<StoreSettings, "encryption"> {
  if (block === undefined) return {};
  const { unencrypted = "refused" } = block;
  const [first] = keysIn(block);
  const former = (block.former ?? []).flatMap(keysIn);
  return {
    encryption: { directory, former, unencrypted, ...(first === undefined ? {} : { first }) },
  };
}

function keysIn({
  passphrase,
  key,
}: Pick<EncryptionBlock, "passphrase" | "key">): readonly KeySetting[] {
  const [words, bytes] = [secretSetting(passphrase), secretSetting(key)];
  return [
    ...(words === undefined ? [] : [{ kind: "passphrase", secret: words } as const]),
    ...(bytes === undefined ? [] : [{ kind: "key", secret: bytes } as const]),
  ];
}

export function encryptionProblem(block: EncryptionBlock | undefined): Wrong | undefined {
  if (block === undefined) return undefined;
  const { passphrase, key, unencrypted } = block;
  if (passphrase !== undefined && key !== undefined) {
    return {
      detail: "The encryption has both a passphrase and a key.",
      fix: "Keep the one to write with; the other may stand below former.",
    };
  }
  const hasFirst = passphrase !== undefined || key !== undefined;
  if (unencrypted === "written") {
    return hasFirst
      ? {
          detail: "The encryption has a key to write with, and says that nothing is encrypted.",
          fix: "Take unencrypted: written away, or move the key below former.",
        }
      : undefined;
  }
  return hasFirst
    ? undefined
    : {
        detail: "The encryption has no key to write with.",
        fix: "Name one: passphrase: { env: NAME }. To end encryption: unencrypted: written",
      };
}

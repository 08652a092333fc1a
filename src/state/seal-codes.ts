/** Problems of the encryption of recorded state, by stable code. */

import type { Explanation } from "../model/said/explanation.ts";

export const sealCodes = {
  STO060: {
    summary: "Recorded state is encrypted",
    explanation:
      "It was written by a run that had a key, and this one has none: the block vmform of the " +
      "configuration has no encryption, or nothing but unencrypted.",
    fix: "Name the key: vmform.encryption.",
  },
  STO061: {
    summary: "Recorded state is encrypted with another key",
    explanation:
      "It is whole, but none of the keys that the configuration names has encrypted it. Each " +
      "text has the id of its key with it, which tells nothing of the key.",
    fix: "Give the right key, or add a former one: vmform.encryption.former.",
  },
  STO062: {
    summary: "Recorded state is not encrypted",
    explanation:
      "The configuration requires that it is. Somebody who can write there, and has no key, " +
      "could have put it there, so it is not taken without a word.",
    fix:
      "To begin with encryption, set vmform.encryption.unencrypted: read, then run vmform state " +
      "reseal.",
  },
  STO063: {
    summary: "Key of the encryption cannot be used",
    explanation:
      "Its secret cannot be read, or is no key: a passphrase has at least 16 characters, a key " +
      "is 32 bytes as base64 or hexadecimal digits, as of openssl rand -base64 32.",
    fix: "Give it where vmform.encryption says.",
  },
  STO064: {
    summary: "Sealed text is not of this place",
    explanation:
      "The key is right and nothing is damaged by accident, but the text was sealed as another " +
      "entry or object, of another state, or was changed by somebody without the key.",
    fix: "Find out who can write there, and go back to a backup.",
  },
  STO065: {
    summary: "Recorded state is to be sealed anew",
    explanation:
      "Some of it was written before the encryption was configured as it is now. As long as that " +
      "is so, former keys, or unencrypted: read, are needed.",
    fix: "Write it anew: vmform state reseal.",
  },
} as const satisfies { readonly [code: string]: Explanation };

/** What a store that is one document asks of the server that keeps it. */

import type { LockInfo } from "../../lib/lock/lock-info.ts";
import type { Clock } from "../../model/clock.ts";
import type { RemoteError } from "../../model/operation/remote-error.ts";
import type { StateDocument } from "./document.ts";
import type { Refused } from "./problems.ts";

export type Update =
  | { readonly kind: "stored" }
  /** `conflict`: something else stands there, or another lock is the present one, perhaps. */
  | { readonly kind: "conflict"; readonly refused: Refused }
  | { readonly kind: "refused"; readonly refused: Refused }
  /** It may have been stored, or may still be. */
  | {
      readonly kind: "unclear";
      readonly why: RemoteError | string;
      /** It may also mean that another lock is the present one. */
      readonly isOdd: boolean;
      /** What the server asks to wait. */
      readonly pauseMs?: number;
    };

export type LockReply =
  /** Nobody held it before. */
  | { readonly kind: "taken" }
  /** It was held by this id already. */
  | { readonly kind: "ours" }
  /** `holder` is undefined when the server does not tell. */
  | { readonly kind: "held"; readonly holder: LockInfo | undefined }
  /** There is nothing to lock by. */
  | { readonly kind: "unknown"; readonly refused: Refused };

/** Its methods throw `StoreError`. */
export type DocumentServer = {
  /** For people. */
  readonly address: string;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** A server that has no locks is used all the same. */
  readonly withoutLock: boolean;
  /** What stands there; undefined when nothing does yet. */
  readonly fetch: () => Promise<StateDocument | undefined>;
  /** Sends a document once. Throws where sending it again can never help. */
  readonly send: (
    next: StateDocument,
    base: StateDocument | undefined,
    lockId: string | undefined,
  ) => Promise<Update>;
  /** The error of a document that was refused, and that is known not to stand there. */
  readonly refusal: (refused: Refused, next: StateDocument) => Error;
  /** Asks for the lock by this id, which may hold it already. */
  readonly askLock: (id: string) => Promise<LockReply>;
  /** Gives back the lock with this id. Undefined: it is given back. */
  readonly askUnlock: (id: string) => Promise<Refused | undefined>;
  /** Who holds the lock. Absent where that cannot be asked without taking it. */
  readonly holder?: () => Promise<LockInfo | undefined>;
  /** Whether a write with another lock is refused. Absent where that is known. */
  readonly tryFence?: (present: StateDocument, lockId: string) => Promise<boolean | undefined>;
  readonly close: () => Promise<void>;
};

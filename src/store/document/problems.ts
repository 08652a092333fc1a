/** The problems of a server that keeps recorded state, one function and one code per cause. */

import type { LockInfo } from "../../lib/lock/lock-info.ts";
import { clockText } from "../../lib/time/clock-text.ts";
import type { RemoteError } from "../../model/operation/remote-error.ts";
import type { StoreError } from "../../model/recorded/store.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import { warning } from "../../state/codes.ts";
import type { StateFormatError } from "../../state/form/format-error.ts";
import type { IntegrityProblem } from "../../state/integrity.ts";
import { describeProblems, storeError } from "../kit/problems.ts";

/** Status and words of a reply; `words` is empty where it has none. */
export type Refused = { readonly status: number; readonly words: string };

export type Doing = "read" | "written" | "locked" | "unlocked";

const again = "Then run the same command again; what was begun is found and settled then.";

function said({ status, words }: Refused): string {
  return words === "" ? `status ${status}` : `status ${status}: ${words}`;
}

/** Of settings, or of variables in their place. */
export function unusable(detail: string, fix: string, cause?: unknown): StoreError {
  return storeError("STO020", detail, fix, cause);
}

export function accessRefused(address: string, doing: Doing, refused: Refused): StoreError {
  const detail =
    `The recorded state at ${address} cannot be ${doing}: the server ` +
    `${refused.status === 401 ? "does not know who asks" : "does not allow it"} ` +
    `(${said(refused)}).`;
  const fix =
    refused.status === 401
      ? "Check username and password (vmform.state.http, TF_HTTP_USERNAME, TF_HTTP_PASSWORD); a " +
        "token may have expired."
      : `Use a token that may ${doing === "read" ? "read" : "write and lock"} it: on GitLab one ` +
        "of scope api whose user is at least " +
        `${doing === "read" ? "Developer" : "Maintainer"}, on Gitea one with ` +
        `${doing === "read" ? "read" : "write"} access to packages.`;
  return storeError("STO021", detail, fix);
}

export function nothingThere(address: string, doing: Doing, why: string): StoreError {
  return storeError(
    "STO022",
    `The recorded state at ${address} cannot be ${doing}: ${why}.`,
    "Correct the address (vmform.state.http.address, TF_HTTP_ADDRESS); a project that a token " +
      "may not see is answered as if it was not there.",
  );
}

export function noLocking(address: string, refused: Refused): StoreError {
  return storeError(
    "STO023",
    `The server of ${address} gives no locks (${said(refused)}): two runs could change one state.`,
    "Name where it locks (lock_address, lock_method), or use a server that does. If nobody else " +
      "ever uses this state: vmform.state.http.without_lock: true",
  );
}

export function foreignState(address: string, what: string): StoreError {
  return storeError(
    "STO024",
    `At ${address} stands ${what}, which vmform neither reads nor writes over.`,
    "Give the recorded state of vmform an address of its own: on GitLab and Gitea another name " +
      "at its end.",
  );
}

export function damagedDocument(address: string, error: StateFormatError): StoreError {
  return error.problem === "newer"
    ? storeError(
        "STO003",
        `The recorded state at ${address} was written by a later version of vmform: it ` +
          `${error.message}.`,
        "Use the version of vmform that wrote it, or a later one.",
        error,
      )
    : storeError(
        "STO025",
        `The recorded state at ${address} cannot be used: it ${error.message}.`,
        "The server keeps earlier versions: look at the last one and, if it is sound, make it " +
          "the present one there, with a serial higher than any before.",
        error,
      );
}

export function unsoundDocument(
  address: string,
  problems: readonly IntegrityProblem[],
): StoreError {
  return storeError(
    "STO005",
    `The recorded state at ${address} is not sound: ${describeProblems(problems)}.`,
    "The server keeps earlier versions: make the last sound one the present one there.",
  );
}

export function gone(address: string): StoreError {
  return storeError(
    "STO004",
    `The recorded state at ${address} is gone: it was there when this command began.`,
    "Somebody has deleted it. Restore it on the server before any other command.",
  );
}

export function tooLarge(address: string, bytes: number, refused: Refused): StoreError {
  return storeError(
    "STO026",
    `The recorded state at ${address} has become larger than the server takes: ${bytes} bytes ` +
      `(${said(refused)}).`,
    "Have the limit raised: on GitLab it is max_terraform_state_size_bytes, and a proxy may " +
      "have one of its own. Or divide the configuration into several states. " +
      again,
  );
}

export function overtaken(address: string, refused: Refused | undefined): StoreError {
  const words = refused === undefined ? "" : ` (${said(refused)})`;
  return storeError(
    "STO027",
    `Somebody else has written to ${address} while this command held its lock${words}. ` +
      "Nothing more is written.",
    "Look at the last versions on the server: who writes there without the lock? Then run the " +
      "same command again.",
  );
}

/** No reply, or none that says anything. */
export function unanswered(address: string, doing: Doing, why: RemoteError | string): StoreError {
  const words = typeof why === "string" ? why : why.message;
  return storeError(
    "STO028",
    `The recorded state at ${address} could not be ${doing}: ${words}.`,
    `Mend the connection or the server. ${doing === "read" ? "" : again}`.trim(),
    typeof why === "string" ? undefined : why,
  );
}

export function otherRefusal(address: string, doing: Doing, refused: Refused): StoreError {
  return storeError(
    "STO031",
    `The server refused: the recorded state at ${address} was not ${doing} (${said(refused)}).`,
    `Mend what the server names. ${again}`,
  );
}

export function noFence(address: string): Diagnostic {
  return warning(nowhere, "STO029", {
    detail:
      `The server of ${address} takes writes of whoever does not hold its lock. A run that is ` +
      "stopped for long and goes on after force-unlock would write over what others did.",
    fix: "Make sure that a run is really gone before you use force-unlock, or use another server.",
  });
}

export function noLock(address: string): Diagnostic {
  return warning(nowhere, "STO030", {
    detail: `Nothing locks the recorded state at ${address}: two runs would change it at once.`,
    fix: "Make sure that there is only ever one run, or use a server that locks.",
  });
}

/** A lock of a server, which nothing gives back when its holder is killed. */
export function lockedByServer(address: string, holder: LockInfo | undefined): StoreError {
  if (holder === undefined) {
    return storeError(
      "STO009",
      `The recorded state at ${address} is locked, and the server does not say by whom.`,
      "Wait until it is free, or give it time with --lock-timeout. Only if nobody uses it, " +
        "unlock it on the server.",
    );
  }
  return storeError(
    "STO009",
    `The recorded state at ${address} is locked by ${holderWords(holder)}.`,
    "Wait until it has ended, or give it time with --lock-timeout. A run that was killed leaves " +
      `its lock behind; only if it is gone: vmform force-unlock ${holder.id}`,
  );
}

export function lockGone(address: string, holder: LockInfo | undefined): StoreError {
  const now = holder === undefined ? "" : ` It is held by ${holderWords(holder)} now.`;
  return storeError(
    "STO010",
    `The lock of ${address} was taken away while this command ran.${now} Nothing more is written.`,
    "Run the same command again when the state is free; what was begun is found and settled then.",
  );
}

export function lockedByAnother(address: string, id: string, holder: LockInfo): StoreError {
  return storeError(
    "STO012",
    `The lock of ${address} is not ${id}: it is held by ${holderWords(holder)}.`,
    `Unlock by the id that stands there now: vmform force-unlock ${holder.id}`,
  );
}

export function otherLock(address: string, id: string, refused: Refused): StoreError {
  return storeError(
    "STO012",
    `The server did not unlock ${address} by ${id} (${said(refused)}).`,
    "Look on the server who holds the lock.",
  );
}

/** `ann on host-a (process 4711, apply) since …`, as far as it is known. */
function holderWords({ id, who, host, pid, operation, createdMs }: LockInfo): string {
  const name = who === "" ? `the lock ${id}` : host === "" ? who : `${who} on ${host}`;
  const what = [
    ...(pid === 0 ? [] : [`process ${pid}`]),
    ...(operation === "" ? [] : [operation]),
    ...(pid === 0 && who !== "" ? [`lock ${id}`] : []),
  ].join(", ");
  const since = createdMs === 0 ? "" : ` since ${clockText(createdMs)}`;
  return `${name}${what === "" ? "" : ` (${what})`}${since}`;
}

export function keysRefused(address: string, doing: Doing, refused: Refused): StoreError {
  return storeError(
    "STO021",
    `The recorded state at ${address} cannot be ${doing}: the server does not allow it ` +
      `(${said(refused)}).`,
    "Check the keys (vmform.state.s3, AWS_ACCESS_KEY_ID) and the region. They need s3:GetObject, " +
      "s3:PutObject and s3:DeleteObject for the key and KEY.lock, and s3:ListBucket, without " +
      "which an object that is not there is answered as forbidden.",
  );
}

export function noBucket(address: string, doing: Doing, refused: Refused): StoreError {
  return storeError(
    "STO022",
    `The recorded state at ${address} cannot be ${doing}: ${said(refused)}.`,
    "Correct bucket, region or endpoint (vmform.state.s3); vmform makes no buckets.",
  );
}

export function conditionsIgnored(address: string, condition: string, status: number): StoreError {
  return storeError(
    "STO032",
    `The server of ${address} passes over conditions: a write with ${condition} that does not ` +
      `hold was answered with status ${status}, and not with 412. Two runs could change one state.`,
    "Use a later version of it, another server, or another store.",
  );
}

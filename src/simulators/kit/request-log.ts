/**
 * The request log: one entry per API request, in order of arrival, each with its class and with
 * whether it changed the world. Control requests (`/_simulator/…`) are not API requests.
 */

import { appendFileSync } from "node:fs";

import { beginAppending } from "../../lib/files/appended-file.ts";
import { maskedText } from "../../lib/mask.ts";
import { SimulatorInputError } from "./document.ts";
import type { FaultRule } from "./generated/documents.ts";

/**
 * `session`: version probes, logins, screen tickets. `read`: changes nothing. `mutate`: everything
 * else.
 */
export type RequestClass = "session" | "read" | "mutate";

export type InterfaceName = Required<FaultRule>["interface"];

export type LoggedRequest = {
  /** Position in the log, from 1, in order of arrival. */
  readonly n: number;
  /** Arrival, simulated milliseconds. */
  readonly at: number;
  readonly interface: InterfaceName;
  readonly method: string;
  /** Path and query as sent, without tickets. */
  readonly path: string;
  /** As sent, without passwords. */
  readonly body: string;
  readonly class: RequestClass;
  /** The reply's status; null while the request runs and when the connection was cut instead. */
  readonly status: number | null;
  /** False while the request runs. */
  readonly ended: boolean;
  /** The request changed the world, or has begun to. */
  readonly effect: boolean;
  /** A mutation that was answered with an error, by the simulator itself or by a fault. */
  readonly refused: boolean;
  /** Why a correct client would not have sent the request; absent otherwise. Not of the daemon. */
  readonly violation?: string;
  /** Name of the fault that was applied to it. */
  readonly fault: string | null;
};

export type RequestLog = {
  entries(): readonly LoggedRequest[];
  begin(
    entry: Pick<LoggedRequest, "at" | "interface" | "method" | "path" | "body" | "class">,
  ): number;
  /** Changes a running entry. */
  update(
    n: number,
    change: Partial<Pick<LoggedRequest, "effect" | "fault" | "refused" | "violation">>,
  ): void;
  /** Ends an entry and writes its line, before the reply is sent. */
  end(n: number, status: number | null): void;
};

/**
 * `file` receives one JSON line per ended request, in order of their ends. Lines are written
 * synchronously, so that a process killed after its reply has written the line of it. Throws
 * `SimulatorInputError` where the file holds something else.
 */
export function createRequestLog(file?: string): RequestLog {
  // Each line begins with the position in the log.
  if (file !== undefined && !beginAppending(file, '{"n":')) {
    throw new SimulatorInputError([`${file} is there already, and is no request log`]);
  }
  const entries: LoggedRequest[] = [];
  const change = (n: number, part: Partial<LoggedRequest>): LoggedRequest => {
    const entry = entries[n - 1];
    if (entry === undefined) throw new RangeError(`no logged request ${n}`);
    const changed = { ...entry, ...part };
    entries[n - 1] = changed;
    return changed;
  };
  return {
    entries: () => [...entries],
    begin(entry) {
      const n = entries.length + 1;
      entries.push({
        n,
        ...entry,
        path: withoutSecrets(entry.path),
        body: withoutSecrets(entry.body),
        status: null,
        ended: false,
        effect: false,
        refused: false,
        fault: null,
      });
      return n;
    },
    update(n, part) {
      change(n, part);
    },
    end(n, status) {
      const entry = change(n, { status, ended: true });
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(entry)}\n`);
    },
  };
}

/** What lets in, as elements, JSON members and form fields name it. */
const secretName = String.raw`[\w-]*(?:password|passwd|ticket|secret|token|nonce)[\w-]*`;
const element = new RegExp(`(<(?:\\w+:)?${secretName}\\b[^>]*>)[^<]+`, "gi");
const member = new RegExp(`("${secretName}"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"?`, "gi");
const field = new RegExp(`((?:^|[?&])${secretName}=)[^&]+`, "gi");

function withoutSecrets(text: string): string {
  return text
    .replace(element, `$1${maskedText}`)
    .replace(member, `$1"${maskedText}"`)
    .replace(field, `$1${maskedText}`);
}

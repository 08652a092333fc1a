/**
 * What is said of a lock on the wire: the seven fields of Terraform's http backend.
 *
 * The id itself says who holds the lock. It is all that Terraform shows of a holder, and all that
 * GitLab keeps: it answers a refused lock with the id, user and time of the holder and with the
 * other fields of whoever asks (`lib/api/terraform/state.rb`). It takes 255 characters.
 */

import { JsonError, parseJson, stringifyJson } from "../../lib/json.ts";
import type { LockInfo } from "../../lib/lock/lock-info.ts";
import type { StateDocument } from "./document.ts";

const partLengthMax = 60;
const ownId = /^vmform:([^:]*):([^:]*)@([^:@]*):(\d{1,10}):[A-Za-z0-9-]{1,64}$/;

export type LockOwner = Pick<LockInfo, "operation" | "who" | "host" | "pid">;

/** `vmform:apply:ann@host-a:4711:5f0c…`; `unique` is of letters, digits and hyphens. */
export function lockIdOf({ operation, who, host, pid }: LockOwner, unique: string): string {
  const user = part(who).replaceAll("@", "_");
  return `vmform:${part(operation)}:${user}@${part(host).replaceAll("@", "_")}:${pid}:${unique}`;
}

/** Nothing that a shell, a query or our own form would take for something else. */
function part(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9.@-]/g, "_").slice(0, partLengthMax);
}

/** Who an id of ours names; undefined for any other id. */
export function ownerOf(id: string): LockOwner | undefined {
  const match = ownId.exec(id);
  if (match === null) return undefined;
  const [, operation = "", who = "", host = "", pid = ""] = match;
  return { operation: operation.replaceAll("_", " "), who, host, pid: Number(pid) };
}

/** The body of lock and unlock. Servers refuse it when a field is missing, or no such time. */
export function lockBody(id: string, nowMs: number, version: string): string {
  const owner = ownerOf(id);
  return stringifyJson({
    ID: id,
    Operation: owner?.operation ?? "force-unlock",
    Info: id,
    Who: owner === undefined ? "" : `${owner.who}@${owner.host}`,
    Version: version,
    Created: new Date(nowMs).toISOString(),
    Path: "",
  });
}

/** Who holds a lock, by the reply that refused it to `askedBy`. Undefined: it does not tell. */
export function holderIn(text: string, askedBy: string): LockInfo | undefined {
  const fields = fieldsOf(text);
  const id = textOf(fields?.ID);
  if (fields === undefined || id === undefined || id === "") return undefined;
  const createdMs = createdIn(textOf(fields.Created));
  const owner = ownerOf(id);
  if (owner !== undefined) return { id, ...owner, createdMs };
  const who = textOf(fields.Who) ?? "";
  const at = who.lastIndexOf("@");
  // What repeats our own words says nothing of the holder.
  const operation = textOf(fields.Info) === askedBy ? "" : (textOf(fields.Operation) ?? "");
  return {
    id,
    operation,
    who: at === -1 ? who : who.slice(0, at),
    host: at === -1 ? "" : who.slice(at + 1),
    pid: 0,
    createdMs,
  };
}

/** GitLab writes `2026-11-29 20:08:10 UTC` in some versions; 0 where nothing can be read. */
function createdIn(text: string | undefined): number {
  const createdMs = Date.parse(text?.replace(/ UTC$/, "Z").replace(" ", "T") ?? "");
  return Number.isNaN(createdMs) ? 0 : createdMs;
}

function fieldsOf(text: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value: unknown = parseJson(text);
    return isRecord(value) ? value : undefined;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Who has written last and not ended, by the document itself. */
export function recordedHolder(document: StateDocument | undefined): LockInfo | undefined {
  if (document?.holder === undefined) return undefined;
  const { id, sinceMs: createdMs } = document.holder;
  const nobody = { operation: "", who: "", host: "", pid: 0 };
  return { id, createdMs, ...(ownerOf(id) ?? nobody) };
}

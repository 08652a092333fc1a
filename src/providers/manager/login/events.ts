/**
 * The data source `manager_login_events`. Servers ignore parts of a filter, so everything that is
 * asked for is looked at here as well (wire facts D.5, D.6).
 */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import type { Attributes, Value } from "../../../model/value/value.ts";
import { refusal } from "../../kit/refusal.ts";
import type { ManagedRef, ManagerClient } from "../client/client.ts";
import { instantOf, listIn, node, textIn, textNode, typeOf } from "../client/element.ts";
import { periodMs } from "../client/period.ts";
import { isSince } from "../client/service-content.ts";
import { envelopeOf } from "../client/soap.ts";
import type { ManagerQueries } from "../generated/queries.ts";
import type { ManagerPorts } from "../part.ts";

export const eventsDataName = "manager_login_events";

const eventType = "UserLoginSessionEvent";
/** No server answers more at once. */
const countMax = 1000;
/** A server that is older refuses the element; it answers as many as it can. */
const countSince = "6.5";

export async function readLoginEvents(
  { client }: ManagerPorts,
  { user_name: wanted, since, limit: most }: ManagerQueries["manager_login_events"],
): Promise<Attributes> {
  managerOf(client);
  const sinceMs = since === undefined ? undefined : await instantFrom(client, since);
  const { logins, isCut } = await queryLogins(client, wanted, sinceMs);
  return {
    events: logins.slice(0, most).map((login) => attributesOf(login)),
    truncated: logins.length > most || isCut,
  };
}

/** Those that the server still knows, the latest first. Throws `RemoteError`. */
export async function readLogins(
  client: ManagerClient,
  sinceMs: number,
): Promise<readonly Login[]> {
  return (await queryLogins(client, undefined, sinceMs)).logins;
}

/** `isCut`: there may be more. */
async function queryLogins(
  client: ManagerClient,
  wanted: string | undefined,
  sinceMs: number | undefined,
): Promise<{ readonly logins: readonly Login[]; readonly isCut: boolean }> {
  const method = "QueryEvents";
  const filter = filterOf(client, wanted, sinceMs);
  const envelope = envelopeOf(method, managerOf(client), [filter]);
  const response = await client.call({ method, envelope, class: "read" });
  const all = listIn(response, "returnval");
  const logins = all
    .filter((event) => typeOf(event) === eventType)
    .map((event) => readLogin(event))
    .filter(
      (login) =>
        login.atMs >= (sinceMs ?? login.atMs) &&
        (wanted === undefined || login.user.toLowerCase() === wanted.toLowerCase()),
    )
    .toSorted((left, right) => right.atMs - left.atMs || right.key - left.key);
  return { logins, isCut: all.length >= countMax };
}

function managerOf({ content }: ManagerClient): ManagedRef {
  if (content.eventManager !== undefined) return content.eventManager;
  throw refusal(
    "invalid",
    `the server (${content.fullName}) names no event manager: it keeps no logins`,
  );
}

/** A period ends now, by the clock that has written the events. */
async function instantFrom(client: ManagerClient, since: string): Promise<number> {
  const atMs = instantOf(since);
  if (atMs !== undefined) return atMs;
  const period = periodMs(since);
  if (period !== undefined) return (await client.serverTimeMs()) - period;
  const message =
    `since ${JSON.stringify(since)} is neither an instant such as 2026-01-31T12:00:00Z nor a ` +
    "period such as 24h";
  throw refusal("invalid", message);
}

/** In the order of the service's description; both forms of the event's name are in use. */
function filterOf(
  { content }: ManagerClient,
  user: string | undefined,
  sinceMs: number | undefined,
): XmlElement {
  return node("filter", [
    ...(sinceMs === undefined
      ? []
      : [node("time", [textNode("beginTime", new Date(sinceMs).toISOString())])]),
    ...(user === undefined
      ? []
      : [node("userName", [textNode("systemUser", false), textNode("userList", user)])]),
    textNode("eventTypeId", eventType),
    textNode("eventTypeId", `vim.event.${eventType}`),
    ...(isSince(content.apiVersion, countSince) ? [textNode("maxCount", countMax)] : []),
  ]);
}

export type Login = {
  readonly key: number;
  readonly atMs: number;
  readonly user: string;
  readonly address: string | undefined;
  readonly message: string | undefined;
};

/** Throws `RemoteError` of kind protocol for an event without a time. */
function readLogin(event: XmlElement): Login {
  const written = textIn(event, "createdTime");
  const atMs = instantOf(written);
  if (atMs === undefined) {
    throw refusal(
      "protocol",
      `a login of the host manager has the time ${JSON.stringify(written ?? "")}`,
    );
  }
  return {
    key: Number(textIn(event, "key") ?? 0),
    atMs,
    user: textIn(event, "userName") ?? "",
    address: textIn(event, "ipAddress"),
    message: textIn(event, "fullFormattedMessage"),
  };
}

function attributesOf({ atMs, user, address, message }: Login): Value {
  return {
    time: new Date(atMs).toISOString(),
    user_name: user,
    ip_address: address ?? null,
    message: message ?? null,
  };
}

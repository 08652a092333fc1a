/**
 * The connection to one appliance: opened without a request, logged in by the first use. A session
 * that expired is renewed within, once for all calls in flight.
 */

import type { HttpCall, HttpClient, HttpReply } from "../../../http/call.ts";
import { unreadableReply } from "../../../http/reply.ts";
import type { Clock } from "../../../model/clock.ts";
import { retold } from "../../../model/operation/remote-error.ts";
import type { Value } from "../../../model/value/value.ts";
import { openHttp, urlOf } from "../../kit/endpoint.ts";
import type { ProviderPorts } from "../../kit/factory.ts";
import { guardSecrets } from "../../kit/guard.ts";
import { keepSession, type Outcome } from "../../kit/session.ts";
import { type LiveSession, login, logout } from "./login.ts";
import type { Dialect, Release } from "./release.ts";
import { applianceError, isOk, readValue, serverDateMs } from "./reply.ts";
import { type ApplianceSettings, readSettings } from "./settings.ts";

export type PostRequest = {
  /** With its prefix, as previewed. */
  readonly path: string;
  readonly contentType: string;
  /** Milliseconds since the epoch. */
  readonly deadlineMs: number;
};

/** A conversation with one appliance. Every method throws `RemoteError`, without secrets in it. */
export type Appliance = {
  /** Where it is. */
  readonly url: string;
  /** Who logs in. */
  readonly user: string;
  /** As set; undefined: found by asking. */
  readonly release: Release | undefined;
  /** Logs in if there is no session. */
  dialect(): Promise<Dialect>;
  /** `path` stands below the prefix, `/appliance/health/storage`. */
  get(path: string): Promise<Value>;
  /** Sent at most once with effect. Undefined: an empty reply, which is a success. */
  post(request: PostRequest): Promise<Value | undefined>;
  /**
   * The server's clock by the `Date` header of the last reply that could be read, else our own;
   * milliseconds since the epoch.
   */
  nowMs(): number;
  /** Logs out, if a session may be alive, and ends every connection. Never throws. */
  close(): Promise<void>;
};

/** Throws `RemoteError` of kind invalid for settings that cannot hold; sends nothing. */
export async function openAppliance(ports: ProviderPorts, written: Value): Promise<Appliance> {
  const settings = readSettings(written);
  const http = await openHttp(ports, settings);
  return connect(http, ports.clock, settings);
}

function connect(http: HttpClient, clock: Clock, settings: ApplianceSettings): Appliance {
  const guard = guardSecrets([settings.credentials.password]);
  const keeper = keepSession({
    peer: "the appliance",
    clock,
    open: () => login(http, settings, guard.learn),
    close: (session) => logout(http, settings, session, clock.now()),
  });
  let aheadMs: number | undefined;

  function exchange<T>(
    callOf: (session: LiveSession) => HttpCall,
    decode: (reply: HttpReply, session: LiveSession) => T,
  ): Promise<T> {
    const send = (session: LiveSession): Promise<Outcome<T>> => {
      const call = { ...callOf(session), redact: guard.hide };
      return http.call(call, (reply) => {
        const outcome = outcomeOf(call, reply, () => decode(reply, session));
        // Whoever else answers, such as a proxy, has a clock of its own.
        const dateMs = serverDateMs(reply);
        if (dateMs !== undefined) aheadMs = dateMs - clock.now();
        return outcome;
      });
    };
    return guard.run(() => keeper.run(send));
  }

  const headersOf = ({ headers }: LiveSession) => ({ accept: "application/json", ...headers });
  return {
    url: urlOf(settings),
    user: settings.credentials.user,
    release: settings.release,
    dialect: () => guard.run(async () => (await keeper.current()).dialect),
    get: (path) =>
      exchange(
        (session) => ({
          class: "read",
          method: "GET",
          path: `${settings.basePath}${session.dialect.prefix}${path}`,
          headers: headersOf(session),
        }),
        (reply, { dialect }) => readValue(reply, "read", dialect),
      ),
    post: ({ path, contentType, deadlineMs }) =>
      exchange(
        (session) => ({
          class: "mutate",
          method: "POST",
          path: `${settings.basePath}${path}`,
          headers: { ...headersOf(session), "content-type": contentType },
          deadlineMs,
        }),
        (reply) => readPosted(reply, path),
      ),
    nowMs: () => clock.now() + (aheadMs ?? 0),
    close: async () => {
      await keeper.end();
      await http.close();
    },
  };
}

/** Which dialect a request is in, its own path says. */
function readPosted(reply: HttpReply, path: string): Value | undefined {
  const wrapped = path.startsWith("/rest/") || (path.startsWith("/api/") ? false : "maybe");
  if (reply.text.trim() === "") {
    if (reply.status === 200 || reply.status === 204) return undefined;
    throw unreadableReply(reply, "mutate", "instead of an answer");
  }
  if (reply.text.trim() === "{}") return undefined;
  return readValue(reply, "mutate", { wrapped });
}

function outcomeOf<T>(call: HttpCall, reply: HttpReply, decode: () => T): Outcome<T> {
  if (isOk(reply.status)) return { answer: decode() };
  const error = applianceError(reply, call.class);
  if (reply.status !== 401) throw error;
  return { expired: retold(error, `${call.method} ${call.path}: ${error.message}`) };
}

/**
 * What a session with a host manager is: what the server says of itself, and one login at a time.
 */

import type { HttpClient } from "../../../http/call.ts";
import type { Clock } from "../../../model/clock.ts";
import { onceDone } from "../../kit/once.ts";
import { keepSession, type SessionKeeper } from "../../kit/session.ts";
import type { ServiceContent } from "./client.ts";
import { type LiveSession, login, logout, retrieveContent } from "./login.ts";
import type { ManagerSettings } from "./settings.ts";

export type Session = { readonly content: ServiceContent; readonly live: LiveSession };

export type ManagerSessionPorts = {
  readonly http: HttpClient;
  readonly settings: ManagerSettings;
  readonly clock: Clock;
  /** Hears the secret of each session before it is used. */
  readonly onCookie: (secret: string) => void;
};

export function keepManagerSession(ports: ManagerSessionPorts): SessionKeeper<Session> {
  const { http, settings, clock, onCookie } = ports;
  // A server does not become another one while it is used; a failure is asked about again.
  const asked = onceDone(() => retrieveContent(http, settings));
  return keepSession({
    peer: "the host manager",
    clock,
    open: async (checkOpen) => {
      const content = await asked();
      checkOpen();
      return { content, live: await login(http, settings, content, onCookie) };
    },
    close: ({ content, live }) =>
      logout(http, { settings, content, cookie: live.cookie, nowMs: clock.now() }),
  });
}

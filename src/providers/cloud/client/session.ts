/** What a session with a cloud is: the negotiated version, and one login at a time. */

import type { HttpClient } from "../../../http/call.ts";
import type { Clock } from "../../../model/clock.ts";
import { keepSession, type SessionKeeper } from "../../kit/session.ts";
import { type LiveSession, login, logout, type Negotiated, negotiate } from "./login.ts";
import type { CloudSettings } from "./settings.ts";

export type Session = {
  readonly version: string;
  readonly offered: readonly string[];
  readonly live: LiveSession;
};

export type CloudSessionPorts = {
  readonly http: HttpClient;
  readonly settings: CloudSettings;
  readonly clock: Clock;
  /** Hears each token before it is used. */
  readonly onToken: (token: string) => void;
};

export function keepCloudSession(ports: CloudSessionPorts): SessionKeeper<Session> {
  const { http, settings, clock, onToken } = ports;
  // A cloud does not change its versions while it is used; a failure is asked about again.
  let negotiating: Promise<Negotiated> | undefined;
  return keepSession({
    peer: "the cloud",
    clock,
    open: async (checkOpen) => {
      negotiating ??= negotiate(http, settings);
      const negotiated = await negotiating.catch((error: unknown) => {
        negotiating = undefined;
        throw error;
      });
      checkOpen();
      const live = await login(http, settings, negotiated, onToken);
      return { version: negotiated.version.version, offered: negotiated.offered, live };
    },
    close: ({ live, version }) =>
      logout(http, {
        settings,
        tokenHeader: live.dialect.tokenHeader,
        token: live.token,
        version,
        nowMs: clock.now(),
      }),
  });
}

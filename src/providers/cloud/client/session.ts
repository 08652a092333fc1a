/** What a session with a cloud is: the negotiated version, and one login at a time. */

import type { HttpClient } from "../../../http/call.ts";
import type { Clock } from "../../../model/clock.ts";
import { onceDone } from "../../kit/once.ts";
import { keepSession, type SessionKeeper } from "../../kit/session.ts";
import { type LiveSession, login, logout, negotiate } from "./login.ts";
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
  const negotiated = onceDone(() => negotiate(http, settings));
  return keepSession({
    peer: "the cloud",
    clock,
    open: async (checkOpen) => {
      const known = await negotiated();
      checkOpen();
      const live = await login(http, settings, known, onToken);
      return { version: known.version.version, offered: known.offered, live };
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

/** Session events: who logged in, logged out, or failed to (specification, section D, Events). */

import type { DataObject } from "../soap/soap-value.ts";
import { isKindOf } from "../soap/wsdl.ts";

export type ManagerEvent = {
  readonly key: number;
  readonly kind: "login" | "logout" | "bad_login";
  readonly createdMs: number;
  /** With domain, as sessions have it. */
  readonly user: string;
  readonly ipAddress: string;
  readonly userAgent: string;
  readonly sessionId: string;
  /** Of logouts: when the session began. */
  readonly loginMs: number | null;
};

/** The newest ones are kept, and a query answers no more. */
export const eventsMax = 1000;

const eventTypes = {
  login: "UserLoginSessionEvent",
  logout: "UserLogoutSessionEvent",
  bad_login: "BadUsernameSessionEvent",
} as const;

export function eventType(event: ManagerEvent): string {
  return eventTypes[event.kind];
}

/** The event is of the type, or of one derived from it. */
export function isOfType(event: ManagerEvent, wanted: string): boolean {
  return isKindOf(eventType(event), wanted);
}

/** `timestamp` writes a moment of the simulators' clock as the server's. */
export function eventObject(event: ManagerEvent, timestamp: (ms: number) => string): DataObject {
  const { user, ipAddress, userAgent } = event;
  const common = {
    key: event.key,
    chainId: event.key,
    createdTime: timestamp(event.createdMs),
    userName: user,
    ipAddress,
  };
  switch (event.kind) {
    case "login":
      return {
        is: eventTypes.login,
        ...common,
        fullFormattedMessage: `User ${user}@${ipAddress} logged in as ${userAgent}`,
        userAgent,
        locale: "en_US",
        sessionId: event.sessionId,
      };
    case "logout":
      return {
        is: eventTypes.logout,
        ...common,
        fullFormattedMessage: `User ${user}@${ipAddress} logged out`,
        userAgent,
        sessionId: event.sessionId,
        loginTime: event.loginMs === null ? undefined : timestamp(event.loginMs),
      };
    case "bad_login":
      return {
        is: eventTypes.bad_login,
        ...common,
        fullFormattedMessage: `Cannot login ${user}@${ipAddress}`,
      };
  }
}

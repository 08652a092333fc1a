/**
 * Sessions of browsers, in memory: who it is, and the token that its forms carry. They end with the
 * process, when they are old, and when one person or all have too many, the oldest first.
 */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Person } from "../model/board/board.ts";
import type { Told } from "../render/board/frame.ts";

export type BrowserSession = {
  readonly id: string;
  readonly person: Person;
  /** In every form of this session and of no other. */
  readonly token: string;
  readonly beganMs: number;
  /** Shown once, by the next page. */
  told: Told | undefined;
};

export type Sessions = {
  readonly begin: (person: Person) => BrowserSession;
  /** Undefined for an id that is none, or was one. */
  readonly find: (id: string | undefined) => BrowserSession | undefined;
  readonly end: (id: string) => void;
};

export const sessionMs = 12 * 60 * 60 * 1000;
const sessionsMax = 10_000;
const sessionsOfPersonMax = 50;

export function createSessions(now: () => number): Sessions {
  const sessions = new Map<string, BrowserSession>();
  return {
    begin: (person) => {
      const own = [...sessions.values()].filter((one) => one.person.who === person.who);
      // One that begins many, as a program without cookies does, ends its own and nobody else's.
      for (const { id } of own.slice(0, Math.max(0, own.length + 1 - sessionsOfPersonMax)))
        sessions.delete(id);
      for (const id of sessions.keys()) {
        if (sessions.size < sessionsMax) break;
        sessions.delete(id);
      }
      const session = {
        ...{ id: secretWord(), person, token: secretWord() },
        ...{ beganMs: now(), told: undefined },
      };
      sessions.set(session.id, session);
      return session;
    },
    find: (id = "") => {
      const found = sessions.get(id);
      if (found === undefined || now() - found.beganMs < sessionMs) return found;
      sessions.delete(id);
      return undefined;
    },
    end: (id) => void sessions.delete(id),
  };
}

/** 256 bits that nobody guesses, as a word for addresses and cookies. */
export function secretWord(): string {
  return randomBytes(32).toString("base64url");
}

/** Takes the same time whatever they have in common. */
export function isSame(left: string, right: string): boolean {
  const sum = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(sum(left), sum(right));
}

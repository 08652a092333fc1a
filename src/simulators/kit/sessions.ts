/** Sessions of any simulator: they end by idling, by logging out, or by what others do. */

/** How sessions began and ended since the start of the process. */
export type SessionCounts = { opened: number; loggedOut: number; endedByOthers: number };

/** What the control surface tells of sessions, so that a test can say that none was left behind. */
export type SessionReport<Shown> = Readonly<SessionCounts> & {
  /** Neither logged out nor ended otherwise. */
  readonly open: readonly (Shown & { readonly idleMs: number })[];
  readonly idledOut: number;
};

type Rules = { readonly session_minutes: number };
type Session = { readonly lastMs: number };

export function noSessionsYet(): SessionCounts {
  return { opened: 0, loggedOut: 0, endedByOthers: 0 };
}

export function hasIdledOut(rules: Rules, session: Session, nowMs: number): boolean {
  return nowMs - session.lastMs >= rules.session_minutes * 60_000;
}

/** `show` is how an open session is told. */
export function reportOf<Each extends Session, Shown>(
  {
    rules,
    sessions,
    sessionCounts,
  }: {
    readonly rules: Rules;
    readonly sessions: ReadonlyMap<string, Each>;
    readonly sessionCounts: SessionCounts;
  },
  nowMs: number,
  show: (session: Each) => Shown,
): SessionReport<Shown> {
  const open = [...sessions.values()].filter((each) => !hasIdledOut(rules, each, nowMs));
  return {
    open: open.map((each) => ({ ...show(each), idleMs: nowMs - each.lastMs })),
    ...sessionCounts,
    idledOut: sessions.size - open.length,
  };
}

/** What others do: the sessions that are meant are gone. */
export function endSessions<Each>(
  state: { readonly sessions: Map<string, Each>; readonly sessionCounts: SessionCounts },
  isMeant: (session: Each) => boolean,
): void {
  for (const [id, session] of [...state.sessions]) {
    if (!isMeant(session)) continue;
    state.sessions.delete(id);
    state.sessionCounts.endedByOthers += 1;
  }
}

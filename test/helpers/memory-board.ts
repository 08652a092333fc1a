/** A board in memory: what pages and servers of it are tested with. It keeps the rules of the port. */

import type {
  AuditEntry,
  Board,
  BoardAgent,
  BoardDrift,
  BoardRunDetail,
  BoardState,
  Deed,
  Paging,
  Person,
  Rows,
} from "../../src/model/board/board.ts";

export type MemoryBoard = Board & {
  readonly all: {
    states: BoardState[];
    runs: BoardRunDetail[];
    agents: BoardAgent[];
    audits: AuditEntry[];
    drifts: Map<string, BoardDrift>;
  };
  /** Every call rejects with it from then on. */
  fail: (error: Error | undefined) => void;
};

const startMs = Date.UTC(2026, 10, 30, 4, 0, 0);

export function createMemoryBoard(): MemoryBoard {
  const all: MemoryBoard["all"] = {
    ...{ states: [], runs: [], agents: [], audits: [] },
    drifts: new Map(),
  };
  let failure: Error | undefined;
  const answer = async <T>(make: () => T): Promise<T> => {
    if (failure !== undefined) throw failure;
    return make();
  };
  const audit = (person: Person, action: string, subject: string, detail: string): void => {
    const { who, via } = person;
    all.audits.unshift({ atMs: startMs, who, via, action, subject, detail });
  };
  const change = (
    id: string,
    isFitting: (run: BoardRunDetail) => boolean,
    make: (run: BoardRunDetail) => BoardRunDetail,
  ): Deed => {
    const at = all.runs.findIndex((run) => run.id === id);
    const run = all.runs[at];
    if (run === undefined) return { done: false, why: "It is not there.", fix: "Look again." };
    if (!isFitting(run)) {
      return { done: false, why: "It does not wait for that any more.", fix: "Look again." };
    }
    all.runs[at] = make(run);
    return { done: true };
  };
  return {
    all,
    location: "a board in memory",
    fail: (error) => {
      failure = error;
    },
    states: (text, paging) =>
      answer(() =>
        some(
          all.states.filter(({ name }) => name.includes(text)),
          paging,
        ),
      ),
    state: (name) => answer(() => all.states.find((state) => state.name === name)),
    runs: ({ state, status, text = "" }, paging) =>
      answer(() =>
        some(
          all.runs
            .filter((run) => state === undefined || run.state === state)
            .filter((run) => status === undefined || run.status === status)
            .filter((run) => `${run.id} ${run.state} ${run.who}`.includes(text)),
          paging,
        ),
      ),
    run: (id) => answer(() => all.runs.find((run) => run.id === id)),
    waiting: () =>
      answer(() => all.runs.filter(({ status }) => status === "needs-approval").length),
    drift: (state) => answer(() => all.drifts.get(state) ?? { reports: [], found: [] }),
    agents: () => answer(() => all.agents),
    audit: (paging) => answer(() => some(all.audits, paging)),
    approve: (id, { planId, kinds }, person) =>
      answer(() =>
        change(
          id,
          ({ need }) =>
            need?.planId === planId && need.kinds.every(({ kind }) => kinds.includes(kind)),
          ({ need: _need, ...run }) => {
            audit(person, "approve", id, kinds.join(", "));
            const approval = { who: person.who, atMs: startMs, kinds };
            return { ...run, status: "queued", approvals: [...run.approvals, approval] };
          },
        ),
      ),
    decline: (id, planId, person) =>
      answer(() =>
        change(
          id,
          (run) => run.mayDecline && run.planId === planId,
          ({ need: _need, ...run }) => {
            audit(person, "decline", id, "");
            return { ...run, status: "declined", mayDecline: false };
          },
        ),
      ),
    cancel: (id, planId, person) =>
      answer(() =>
        change(
          id,
          (run) => run.mayCancel && run.planId === planId,
          (run) => {
            audit(person, "cancel", id, "");
            return { ...run, status: "cancelled", mayCancel: false };
          },
        ),
      ),
    note: (entry) => answer(() => void all.audits.unshift({ ...entry, atMs: startMs })),
    close: async () => undefined,
  };
}

function some<T>(rows: readonly T[], { offset, limit }: Paging): Rows<T> {
  return { rows: rows.slice(offset, offset + limit), total: rows.length };
}

export function boardRun(parts: Partial<BoardRunDetail> = {}): BoardRunDetail {
  return {
    id: "run-1",
    state: "infra/prod",
    command: "apply",
    who: "kim@site",
    sinceMs: startMs,
    status: "done",
    what: "add 2",
    sealed: false,
    approvals: [],
    events: [],
    eventsLeftOut: 0,
    planId: "",
    mayDecline: false,
    mayCancel: false,
    ...parts,
  };
}

export function boardState(parts: Partial<BoardState> = {}): BoardState {
  return {
    name: "infra/prod",
    changedMs: startMs,
    objects: 12,
    sealed: false,
    waiting: 0,
    ...parts,
  };
}

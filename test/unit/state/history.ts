/**
 * Plausible journals: sequences of entries as runs of the engine write them, killed and recovered at
 * random. Each entry follows from the state that the entries before it make.
 */

import fc from "fast-check";
import type { ContainerKey, EffectKind } from "../../../src/model/operation/operation.ts";
import { powerStates } from "../../../src/model/operation/power.ts";
import type { BeginEntry } from "../../../src/model/recorded/begin-entry.ts";
import type { EndEntry, JournalEntry, NoteEntry } from "../../../src/model/recorded/journal.ts";
import type { RecordedState } from "../../../src/model/recorded/recorded.ts";
import { fold } from "../../../src/state/fold.ts";
import { at, emptyState } from "./samples.ts";

/** Numbers that an entry is made of; which of them count depends on its kind. */
type Draw = readonly [kind: number, subject: number, choice: number, value: number];

const kindCount = 14;
const draws: fc.Arbitrary<readonly Draw[]> = fc.array(
  fc.tuple(
    fc.nat({ max: kindCount - 1 }),
    fc.nat({ max: 7 }),
    fc.nat({ max: 7 }),
    fc.nat({ max: 3 }),
  ),
  { maxLength: 60 },
);

export const histories: fc.Arbitrary<readonly JournalEntry[]> = draws.map(historyOf);

function historyOf(all: readonly Draw[]): readonly JournalEntry[] {
  const entries: JournalEntry[] = [];
  let state = emptyState;
  for (const draw of all) {
    for (const entry of entriesOf(state, draw)) {
      entries.push(entry);
      state = fold(state, entry);
    }
  }
  return entries;
}

/** VMs, and folders inside the first of them. */
const vms = ["a", "b", "c", "d"].map((name) => at(`daemon_vm.${name}`));
const folders = ["e", "f", "g", "h"].map((name) => at(`daemon_shared_folder.${name}`));
const subjects = [...vms, ...folders];

function pick<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

function entriesOf(state: RecordedState, draw: Draw): readonly JournalEntry[] {
  const [kind, subject, choice, value] = draw;
  const address = pick(subjects, subject);
  const recorded = state.objects.find((object) => object.address === address);
  const open = state.open[choice % Math.max(1, state.open.length)];
  switch (kind) {
    case 0:
      return [runOf(state, value)];
    case 1:
    case 2:
      return mayCreate(state, beginOf(state, draw, "create"))
        ? [beginOf(state, draw, "create")]
        : [];
    case 3:
      return recorded === undefined ? [] : [beginOf(state, draw, "delete")];
    case 4:
      return recorded === undefined ? [] : [beginOf(state, draw, "power")];
    case 5:
      return recorded === undefined ? [] : [beginOf(state, draw, "update")];
    case 6: {
      // A wait sends nothing: its begin and end are one write.
      if (recorded === undefined) return [];
      const begin = beginOf(state, draw, "wait");
      return [begin, endOf(begin, draw, "end")];
    }
    case 7:
      return open === undefined
        ? []
        : [{ kind: "handle", planId: open.planId, id: open.id, handle: { task: value } }];
    case 8:
    case 9:
      return open === undefined ? [] : [endOf(open, draw, "end")];
    case 10:
      return open === undefined ? [] : [endOf(open, draw, "closed")];
    case 11:
      // A refresh reads when everything that was begun has ended.
      return recorded === undefined || state.open.length > 0
        ? []
        : [
            {
              kind: "observed",
              address,
              objectKey: recorded.objectKey,
              existence: value === 0 ? "missing" : "found",
              attributes: value === 0 ? {} : { power_state: `p${choice}` },
            },
          ];
    default:
      return noteOf(state, draw);
  }
}

/** One key names one object, but for one that was never seen. */
function mayCreate(state: RecordedState, begin: BeginEntry): boolean {
  const { address, type, identity } = begin.subject;
  const recorded = state.objects.find((object) => object.address === address);
  const same = (other: { readonly type: string; readonly identity: string }): boolean =>
    other.type === type && other.identity === identity;
  return (
    recorded?.status !== "ready" &&
    !state.open.some((other) => same(other.subject)) &&
    !state.open.some((other) => other.subject.address === address) &&
    !state.objects.some((other) => other.status === "ready" && same(other))
  );
}

function runOf(state: RecordedState, value: number): JournalEntry {
  return {
    kind: "run",
    command: "apply",
    planId: `plan-${state.serial + 1}`,
    atMs: state.journal.position,
    simulated: value === 1,
    providers: [{ name: `daemon${value}`, settings: { url: `http://h${state.serial}` } }],
  };
}

function beginOf(state: RecordedState, draw: Draw, kind: EffectKind): BeginEntry {
  const [, subject, choice, value] = draw;
  const address = pick(subjects, subject);
  const name = address.split(".")[1] ?? "";
  const isVm = subject < vms.length;
  const recorded = state.objects.find((object) => object.address === address);
  const old = kind === "create" ? undefined : recorded;
  const vm: ContainerKey = { type: "daemon_vm", identity: choice % 2 === 0 ? "a" : "b" };
  const container = old === undefined ? vm : old.container;
  const identity = old?.identity ?? (isVm ? name : `${vm.identity}/${name}`);
  const self: ContainerKey = { type: "daemon_vm", identity };
  return {
    kind: "begin",
    planId: `plan-${state.serial}`,
    // A closing word is begun again under the id it had.
    id: `${address}#${kind}.${value}`,
    subject: {
      address,
      objectKey: "current",
      type: isVm ? "daemon_vm" : "daemon_shared_folder",
      provider: "daemon",
      identity,
      ...(isVm || container === undefined ? {} : { container }),
    },
    settings: null,
    verb: kind,
    effect:
      isVm && (kind === "create" || kind === "delete") ? { kind, endsContentOf: self } : { kind },
    request: null,
    proof: { expect: [], unobservable: false, lagging: false, readBack: [], limitMs: 1000 },
    repeat: "unsafe",
    record: {
      applied: kind === "create" || kind === "update" ? { name: `n${choice}` } : {},
      dependencies: vms.filter((_, index) => isVm && index < subject && index % 2 === value % 2),
      settlesRestore: isVm && value === 1,
      timeoutsMs: {},
      ...(isVm && value === 0 ? { restore: pick(powerStates, choice) } : {}),
    },
    order: { locks: [] },
    atMs: state.journal.position,
  };
}

function endOf(begin: BeginEntry, draw: Draw, kind: "end" | "closed"): EndEntry {
  const [, , choice, value] = draw;
  const outcome = (["success", "success", "failed", "unknown"] as const)[value] ?? "success";
  return {
    kind,
    planId: begin.planId,
    id: begin.id,
    outcome,
    atMs: begin.atMs + 1,
    existence: begin.effect.kind === "delete" && outcome === "success" ? "missing" : "found",
    ...(choice < 2 ? {} : { attributes: { power_state: `p${choice}` } }),
  };
}

function noteOf(state: RecordedState, draw: Draw): readonly JournalEntry[] {
  const [, subject, choice, value] = draw;
  const address = pick(subjects, subject);
  const note = (given: NoteEntry["note"]): readonly NoteEntry[] => [{ kind: "note", note: given }];
  switch (value) {
    case 0:
      return note({ what: "clear-restore", address });
    case 1:
      return choice < 4
        ? note({ what: "forget", address, objectKey: "current" })
        : note({
            what: "outputs",
            outputs: [{ name: "ip", value: `10.0.0.${choice}`, sensitive: false }],
          });
    case 2: {
      const recorded = state.objects.some((object) => object.address === address);
      const dependencies = vms.slice(0, Math.min(subject, choice));
      return recorded
        ? note({
            what: "record",
            address,
            applied: { name: `r${choice}` },
            dependencies,
            timeoutsMs: { create: choice },
          })
        : [];
    }
    default: {
      // Nothing is moved while an operation is open, nor onto what is recorded.
      const to = pick(subject < vms.length ? vms : folders, choice);
      const taken = [...state.objects, ...state.restores].some((item) => item.address === to);
      return taken || to === address || state.open.length > 0
        ? []
        : note({ what: "move", moves: [{ from: address, to }] });
    }
  }
}

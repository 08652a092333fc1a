/** `moved` entries over recorded state. */

import { expect, test } from "vitest";
import { movesIn } from "../../../../src/model/plan/moved.ts";
import { applyMoves } from "../../../../src/plan/before/moves.ts";
import { address, recordedObject, recordedState } from "../../../helpers/recorded-builder.ts";

type Row = {
  readonly name: string;
  readonly recorded: readonly string[];
  readonly moved: readonly (readonly [from: string, to: string])[];
  /** `from → to` of each note. */
  readonly moves?: readonly string[];
  readonly gives: readonly string[];
  readonly codes?: readonly string[];
};

test.each<Row>([
  {
    name: "a resource that was renamed",
    recorded: ["daemon_vm.a"],
    moved: [["daemon_vm.a", "daemon_vm.b"]],
    moves: ["daemon_vm.a → daemon_vm.b"],
    gives: ["daemon_vm.b"],
  },
  {
    name: "nothing recorded at the source: the move was made before",
    recorded: ["daemon_vm.b"],
    moved: [["daemon_vm.a", "daemon_vm.b"]],
    gives: ["daemon_vm.b"],
  },
  {
    name: "all instances of a resource",
    recorded: ["daemon_vm.a[0]", "daemon_vm.a[1]", 'daemon_vm.c["x"]'],
    moved: [["daemon_vm.a", "daemon_vm.b"]],
    moves: ["daemon_vm.a[0] → daemon_vm.b[0]", "daemon_vm.a[1] → daemon_vm.b[1]"],
    gives: ["daemon_vm.b[0]", "daemon_vm.b[1]", 'daemon_vm.c["x"]'],
  },
  {
    name: "one instance, which gets a key of another kind",
    recorded: ["daemon_vm.a[0]", "daemon_vm.a[1]"],
    moved: [["daemon_vm.a[0]", 'daemon_vm.a["x"]']],
    moves: ['daemon_vm.a[0] → daemon_vm.a["x"]'],
    gives: ["daemon_vm.a[1]", 'daemon_vm.a["x"]'],
  },
  {
    name: "a resource without a key that gets one",
    recorded: ["daemon_vm.a"],
    moved: [["daemon_vm.a", 'daemon_vm.a["x"]']],
    moves: ['daemon_vm.a → daemon_vm.a["x"]'],
    gives: ['daemon_vm.a["x"]'],
  },
  {
    name: "into a module",
    recorded: ["daemon_vm.a"],
    moved: [["daemon_vm.a", "module.lab.daemon_vm.a"]],
    moves: ["daemon_vm.a → module.lab.daemon_vm.a"],
    gives: ["module.lab.daemon_vm.a"],
  },
  {
    name: "one after another",
    recorded: ["daemon_vm.a"],
    moved: [
      ["daemon_vm.a", "daemon_vm.b"],
      ["daemon_vm.b", "daemon_vm.c"],
    ],
    moves: ["daemon_vm.a → daemon_vm.c"],
    gives: ["daemon_vm.c"],
  },
  {
    name: "a name freed by the move before",
    recorded: ["daemon_vm.a", "daemon_vm.b"],
    moved: [
      ["daemon_vm.b", "daemon_vm.c"],
      ["daemon_vm.a", "daemon_vm.b"],
    ],
    moves: ["daemon_vm.a → daemon_vm.b", "daemon_vm.b → daemon_vm.c"],
    gives: ["daemon_vm.b", "daemon_vm.c"],
  },
  {
    name: "onto an object that is recorded",
    recorded: ["daemon_vm.a", "daemon_vm.b"],
    moved: [["daemon_vm.a", "daemon_vm.b"]],
    gives: ["daemon_vm.a", "daemon_vm.b"],
    codes: ["PLN004"],
  },
])("$name", ({ recorded, moved, moves = [], gives, codes = [] }) => {
  const state = recordedState(recorded.map((text) => recordedObject(text)));
  const entries = moved.map(([from, to]) => ({ from: address(from), to: address(to) }));
  const found = applyMoves(state, entries);
  const noted = movesIn(found.notes).map((move) => `${move.from} → ${move.to}`);
  expect(noted).toEqual(moves);
  expect(found.recorded.objects.map((object) => object.address)).toEqual(gives);
  expect(found.diagnostics.map((item) => item.code)).toEqual(codes);
  // The notes count in the journal when they are written, not here.
  expect(found.recorded.journal).toEqual(state.journal);
});

test("an owed power and dependencies go along", () => {
  const state = recordedState(
    [
      recordedObject("daemon_vm.a"),
      recordedObject("daemon_vm.user", { dependencies: [address("daemon_vm.a")] }),
    ],
    { restores: [{ address: address("daemon_vm.a"), power: "on" }] },
  );
  const moved = [{ from: address("daemon_vm.a"), to: address("daemon_vm.b") }];
  const { recorded } = applyMoves(state, moved);
  expect(recorded.restores).toEqual([{ address: "daemon_vm.b", power: "on" }]);
  expect(recorded.objects[1]?.dependencies).toEqual(["daemon_vm.b"]);
});

test("a power owed to an object that is gone moves with its address", () => {
  const restores = [{ address: address("daemon_vm.a"), power: "on" as const }];
  const moved = [{ from: address("daemon_vm.a"), to: address("daemon_vm.b") }];
  const { recorded } = applyMoves(recordedState([], { restores }), moved);
  expect(recorded.restores).toEqual([{ address: "daemon_vm.b", power: "on" }]);
});

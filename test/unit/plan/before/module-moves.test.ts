/** Moves of whole modules: where they lead, and when single moves are told as one. */

import { describe, expect, it } from "vitest";
import {
  type Address,
  type Selector,
  selects,
  toAddress,
  toSelector,
} from "../../../../src/model/value/address.ts";
import { moduleMoves, movedWith, wholeModules } from "../../../../src/plan/before/module-moves.ts";

function address(text: string): Address {
  const made = toAddress(text);
  if (made === undefined) throw new Error(`no address: ${text}`);
  return made;
}

function selector(text: string): Selector {
  const made = toSelector(text);
  if (made === undefined) throw new Error(`no selector: ${text}`);
  return made;
}

describe("what a selector selects", () => {
  it.each([
    ["module.lab", "module.lab.daemon_vm.web", true],
    ["module.lab", 'module.lab["a"].daemon_vm.web[0]', true],
    ["module.lab", "module.lab.module.net.daemon_vm.web", true],
    ["module.lab", "module.labs.daemon_vm.web", false],
    ['module.lab["a"]', 'module.lab["a"].daemon_vm.web', true],
    ['module.lab["a"]', 'module.lab["ab"].daemon_vm.web', false],
    ["module.lab[1]", "module.lab[10].daemon_vm.web", false],
    ["module.lab[1]", "module.lab[1][0]", undefined],
    ["module.lab.daemon_vm.web", 'module.lab.daemon_vm.web["a"]', true],
    ["daemon_vm.web", "module.lab.daemon_vm.web", false],
    ["module.lab", "daemon_vm.web", false],
  ] as const)("%s: %s", (text, one, expected) => {
    if (expected === undefined) expect(toAddress(one)).toBeUndefined();
    else expect(selects(selector(text), address(one))).toBe(expected);
  });

  it("a module is no address, and an address no module", () => {
    expect(toAddress("module.lab")).toBeUndefined();
    expect(toSelector("module.lab.")).toBeUndefined();
    expect(toSelector("module.daemon_vm.web")).toBeUndefined();
    expect(toSelector("data.module.lab")).toBeDefined();
  });
});

describe("where a move of a module takes an address", () => {
  it.each([
    ["module.a", "module.b", "module.a.daemon_vm.web", "module.b.daemon_vm.web"],
    ["module.a", "module.b", 'module.a["k"].daemon_vm.web[1]', 'module.b["k"].daemon_vm.web[1]'],
    ["module.a", 'module.b["k"]', "module.a.daemon_vm.web", 'module.b["k"].daemon_vm.web'],
    ["module.a", 'module.b["k"]', 'module.a["x"].daemon_vm.web', undefined],
    ['module.a["k"]', "module.b", 'module.a["k"].daemon_vm.web', "module.b.daemon_vm.web"],
    ['module.a["k"]', "module.b", 'module.a["x"].daemon_vm.web', undefined],
    ["module.a", "module.b", "module.ab.daemon_vm.web", undefined],
    ["module.a", "module.b.module.c", "module.a.daemon_vm.web", "module.b.module.c.daemon_vm.web"],
    ["module.a.module.n", "module.n", "module.a.module.n.daemon_vm.x", "module.n.daemon_vm.x"],
    ["module.a.module.n", "module.n", 'module.a["k"].module.n.daemon_vm.x', undefined],
  ] as const)("%s to %s: %s", (from, to, one, expected) => {
    const [move] = moduleMoves([{ from: selector(from), to: selector(to) }]);
    expect(move && movedWith(address(one), move)).toBe(expected);
  });

  it("the innermost entry counts, and of those as deep the one that names an instance", () => {
    const entries = [
      ["module.a", "module.b"],
      ["module.a.module.n", "module.n"],
      ['module.a["k"]', "module.k"],
    ] as const;
    const moves = moduleMoves(
      entries.map(([from, to]) => ({ from: selector(from), to: selector(to) })),
    );
    expect(moves.map(({ to }) => to.map(({ name }) => name).join("."))).toEqual(["n", "k", "b"]);
  });
});

describe("single moves that are told as one of a module", () => {
  const moves = (pairs: readonly (readonly [string, string])[]) =>
    pairs.map(([from, to]) => ({ from: address(from), to: address(to) }));

  it.each([
    {
      name: "all that is in it",
      pairs: [
        ['module.a["x"].fake_vm.one', 'module.b["x"].fake_vm.one'],
        ['module.a["y"].fake_vm.one', 'module.b["y"].fake_vm.one'],
      ],
      told: ["module.a → module.b"],
    },
    {
      name: "one instance of it",
      pairs: [['module.a["x"].fake_vm.one', "module.b.fake_vm.one"]],
      recorded: ['module.a["y"].fake_vm.one'],
      told: ['module.a["x"] → module.b'],
    },
    {
      name: "a part of it stays",
      pairs: [["module.a.fake_vm.one", "module.b.fake_vm.one"]],
      recorded: ["module.a.fake_vm.two"],
      told: [],
    },
    {
      name: "something of it is still wanted",
      pairs: [["module.a.fake_vm.one", "module.b.fake_vm.one"]],
      desired: ["module.a.fake_vm.two"],
      told: [],
    },
    {
      name: "something is recorded where it goes",
      pairs: [["module.a.fake_vm.one", "module.b.fake_vm.one"]],
      recorded: ["module.b.fake_vm.two"],
      told: [],
    },
    {
      name: "names inside change, too",
      pairs: [["module.a.fake_vm.one", "module.b.fake_vm.other"]],
      told: [],
    },
    {
      name: "out of a module",
      pairs: [["module.a.fake_vm.one", "fake_vm.one"]],
      told: [],
    },
    {
      name: "an outer module",
      pairs: [["module.a.module.n.fake_vm.one", "module.b.module.n.fake_vm.one"]],
      told: ["module.a → module.b"],
    },
  ] as const)("$name", ({ pairs, told, ...others }) => {
    const made = moves(pairs);
    const recorded: readonly string[] = "recorded" in others ? others.recorded : [];
    const desired: readonly string[] = "desired" in others ? others.desired : [];
    const { modules, rest } = wholeModules(made, {
      recorded: new Set([...made.map(({ from }) => from), ...recorded.map(address)]),
      desired: new Set([...made.map(({ to }) => to), ...desired.map(address)]),
    });
    expect(modules.map(({ from, to }) => `${from} → ${to}`)).toEqual(told);
    expect(rest).toHaveLength(told.length > 0 ? 0 : made.length);
  });
});

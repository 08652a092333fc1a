/** The offer to cancel remote tasks: when it is made, to whom, and what keys do. */

import { expect, test } from "vitest";
import { createCancelOffer } from "../../../../../src/cli/terminal/ask/cancel-offer.ts";
import type { StopSignal } from "../../../../../src/cli/terminal/terminal.ts";
import type { EngineEvent } from "../../../../../src/model/operation/event.ts";
import { address } from "../../../../helpers/recorded-builder.ts";

type Place = {
  readonly interactive: boolean;
  readonly json: boolean;
  readonly signal: StopSignal;
  readonly folder?: string;
};
const person: Place = { interactive: true, json: false, signal: "SIGINT" };

/** Events, or keys as `key c`; what is printed and done. */
function play(place: Place, steps: readonly (EngineEvent | `key ${string}`)[]) {
  const trace: string[] = [];
  let listener: ((key: string) => void) | undefined;
  const offer = createCancelOffer(
    {
      takeKeys: (taken) => {
        trace.push("takes keys");
        listener = taken;
        return () => {
          trace.push("gives back");
          listener = undefined;
        };
      },
    },
    { asks: place.interactive && !place.json, say: (text) => void trace.push(text) },
    { cancel: () => void trace.push("CANCEL"), lastSignal: () => place.signal },
    place.folder,
  );
  for (const step of steps) {
    if (typeof step === "string") listener?.(step.slice("key ".length));
    else offer.hear(step);
  }
  return { trace, offer };
}

const of = (name: string) => ({ address: address(`cloud_vm.${name}`), id: `cloud_vm.${name}#x.1` });
const progress = (name: string): EngineEvent => ({
  kind: "operation-progress",
  ...of(name),
  word: "running",
});
const ended = (name: string): EngineEvent => ({
  kind: "operation-ended",
  ...of(name),
  outcome: "success",
  elapsedMs: 1,
});
const draining = (tasks: number): EngineEvent => ({ kind: "draining", running: 3, tasks });

const key = "Press c to cancel the remote task.";
const keys = "Press c to cancel the 2 remote tasks.";
const question =
  "Cancel 1 remote task of cloud_vm.a? What is half done then stays so. " +
  "Press y to cancel, any other key to wait.";
const hint = "To cancel it, beside this run: vmform action cloud_vm.a cancel-task";
const quiet: Place = { ...person, interactive: false };

test.each<[string, Place, readonly (EngineEvent | `key ${string}`)[], readonly string[]]>([
  ["tasks run, nobody stops", person, [progress("a"), progress("a"), ended("a")], []],
  ["no task runs", person, [draining(0), ended("a")], []],
  ["one runs", person, [progress("a"), draining(1)], [key, "takes keys"]],
  ["two run", person, [progress("a"), progress("b"), draining(2)], [keys, "takes keys"]],
  ["one shows later", person, [draining(0), progress("a"), progress("a")], [key, "takes keys"]],
  [
    "all end by themselves",
    person,
    [progress("a"), progress("b"), draining(2), ended("a"), ended("b")],
    [keys, "takes keys", "gives back"],
  ],
  [
    "other keys",
    person,
    [progress("a"), draining(1), "key y", "key x", "key \r"],
    [key, "takes keys"],
  ],
  [
    "asked and declined, twice",
    person,
    [progress("a"), draining(1), "key c", "key n", "key C", "key c"],
    [
      key,
      "takes keys",
      question,
      `Nothing was cancelled. ${key}`,
      question,
      `Nothing was cancelled. ${key}`,
    ],
  ],
  [
    "agreed: once, and no more for this task",
    person,
    [progress("a"), draining(1), "key c", "key Y", "key c", progress("a"), ended("a")],
    [key, "takes keys", question, "gives back", "CANCEL"],
  ],
  [
    "agreed, and another one shows",
    person,
    [progress("a"), draining(1), "key c", "key y", progress("b"), "key c", "key y"],
    [
      key,
      "takes keys",
      question,
      "gives back",
      "CANCEL",
      keys,
      "takes keys",
      question.replace("1 remote task of cloud_vm.a", "2 remote tasks of cloud_vm.a, cloud_vm.b"),
      "gives back",
      "CANCEL",
    ],
  ],
  ["SIGTERM", { ...person, signal: "SIGTERM" }, [progress("a"), draining(1)], [hint]],
  ["no terminal", quiet, [progress("a"), draining(1)], [hint]],
  ["no terminal, and the task shows later", quiet, [draining(1), progress("a")], [hint]],
  [
    "no terminal, a key to quote and a folder",
    { ...quiet, folder: "my lab" },
    [progress('a["x"]'), draining(1)],
    [
      "To cancel it, beside this run: " +
        `vmform action 'cloud_vm.a["x"]' cancel-task --chdir 'my lab'`,
    ],
  ],
  [
    "no terminal, more tasks than are named",
    quiet,
    [...["a", "b", "c", "d", "e"].map(progress), draining(5)],
    [
      "To cancel one of them, beside this run: vmform action cloud_vm.a cancel-task, or " +
        "vmform action cloud_vm.b cancel-task, or vmform action cloud_vm.c cancel-task " +
        "(and 2 more)",
    ],
  ],
  ["JSON", { ...person, json: true }, [progress("a"), draining(1)], [hint]],
])("%s", (_name, place, steps, expected) => {
  expect(play(place, steps).trace).toEqual(expected);
});

test("the keyboard is given back at the end of the command, once", () => {
  const { trace, offer } = play(person, [progress("a"), draining(1), "key c"]);
  offer.close();
  offer.close();
  expect(trace).toEqual([key, "takes keys", question, "gives back"]);
});

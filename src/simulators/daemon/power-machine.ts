/**
 * The power machine: which word leads where from which state, how long that takes, what it is
 * called meanwhile, and how it is refused. Pure.
 *
 * Facts: the six words (specification, section B, endpoint 5); texts of states (wire facts B.3);
 * off and suspend refuse a VM that does not run, `on` resumes a suspended one, off and suspend work
 * while paused, shutdown needs tools (wire facts B.4). The rest is decided in DECISIONS.md.
 */

import type { DaemonDurations, DaemonRules } from "../kit/generated/documents.ts";
import type { Refusal, VixCode } from "./refusal.ts";
import { vixRefusal } from "./refusal.ts";
import type { PowerState, VirtualMachine } from "./virtual-machine.ts";
import { toolsRun } from "./virtual-machine.ts";

export type PowerWord = "on" | "off" | "shutdown" | "suspend" | "pause" | "unpause";

export type PowerStep = {
  readonly from: PowerState;
  readonly to: PowerState;
  readonly durationMs: number;
  /** Power text while the step runs. */
  readonly text: string;
};

type Move = readonly [to: PowerState, duration: keyof DaemonDurations, text: string];

type WordRules = {
  /** Name of the library call, as errors print it. */
  readonly operation: string;
  /** Message of success (wire facts B.3, an emulator's). */
  readonly done: string;
  /** Where the word leads from each state, or the code of its refusal. */
  readonly from: { readonly [state in PowerState]: Move | VixCode };
};

const words: { readonly [word in PowerWord]: WordRules } = {
  on: {
    operation: "vm.PowerOn",
    done: "The VM is powered on.",
    from: {
      off: ["on", "power_on", "powering on"],
      suspended: ["on", "resume", "powering on"],
      on: 3007,
      paused: 3007,
    },
  },
  off: {
    operation: "vm.PowerOff",
    done: "The VM is powered off.",
    from: {
      on: ["off", "power_off", "powering off"],
      paused: ["off", "power_off", "powering off"],
      off: 3006,
      suspended: 3006,
    },
  },
  shutdown: {
    operation: "vm.PowerOff",
    done: "The VM is shut down.",
    from: {
      on: ["off", "shutdown", "powering off"],
      paused: 3016,
      off: 3006,
      suspended: 3006,
    },
  },
  suspend: {
    operation: "vm.Suspend",
    done: "The VM is suspended.",
    from: {
      on: ["suspended", "suspend", "suspending"],
      paused: ["suspended", "suspend", "suspending"],
      off: 3006,
      suspended: 3006,
    },
  },
  pause: {
    operation: "vm.Pause",
    done: "The VM is paused.",
    from: {
      on: ["paused", "pause", "powered on"],
      paused: 3006,
      off: 3006,
      suspended: 3006,
    },
  },
  unpause: {
    operation: "vm.Resume",
    done: "The VM is unpaused.",
    from: {
      paused: ["on", "unpause", "powered on"],
      on: 3007,
      off: 3006,
      suspended: 3006,
    },
  },
};

export function isPowerWord(text: string): text is PowerWord {
  return Object.hasOwn(words, text);
}

export function operationOfWord(word: PowerWord): string {
  return words[word].operation;
}

export function doneMessage(word: PowerWord): string {
  return words[word].done;
}

/** The step that a word begins now, or its refusal. */
export function stepOf(
  word: PowerWord,
  vm: VirtualMachine,
  durations: DaemonDurations,
  nowMs: number,
): PowerStep | Refusal {
  const rules = words[word];
  const move = rules.from[vm.power];
  if (typeof move === "number") return vixRefusal(move, rules.operation);
  if (word === "shutdown") {
    if (!toolsRun(vm, nowMs)) return vixRefusal(3016, rules.operation);
    const readyMs = (vm.toolsAtMs ?? 0) + durations.shutdown_ready;
    if (nowMs < readyMs) return vixRefusal(3009, rules.operation);
  }
  const [to, duration, text] = move;
  return { from: vm.power, to, durationMs: durations[duration], text };
}

/** The VM once the step has ended at `endMs`. A guest boots from off; else it goes on as it was. */
export function afterStep(
  vm: VirtualMachine,
  step: PowerStep,
  durations: DaemonDurations,
  endMs: number,
): VirtualMachine {
  const stopped = { ...vm, power: step.to, toolsAtMs: null, addressAtMs: null };
  if (step.to === "off" || step.to === "suspended") return stopped;
  if (step.from === "off") {
    return {
      ...vm,
      power: step.to,
      toolsAtMs: endMs + durations.tools,
      addressAtMs: endMs + Math.max(durations.tools, durations.address),
    };
  }
  if (step.from === "suspended") {
    return { ...vm, power: step.to, toolsAtMs: endMs, addressAtMs: endMs };
  }
  return { ...vm, power: step.to };
}

/** Text of GET power for a VM at rest (wire facts B.3). */
export function restingText(vm: VirtualMachine, rules: DaemonRules, nowMs: number): string {
  switch (vm.power) {
    case "on":
      return toolsRun(vm, nowMs) ? rules.running_text : "powered on";
    case "off":
      return "powered off";
    case "suspended":
      return "suspended";
    case "paused":
      return rules.paused_text;
  }
}

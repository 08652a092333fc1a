/**
 * What a run that was asked to stop offers while remote tasks keep it waiting: to have them
 * cancelled. With a person at the terminal a key does it, after a question; else the command that
 * does it is named, as soon as it is known whose task runs.
 */

import type { EventSink } from "../../../model/operation/event.ts";
import type { OperationId } from "../../../model/operation/operation.ts";
import type { Address } from "../../../model/value/address.ts";
import {
  cancelHint,
  cancelKeyText,
  cancelQuestion,
  notCancelled,
} from "../../../render/run/cancel-text.ts";
import type { CommandInterrupts } from "../interrupts.ts";
import type { Terminal } from "../terminal.ts";
import type { View } from "../view.ts";

export type CancelOffer = {
  /** Of every event of the run, after it was shown. */
  readonly hear: EventSink;
  /** Takes the offer back and gives the keyboard back. */
  readonly close: () => void;
};

export function createCancelOffer(
  terminal: Pick<Terminal, "takeKeys">,
  view: Pick<View, "asks" | "say">,
  interrupts: Pick<CommandInterrupts, "cancel" | "lastSignal">,
  folder: string | undefined,
): CancelOffer {
  /** Operations whose remote task was seen to run, and the objects they are about. */
  const running = new Map<OperationId, Address>();
  /** Those that a cancel was asked for. */
  const cancelled = new Set<OperationId>();
  let draining = false;
  let offered = false;
  let asking = false;
  let giveBack: (() => void) | undefined;

  const close = (): void => {
    giveBack?.();
    giveBack = undefined;
    asking = false;
  };
  const press = (key: string): void => {
    const count = Math.max(1, running.size);
    if (!asking) {
      if (key.toLowerCase() !== "c") return;
      asking = true;
      view.say(cancelQuestion(count, [...new Set(running.values())]));
      return;
    }
    asking = false;
    if (key.toLowerCase() !== "y") return view.say(notCancelled(count));
    close();
    offered = false;
    for (const id of running.keys()) cancelled.add(id);
    interrupts.cancel();
  };
  const offer = (count: number): void => {
    if (offered) return;
    // Whoever sends SIGTERM sits at no keyboard of ours.
    const keys = view.asks && interrupts.lastSignal() === "SIGINT";
    offered = keys || running.size > 0;
    if (keys) {
      view.say(cancelKeyText(count));
      giveBack = terminal.takeKeys(press);
    } else if (offered) view.say(cancelHint([...new Set(running.values())], folder));
  };
  return {
    close,
    hear: (event) => {
      switch (event.kind) {
        case "draining":
          draining = true;
          if (event.tasks > 0) offer(event.tasks);
          return;
        case "operation-progress":
          running.set(event.id, event.address);
          if (draining && !cancelled.has(event.id)) offer(running.size);
          return;
        case "operation-ended":
          running.delete(event.id);
          if (!draining || running.size > 0) return;
          offered = false;
          close();
          return;
        default:
      }
    },
  };
}

/** Questions before something is done: of a plan, of an action. */

import type { ConsentNeed } from "../../../model/plan/plan.ts";
import { addressesText } from "../../../model/value/address-text.ts";
import { renderLines, textLine } from "../../../render/text/styled-line.ts";
import type { Shell } from "../../run.ts";
import type { View } from "../view.ts";

/** Columns that are left to the answer. */
const answerWidth = " yes ".length;
/** A question names this many objects; all of them stand in the plan above it. */
const namesMax = 8;

const onlyYes = "Only yes is taken as consent:";

/** True when the answer is yes. */
export function isConsented(shell: Shell, view: View, disrupts: boolean): Promise<boolean> {
  const consented = disrupts ? ", with the disruptions named above" : "";
  return isYes(shell, view, `Do this${consented}? ${onlyYes}`);
}

/**
 * True when each answer is yes. Several kinds of disruption are agreed to one by one, each with the
 * objects it is about: who wants one may well not want another.
 */
export async function isPlanConsented(
  shell: Shell,
  view: View,
  needs: readonly ConsentNeed[],
): Promise<boolean> {
  const kinds = [...new Set(needs.map(({ disruption }) => disruption))];
  const [first] = kinds;
  if (first === undefined) return isYes(shell, view, `Do this? ${onlyYes}`);
  if (kinds.length === 1) {
    return isYes(shell, view, `Do this, with ${kindText(first, needs)}? ${onlyYes}`);
  }
  for (const [index, kind] of kinds.entries()) {
    const place = `(${index + 1} of ${kinds.length})`;
    const words = `Consent ${place} to ${kindText(kind, needs)}? ${onlyYes}`;
    if (!(await isYes(shell, view, words))) return false;
  }
  return isYes(shell, view, `Do this, with all of that? ${onlyYes}`);
}

/** Before anything is recorded in a mirror. */
export function isMirrorConsented(shell: Shell, view: View): Promise<boolean> {
  const words =
    "Go on from the mirror, and record what is done there until the store can be reached? " +
    "Nobody else must apply meanwhile.";
  return isYes(shell, view, `${words} ${onlyYes}`);
}

function kindText(kind: ConsentNeed["disruption"], needs: readonly ConsentNeed[]): string {
  const concerned = needs.filter(({ disruption }) => disruption === kind);
  return `${kind} of ${addressesText(new Set(concerned.map(({ address }) => address)), namesMax)}`;
}

/** What else than yes was written is told to be none. */
async function isYes({ terminal }: Shell, view: View, words: string): Promise<boolean> {
  const question = textLine(words, undefined, 0);
  const { width, ...options } = view.options;
  const room = width === undefined ? {} : { width: Math.max(1, width - answerWidth) };
  const answer = await terminal.ask(`${renderLines([question], { ...options, ...room })} `);
  const word = answer?.trim() ?? "";
  if (word !== "yes" && word !== "") view.text(`"${word}" is not yes.`);
  return word === "yes";
}

/** The question before something is done: of a plan, of an action. */

import { renderLines, textLine } from "../../render/text/styled-line.ts";
import type { Shell } from "../run.ts";
import type { View } from "./view.ts";

/** Columns that are left to the answer. */
const answerWidth = " yes ".length;

/** True when the answer is yes; what else was written is told to be none. */
export async function isConsented(
  { terminal }: Shell,
  view: View,
  disrupts: boolean,
): Promise<boolean> {
  const consented = disrupts ? ", with the disruptions named above" : "";
  const words = `Do this${consented}? Only yes is taken as consent:`;
  const question = textLine(words, undefined, 0);
  const { width, ...options } = view.options;
  const room = width === undefined ? {} : { width: Math.max(1, width - answerWidth) };
  const answer = await terminal.ask(`${renderLines([question], { ...options, ...room })} `);
  const word = answer?.trim() ?? "";
  if (word !== "yes" && word !== "") view.text(`"${word}" is not yes.`);
  return word === "yes";
}

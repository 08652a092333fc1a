/** The question for a variable that has no value. */

import type { MissingVariable } from "../../../config/missing-variables.ts";
import { escapeControls } from "../../../render/text/safe-text.ts";
import type { Terminal } from "../terminal.ts";

/** An answer of nothing is none. */
export async function askForVariable(
  terminal: Pick<Terminal, "write" | "ask" | "askHidden">,
  { name, description, hidden }: MissingVariable,
): Promise<string | undefined> {
  // A description may have several lines, and must not act on the terminal.
  const said = description === undefined ? "" : ` (${escapeControls(description)})`;
  const question = `Value of ${name}${said}: `;
  return hidden ? terminal.askHidden(question) : terminal.ask(question);
}

/** Questions whose answers are words: asked again until the answer can be used. */

import { CommandError } from "../../../commands/environment.ts";
import { renderLines, textLine } from "../../../render/text/styled-line.ts";
import type { Shell } from "../../run.ts";
import type { View } from "../view.ts";

export type Question = {
  /** Without the mark at its end. */
  readonly text: string;
  /** What an empty answer means; without it, something has to be written. */
  readonly usual?: string | undefined;
  /** Why it cannot be used, as a sentence. */
  readonly problem?: (answer: string) => string | undefined;
};

export type Choice = { readonly name: string; readonly about: string };

export type Asker = {
  readonly text: (question: Question) => Promise<string>;
  /** Names, in the order of the choices; with `many` there may be several, but one at least. */
  readonly choose: (
    question: Question & { readonly choices: readonly Choice[]; readonly many: boolean },
  ) => Promise<readonly string[]>;
};

/** Columns that are left to an answer where the line is as long as the terminal is wide. */
const answerWidth = 12;

/** Throws `CommandError` where the input ends; `undone` says what has not happened then. */
export function createAsker(shell: Shell, view: View, undone: string): Asker {
  const { terminal } = shell;
  const text: Asker["text"] = async (question) => {
    const { usual, problem } = question;
    const words = usual === undefined ? question.text : `${question.text} [${usual}]`;
    for (;;) {
      const answer = await terminal.ask(`${wrapped(view, `${words}:`)} `);
      if (answer === undefined) {
        throw new CommandError("The questions were not answered to the end.", undone);
      }
      const given = answer.trim() === "" ? (usual ?? "") : answer.trim();
      const why = given === "" ? "Something has to be written here." : problem?.(given);
      if (why === undefined) return given;
      view.say(`  ${why}`);
    }
  };
  const choose: Asker["choose"] = async ({ choices, many, ...question }) => {
    view.text(choicesText(view, choices));
    const answer = await text({
      ...question,
      problem: (given) => {
        const wrong = wordsOf(given, many).find((word) => chosen(word, choices) === undefined);
        if (wrong !== undefined) return `None of them is "${wrong}": write a number or a name.`;
        return question.problem?.(given);
      },
    });
    const names = new Set(wordsOf(answer, many).map((word) => chosen(word, choices)));
    return choices.flatMap(({ name }) => (names.has(name) ? [name] : []));
  };
  return { text, choose };
}

function choicesText({ options: { width } }: View, choices: readonly Choice[]): string {
  const lines = choices.map(({ name, about }, index) =>
    textLine(`  ${index + 1}  ${name}: ${about}`, undefined, "  1  ".length),
  );
  const room = width === undefined ? {} : { width };
  return `\n${renderLines(lines, { ...room, color: false })}\n`;
}

function wordsOf(answer: string, many: boolean): readonly string[] {
  return many ? answer.split(/[\s,]+/).filter((word) => word !== "") : [answer];
}

function chosen(word: string, choices: readonly Choice[]): string | undefined {
  const named = choices.find(({ name }) => name === word);
  if (named !== undefined) return named.name;
  return /^\d+$/.test(word) ? choices[Number(word) - 1]?.name : undefined;
}

function wrapped({ options: { width } }: View, words: string): string {
  const room = width === undefined ? {} : { width: Math.max(1, width - answerWidth) };
  return renderLines([textLine(words, undefined, 2)], { ...room, color: false });
}
